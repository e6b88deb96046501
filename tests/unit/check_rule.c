#include "unit/unit.h"

#include <string.h>

#include "select/rule.h"

static const struct topo_layout even = {16, 4, 4, 4, true, true, false, true},
                                uneven = {16, 4, 1, 7, false, true, true, true}, apart = {16, 4, 4, 4, true, false};

static struct topo_rule rule_of(const char *words)
{
    struct topo_rule rule;
    struct topo_error error = {""};
    char copy[256];
    snprintf(copy, sizeof copy, "%s", words);
    ck_assert_msg(topo_rule_parse(TOPO_OPERATION_allgather, copy, &rule, &error) == TOPO_OK, "%s: %s", words,
                  error.text);
    return rule;
}

static bool fits(const char *words, const struct topo_layout *layout, size_t bytes, double link)
{
    struct topo_rule rule = rule_of(words);
    bool result = topo_rule_fits(&rule, layout, bytes, link);
    topo_rule_free(&rule);
    return result;
}

START_TEST(speaks_of)
{
    static const struct {
        const char *words;
        bool even, uneven, apart;
    } rules[] = {{"ring", true, true, true},
                 {"even=yes ring", true, false, true},
                 {"even=no ring", false, true, false},
                 {"even=any memory=any placement=any ring", true, true, true},
                 {"memory=shared ring", true, true, false},
                 {"memory=none ring", false, false, true},
                 {"racks=yes ring", false, true, false},
                 {"racks=no ring", true, false, true},
                 {"processors=own ring", true, true, false},
                 {"processors=shared ring", false, false, true},
                 {"placement=node ring", false, true, false},
                 {"per_node=5- ring", false, true, false},
                 {"nodes=4 ranks=9-16 ring", true, true, true},
                 {"ranks=17- ring", false, false, false},
                 {"per_node_min<2 ring", false, true, false},
                 {"bytes=1000 ring", true, true, true},
                 {"bytes=1001- ring", false, false, false},
                 {"bytes*per_node>=7000 ring", false, true, false},
                 {"bytes*per_node>=7000 bytes<10 ring", false, false, false}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ck_assert_msg(fits(rules[i].words, &even, 1000, 0) == rules[i].even, "%s", rules[i].words);
        ck_assert_msg(fits(rules[i].words, &uneven, 1000, 0) == rules[i].uneven, "%s", rules[i].words);
        ck_assert_msg(fits(rules[i].words, &apart, 1000, 0) == rules[i].apart, "%s", rules[i].words);
    }
    struct topo_layout twelve = {12, 3, 4, 4, true, true};
    ck_assert_msg(!fits("recursive_doubling", &twelve, 8, 0), "for powers of two");
}
END_TEST

START_TEST(link_rates)
{
    ck_assert(fits("link=1G-10G ring", &even, 8, 1e9) && fits("link=1G-10G ring", &even, 8, 10e9));
    ck_assert(!fits("link=1G-10G ring", &even, 8, 0.99e9) && !fits("link=1G-10G ring", &even, 8, 11e9));
    ck_assert(fits("link=200G- ring", &even, 8, 200e9) && fits("link=50M ring", &even, 8, 50e6));
    ck_assert_msg(!fits("link=1- ring", &even, 8, 0), "a link that is not known");
    ck_assert_msg(fits("link=0- ring", &even, 8, 0), "any");
}
END_TEST

START_TEST(writes_what_it_reads)
{
    static const char *const words[] = {"bruck_reorder",
                                        "ranks=16 placement=slot bytes=0-2K ring",
                                        "nodes=2- per_node=3-7 link=1G-10G even=no memory=shared ring",
                                        "link=1500K- placement=node even=yes memory=none native",
                                        "bytes>=64K/per_node bytes<2*(64K/per_node) ring",
                                        "nodes=2- native or ring or lanes or radix",
                                        "radix radix=8",
                                        "nodes=16- bytes=0-1K radix radix=8 drivers=2 or ring or leader radix=2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct topo_rule rule = rule_of(words[i]);
        struct topo_text text = {0}, expected = {0};
        topo_rule_write(&rule, &text);
        topo_text_addf(&expected, "allgather %s\n", words[i]);
        ck_assert_str_eq(text.text, expected.text);
        topo_text_free(&text);
        topo_text_free(&expected);
        topo_rule_free(&rule);
    }
}
END_TEST

START_TEST(others)
{
    struct topo_rule rule = rule_of("bytes=0-2K native or ring or lanes"), plain = rule_of("ring");
    ck_assert_str_eq(rule.algorithm->name, "native");
    ck_assert_int_eq(rule.others_count, 2);
    ck_assert_str_eq(rule.others[0]->name, "ring");
    ck_assert_str_eq(rule.others[1]->name, "lanes");
    ck_assert_int_eq(plain.others_count, 0);
    topo_rule_free(&rule);
    topo_rule_free(&plain);
}
END_TEST

/* An algorithm with parameters is the rule's own copy of its row. */
START_TEST(with_parameters)
{
    struct topo_rule rule = rule_of("radix radix=8 or radix drivers=2 radix=3 or radix or ring"),
                     same = rule_of("radix radix=8");
    const struct topo_algorithm *row = topo_algorithm_find(TOPO_OPERATION_allgather, "radix");
    ck_assert(rule.algorithm->id == row->id && rule.algorithm != row && rule.algorithm->parameters.radix == 8);
    ck_assert(rule.others[0]->parameters.radix == 3 && rule.others[0]->parameters.drivers == 2);
    ck_assert_ptr_eq(rule.others[1], row);
    ck_assert_int_eq(rule.others_count, 3);
    ck_assert_msg(row->parameters.radix == 0, "the row stays");
    ck_assert(topo_algorithm_equal(rule.algorithm, same.algorithm) && !topo_algorithm_equal(rule.algorithm, row));
    topo_rule_free(&rule);
    topo_rule_free(&same);
}
END_TEST

START_TEST(of_a_layout)
{
    struct topo_rule rule = topo_rule_here(&uneven);
    rule.algorithm = topo_algorithm_native(TOPO_OPERATION_allgather);
    ck_assert(topo_rule_fits(&rule, &uneven, 8, 0));
    ck_assert(!topo_rule_fits(&rule, &even, 8, 0));
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *words, *needle;
    } wrong[] = {{"", "names no algorithm"},
                 {"brick", "topo-dump algorithms"},
                 {"ring ring", "behind the algorithm"},
                 {"ring bytes=8", "behind the algorithm"},
                 {"ring or", "unknown algorithm (none) behind 'or'"},
                 {"ring or chain", "unknown algorithm chain behind 'or'"},
                 {"ring or lanes radix", "'radix' behind the algorithm"},
                 {"native or ring or lanes or radix or leader", "three others"},
                 {"radix=8 radix", "'radix=8': parameters stand behind the algorithm; allowed: ranks="},
                 {"radix radix=8 or", "unknown algorithm (none) behind 'or'"},
                 {"radix radix=8 ring", "'ring' behind the algorithm"},
                 {"radix radix=1 or ring", "'radix=1': allowed for radix: radix=2-1024"},
                 {"radix radix=8 or ring radix=8", "'radix=8': parameters of ring: none"},
                 {"radix radix=8 radix=8", "radix= is allowed once"},
                 {"colour=red ring", "'colour=red' is unknown; allowed: ranks="},
                 {"bytes=9-3 ring", "bytes=A, A-B or A- is allowed"},
                 {"bytes=8 bytes=9 ring", "bytes= is allowed once"},
                 {"bytes=x ring", "powers of 1024"},
                 {"link=10 G ring", "topo-dump algorithms"},
                 {"link=10Gbit ring", "powers of 1000"},
                 {"link=G ring", "powers of 1000"},
                 {"link=-1 ring", "powers of 1000"},
                 {"link=999999999999T ring", "powers of 1000"},
                 {"even=maybe ring", "even=yes|no|any"},
                 {"memory=no ring", "memory=shared|none|any"},
                 {"racks=4 ring", "racks=yes|no|any"},
                 {"processors=2 ring", "processors=own|shared|any"},
                 {"placement=rack ring", "placement=slot|node|any"},
                 {"bytes<many ring", "'bytes<many': allowed in a comparison: "}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topo_rule rule;
        struct topo_error error = {""};
        char copy[128];
        snprintf(copy, sizeof copy, "%s", wrong[i].words);
        ck_assert_msg(topo_rule_parse(TOPO_OPERATION_allgather, copy, &rule, &error) == TOPO_PARSE, "%s",
                      wrong[i].words);
        ck_assert_msg(strstr(error.text, wrong[i].needle), "%s: %s", wrong[i].words, error.text);
        topo_rule_free(&rule);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_rule rule;
    char copy[64];
    UNIT_OUT_OF_MEMORY(topo_rule_parse(TOPO_OPERATION_allgather,
                                       strcpy(copy, "bytes<8 ranks<7 radix radix=2 or radix drivers=3"), &rule, NULL),
                       topo_rule_free(&rule));
}
END_TEST

UNIT_MAIN("rule", {speaks_of}, {link_rates}, {writes_what_it_reads}, {others}, {with_parameters}, {of_a_layout},
          {refused}, {out_of_memory})
