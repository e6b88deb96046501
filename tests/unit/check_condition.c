#include "unit/unit.h"

#include <string.h>

#include "select/condition.h"

static const struct topo_quantities here = {.value = {[TOPO_QUANTITY_RANKS] = 12,
                                                      [TOPO_QUANTITY_NODES] = 3,
                                                      [TOPO_QUANTITY_PER_NODE] = 5,
                                                      [TOPO_QUANTITY_PER_NODE_MIN] = 3,
                                                      [TOPO_QUANTITY_BYTES] = 4096}};

static bool holds(const char *word)
{
    struct topo_condition *condition;
    const char *why;
    ck_assert_msg(topo_condition_is(word), "%s is one", word);
    ck_assert_msg(topo_condition_parse(word, &condition, &why) == TOPO_OK, "%s: %s", word, why);
    ck_assert_str_eq(topo_condition_text(condition), word);
    bool result = topo_condition_holds(condition, &here);
    topo_condition_free(condition);
    return result;
}

START_TEST(compares)
{
    static const char *const true_ones[] = {"ranks<13", "ranks<=12", "ranks>11", "ranks>=12", "bytes>=4K", "bytes<1M",
                                            "1G>1023M", "1k>1023"},
                             *const false_ones[] = {"ranks<12", "ranks<=11", "ranks>12", "ranks>=13", "bytes<4K"};
    for (size_t i = 0; i < sizeof true_ones / sizeof *true_ones; i++)
        ck_assert_msg(holds(true_ones[i]), "%s", true_ones[i]);
    for (size_t i = 0; i < sizeof false_ones / sizeof *false_ones; i++)
        ck_assert_msg(!holds(false_ones[i]), "%s", false_ones[i]);
}
END_TEST

/* Pairs of what an expression is and its value, looked at from both sides. */
START_TEST(counts)
{
    static const struct {
        const char *expression, *value;
    } pairs[] = {{"bytes/per_node", "819"},
                 {"2*(bytes/per_node)", "1638"},
                 {"2*bytes/per_node", "1638"},
                 {"bytes*3/per_node", "2457"},
                 {"3*(bytes/per_node)", "2457"},
                 {"ranks-nodes-per_node_min", "6"},
                 {"ranks-(nodes-per_node_min)", "12"},
                 {"1+2*3", "7"},
                 {"(1+2)*3", "9"},
                 {"ranks/5*per_node", "10"},
                 {"nodes-per_node+2", "0"},
                 {"((((1))))", "1"},
                 {"8/3/2", "1"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char word[64];
        snprintf(word, sizeof word, "%s<=%s", pairs[i].expression, pairs[i].value);
        ck_assert_msg(holds(word), "%s", word);
        snprintf(word, sizeof word, "%s>=%s", pairs[i].expression, pairs[i].value);
        ck_assert_msg(holds(word), "%s", word);
    }
}
END_TEST

START_TEST(stays_in_range)
{
    ck_assert(holds("4G*4G>4G"));
    ck_assert(holds("4G*4G*4G>=4G*4G"));
    ck_assert(holds("(1-4G)*4G*4G<0"));
    ck_assert(holds("4G*4G+4G*4G>0"));
    ck_assert(holds("0-4G*4G-4G*4G<0"));
    ck_assert_msg(holds("bytes/(nodes-3)>4G*2"), "divided by 0");
    ck_assert_msg(holds("((0-4G*4G)-1)/(0-1)>4G"), "the least number divided by -1");
}
END_TEST

START_TEST(refused)
{
    static const char *const wrong[] = {"<",          "ranks<",       "<ranks",   "ranks<1<2",  "rank<3",
                                        "ranks<3x",   "(ranks<3",     "ranks)<3", "ranks<(3",   "ranks<>3",
                                        "ranks<3.5",  "ranks**2<3",   "-1<ranks", "ranks<3 ",   "()<1",
                                        "ranks<99999999999999999999", "ranks<99999999999G", "((((((((((((((1))))))))))))))<2",
                                        "1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1<2"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topo_condition *condition;
        const char *why = NULL;
        ck_assert_msg(topo_condition_parse(wrong[i], &condition, &why) == TOPO_PARSE, "%s", wrong[i]);
        ck_assert_ptr_null(condition);
        ck_assert_ptr_nonnull(strstr(why, "per_node_min"));
    }
    ck_assert(!topo_condition_is("bytes=1-2") && !topo_condition_is("native"));
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_condition *condition;
    const char *why;
    UNIT_OUT_OF_MEMORY(topo_condition_parse("ranks<3", &condition, &why), topo_condition_free(condition));
}
END_TEST

UNIT_MAIN("condition", {compares}, {counts}, {stays_in_range}, {refused}, {out_of_memory})
