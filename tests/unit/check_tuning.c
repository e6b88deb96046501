#include "unit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "select/tuning.h"
#include "damage.h"

static const struct topo_layout four_by_four = {
    .ranks = 16, .nodes = 4, .node_ranks_min = 4, .node_ranks_max = 4, .by_slot = true};

static const char sample[] = "# measured on a test cluster\n"
                             "level node alpha=3.1e-05 beta=8.2e-09\n"
                             "gamma 2e-10  # doubles\n"
                             "\n"
                             "allgather ranks=16 nodes=4 per_node=4 placement=slot bytes=0-2K bruck_reorder\n"
                             "allgather nodes=2- bytes=2049- ring\r\n";

START_TEST(reads_and_decides)
{
    struct topo_tuning tuning;
    struct topo_error error = {""};
    ck_assert_msg(topo_tuning_parse(sample, "f", &tuning, &error) == TOPO_OK, "%s", error.text);
    ck_assert_int_eq(tuning.count, 2);
    ck_assert_double_eq_tol(tuning.params.link[TOPO_LEVEL_NODE].alpha, 3.1e-05, 1e-12);
    ck_assert_double_eq_tol(tuning.params.gamma, 2e-10, 1e-16);
    const struct topo_rule *rule = topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &four_by_four, 2048);
    ck_assert_str_eq(rule->algorithm->name, "bruck_reorder");
    ck_assert_int_eq(rule->line, 5);
    rule = topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &four_by_four, 1 << 20);
    ck_assert_str_eq(rule->algorithm->name, "ring");
    struct topo_layout by_node = four_by_four;
    by_node.by_slot = false;
    ck_assert_msg(!topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &by_node, 64), "the rule is for by slot only");
    topo_tuning_free(&tuning);
}
END_TEST

START_TEST(skips_what_does_not_apply)
{
    struct topo_tuning tuning;
    struct topo_layout twelve = four_by_four;
    twelve.ranks = 12;
    ck_assert_int_eq(topo_tuning_parse("allgather recursive_doubling\nallgather ring\n", "f", &tuning, NULL), TOPO_OK);
    ck_assert_str_eq(topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &twelve, 8)->algorithm->name, "ring");
    topo_tuning_free(&tuning);
}
END_TEST

START_TEST(writes_what_it_reads)
{
    struct topo_tuning tuning, again;
    struct topo_text text = {0};
    ck_assert_int_eq(topo_tuning_parse(sample, "f", &tuning, NULL), TOPO_OK);
    topo_params_write(&tuning.params, &text);
    for (int i = 0; i < tuning.count; i++)
        topo_rule_write(&tuning.rules[i], &text);
    ck_assert_int_eq(topo_tuning_parse(text.text, "f", &again, NULL), TOPO_OK);
    ck_assert_int_eq(again.count, tuning.count);
    for (int i = 0; i < tuning.count; i++) {
        ck_assert_ptr_eq(again.rules[i].algorithm, tuning.rules[i].algorithm);
        ck_assert(again.rules[i].bytes.low == tuning.rules[i].bytes.low);
        ck_assert(again.rules[i].bytes.high == tuning.rules[i].bytes.high);
        ck_assert_int_eq(again.rules[i].by_slot, tuning.rules[i].by_slot);
    }
    ck_assert(fabs(again.params.link[TOPO_LEVEL_NODE].beta - 8.2e-09) < 1e-13);
    topo_text_free(&text);
    topo_tuning_free(&tuning);
    topo_tuning_free(&again);
}
END_TEST

START_TEST(bad_lines_are_named)
{
    static const struct {
        const char *text, *needle;
    } bad[] = {{"allgather bytes=1- brick\n", "f:1"},
               {"\nallgather bytes=9-3 ring\n", "f:2"},
               {"allgather bytes=x ring\n", "f:1"},
               {"allgather placement=rack ring\n", "slot|node|any"},
               {"allgather\n", "names no algorithm"},
               {"allgather ring ring\n", "f:1"},
               {"allgahter ring\n", "neither a rule nor a parameter"},
               {"level node alpha=-1 beta=0\n", "alpha=SECONDS"},
               {"level moon alpha=1 beta=0\n", "switch|node"},
               {"gamma nan\n", "f:1"},
               {"gamma 1.1e15\n", "0 to 1e15"},
               {"level node alpha=1.7976931348623157e308 beta=0\n", "0 to 1e15"},
               {"gamma 1 2\n", "f:1"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct topo_tuning tuning;
        struct topo_error error = {""};
        ck_assert_msg(topo_tuning_parse(bad[i].text, "f", &tuning, &error) == TOPO_PARSE, "refused: %s", bad[i].text);
        ck_assert_msg(strstr(error.text, bad[i].needle), "'%s' says '%s': %s", bad[i].text, bad[i].needle, error.text);
        topo_tuning_free(&tuning);
    }
}
END_TEST

START_TEST(damaged_files)
{
    damage_seed(5);
    for (int round = 0; round < 20000; round++) {
        struct topo_tuning tuning;
        struct topo_error error = {""};
        size_t length = sizeof sample - 1;
        char *copy = damaged(sample, &length);
        enum topo_status status = topo_tuning_parse(copy, "f", &tuning, &error);
        ck_assert_msg(status == TOPO_OK || (status == TOPO_PARSE && strstr(error.text, "f:")), "'%s': %s", copy,
                      error.text);
        if (status == TOPO_OK)
            topo_tuning_find(&tuning, TOPO_OPERATION_allgather, &four_by_four, 4096);
        topo_tuning_free(&tuning);
        topo_free(copy);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tuning tuning;
    UNIT_OUT_OF_MEMORY(topo_tuning_parse(sample, "f", &tuning, NULL), topo_tuning_free(&tuning));
}
END_TEST

UNIT_MAIN("tuning", {reads_and_decides}, {skips_what_does_not_apply}, {writes_what_it_reads}, {bad_lines_are_named},
          {damaged_files}, {out_of_memory})
