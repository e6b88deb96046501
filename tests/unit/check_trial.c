#include "unit.h"

#include <string.h>

#include "catalog/size_class.h"
#include "select/trial.h"

START_TEST(size_classes)
{
    static const size_t bytes[] = {0, 1, 2, 3, 4, 5, 1024, 1025};
    static const int classes[] = {0, 0, 1, 2, 2, 3, 10, 11};
    for (int i = 0; i < 8; i++)
        ck_assert_msg(topo_size_class(bytes[i]) == classes[i], "%zu bytes are class %d", bytes[i], classes[i]);
}
END_TEST

/* Every candidate takes its turns; an outlier does not decide. */
START_TEST(medians_decide)
{
    struct topo_trial *trial = topo_trial_new(TOPO_OPERATION_allgather, 10, 7);
    int candidates = topo_trial_candidates(trial), calls = 0;
    double medians[TOPO_ALGORITHM_COUNT];
    ck_assert_int_gt(candidates, 2);
    while (!topo_trial_is_complete(trial)) {
        const struct topo_algorithm *next = topo_trial_next(trial);
        ck_assert_msg(topo_algorithm_applies(next, 7, NULL), "%s applies to 7 ranks", next->name);
        bool ring = !strcmp(next->name, "ring");
        double seconds = ring ? 1.0 : 2.0;
        if (ring && calls / candidates == 2)
            seconds = 100; /* one outlier of the best */
        topo_trial_record(trial, seconds);
        calls++;
    }
    ck_assert_int_eq(calls, candidates * (TOPO_TRIAL_ROUNDS + 1));
    topo_trial_medians(trial, medians);
    topo_trial_decide(trial, medians);
    ck_assert_str_eq(topo_trial_next(trial)->name, "ring");
    struct topo_layout layout = {.ranks = 7, .nodes = 3, .node_ranks_min = 1, .node_ranks_max = 4, .by_slot = false};
    struct topo_rule rule = topo_trial_rule(trial, &layout);
    struct topo_text text = {0};
    topo_trial_evidence(trial, medians, &text);
    static const char first[] = "# 5 calls each, median us of the slowest rank: ring 1000000.0, native 2000000.0, ";
    ck_assert_msg(!strncmp(text.text, first, sizeof first - 1), "%s", text.text);
    ck_assert_msg(strchr(text.text, '\n')[1] == '\0' && text.text[1] == ' ', "one line, a comment: %s", text.text);
    topo_text_free(&text);
    topo_rule_write(&rule, &text);
    ck_assert_str_eq(text.text, "allgather ranks=7 nodes=3 per_node=4 placement=node bytes=513-1K ring\n");
    topo_text_free(&text);
    topo_trial_free(trial);
}
END_TEST

START_TEST(equal_medians_mean_native)
{
    struct topo_trial *trial = topo_trial_new(TOPO_OPERATION_allgather, 0, 8);
    double medians[TOPO_ALGORITHM_COUNT] = {0};
    topo_trial_decide(trial, medians);
    ck_assert_str_eq(topo_trial_next(trial)->name, "native");
    topo_trial_free(trial);
}
END_TEST

UNIT_MAIN("trial", {size_classes}, {medians_decide}, {equal_medians_mean_native})
