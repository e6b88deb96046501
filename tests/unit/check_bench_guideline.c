#include "unit.h"

#include <string.h>

#include "topo-bench/guideline.h"

static void words_of(const struct bench_guideline *guideline, struct topo_text *out)
{
    bench_form_words(&guideline->left, out);
    topo_text_add(out, " <= ");
    bench_form_words(&guideline->right, out);
}

static bool has_row(enum bench_guideline_kind kind, const char *words)
{
    bool found = false;
    for (int i = 0; i < bench_guidelines; i++) {
        struct topo_text text = {0};
        words_of(&bench_guideline[i], &text);
        found = found || (bench_guideline[i].kind == kind && !strcmp(text.text, words));
        topo_text_free(&text);
    }
    return found;
}

START_TEST(the_guidelines_are_there)
{
    static const struct {
        enum bench_guideline_kind kind;
        const char *words;
    } rows[] = {
        {BENCH_MOCKUP, "allreduce <= reduce + bcast"},
        {BENCH_MOCKUP, "allreduce <= reduce_scatter_block + allgather"},
        {BENCH_MOCKUP, "barrier <= allreduce"},
        {BENCH_MOCKUP, "allgather <= gather + bcast"},
        {BENCH_MOCKUP, "allgather <= allgatherv"},
        {BENCH_MOCKUP, "allgather <= alltoall"},
        {BENCH_MOCKUP, "bcast <= scatter + allgather"},
        {BENCH_MOCKUP, "reduce <= allreduce"},
        {BENCH_MOCKUP, "reduce_scatter_block <= reduce_scatter"},
        {BENCH_MOCKUP, "reduce_scatter_block <= allreduce"},
        {BENCH_MOCKUP, "gather <= gatherv"},
        {BENCH_MOCKUP, "gather <= allgather"},
        {BENCH_MOCKUP, "scatter <= scatterv"},
        {BENCH_MOCKUP, "scatter <= bcast"},
        {BENCH_MOCKUP, "scan <= exscan + reduce_local"},
        {BENCH_MONOTONE, "bcast <= bcast(2m)"},
        {BENCH_SPLIT, "bcast(2m) <= 2 bcast"},
        {BENCH_COMMUNICATOR, "barrier of half the ranks <= barrier"},
        {BENCH_ROOT, "reduce, last root <= reduce"},
        {BENCH_ROOT, "reduce, middle root <= reduce"},
        {BENCH_PLACE, "alltoallv in place <= alltoallv"},
        {BENCH_ARRIVAL, "reduce_scatter <= reduce_scatter"},
        {BENCH_ARRIVAL, "exscan <= exscan"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(has_row(rows[i].kind, rows[i].words), "%s", rows[i].words);
}
END_TEST

/* What TopoMPI has and a step calls is on the left side of each kind that its arguments allow. */
START_TEST(no_operation_is_left_out)
{
    int ours = 0;
    for (int step = 0; step < BENCH_STEPS; step++) {
        bool found[BENCH_KINDS] = {false};
        for (int i = 0; i < bench_guidelines; i++) {
            const struct bench_guideline *guideline = &bench_guideline[i];
            found[guideline->kind] = found[guideline->kind] || (int)guideline->left.step[0].kind == step;
        }
        if (step == BENCH_NO_STEP || bench_step_info[step].operation == BENCH_NOT_OURS) {
            ck_assert(!found[BENCH_ARRIVAL]);
            continue;
        }
        ours++;
        ck_assert_str_eq(bench_step_info[step].name,
                         topo_operation_name((enum topo_operation)bench_step_info[step].operation));
        ck_assert(found[BENCH_COMMUNICATOR] && found[BENCH_ARRIVAL]);
        ck_assert(found[BENCH_MONOTONE] == (step != BENCH_STEP_BARRIER));
        ck_assert(found[BENCH_SPLIT] == (step != BENCH_STEP_BARRIER));
    }
    ck_assert_int_ge(ours, 16);
    for (int i = 0; i < bench_guidelines; i++)
        ck_assert_str_eq(bench_step_info[bench_guideline[i].left.step[0].kind].name, bench_guideline[i].operation);
}
END_TEST

START_TEST(no_guideline_is_there_twice)
{
    for (int i = 0; i < bench_guidelines; i++)
        for (int k = 0; k < i; k++) {
            struct topo_text a = {0}, b = {0};
            words_of(&bench_guideline[i], &a);
            words_of(&bench_guideline[k], &b);
            ck_assert(bench_guideline[i].kind != bench_guideline[k].kind || strcmp(a.text, b.text));
            topo_text_free(&a);
            topo_text_free(&b);
        }
}
END_TEST

/* Steps read what was sent or what a step before wrote, and the last one writes what is looked at. */
START_TEST(steps_follow_each_other)
{
    for (int i = 0; i < bench_guidelines; i++)
        for (int side = 0; side < 2; side++) {
            const struct bench_form *form = side ? &bench_guideline[i].right : &bench_guideline[i].left;
            bool root_has = bench_guideline[i].left.step[0].kind == BENCH_STEP_BCAST;
            bool written[BENCH_BUFFERS] = {true, root_has, false};
            int last = BENCH_SEND;
            for (int s = 0; s < BENCH_STEPS_MAX && form->step[s].kind; s++) {
                ck_assert(form->step[s].kind == BENCH_STEP_BCAST || written[form->step[s].from]);
                ck_assert(form->step[s].kind != BENCH_STEP_BCAST || written[form->step[s].to]);
                written[form->step[s].to] = true;
                last = form->step[s].to;
            }
            ck_assert_int_eq(last, BENCH_RECEIVE);
        }
}
END_TEST

START_TEST(extents_hold_what_steps_touch)
{
    const struct bench_form in_place = {
        .step = {{BENCH_STEP_REDUCE_SCATTER_BLOCK, BENCH_SEND, BENCH_RECEIVE, BENCH_COUNT}}, .in_place = true};
    const struct bench_form out = {.step = {{BENCH_STEP_REDUCE_SCATTER_BLOCK, BENCH_SEND, BENCH_RECEIVE, BENCH_COUNT}}};
    const struct bench_form twice = {.step = {{BENCH_STEP_ALLGATHER, BENCH_SEND, BENCH_RECEIVE, BENCH_COUNT}},
                                     .twice = true};
    const struct bench_form chunks = {.step = {{BENCH_STEP_REDUCE_SCATTER_BLOCK, BENCH_SEND, BENCH_SPARE, BENCH_CHUNK},
                                               {BENCH_STEP_ALLGATHER, BENCH_SPARE, BENCH_RECEIVE, BENCH_CHUNK}}};
    static const struct bench_step integer = {BENCH_STEP_ALLREDUCE, BENCH_SEND, BENCH_RECEIVE, BENCH_INTEGER},
                                   whole = {BENCH_STEP_BCAST, BENCH_SEND, BENCH_SEND, BENCH_WHOLE};
    ck_assert_uint_eq(bench_form_extent(&out, BENCH_SEND, 10, 4), 40);
    ck_assert_uint_eq(bench_form_extent(&out, BENCH_RECEIVE, 10, 4), 10);
    ck_assert_uint_eq(bench_form_extent(&in_place, BENCH_RECEIVE, 10, 4), 40);
    ck_assert_uint_eq(bench_form_extent(&twice, BENCH_SEND, 10, 4), 20);
    ck_assert_uint_eq(bench_form_extent(&twice, BENCH_RECEIVE, 10, 4), 80);
    /* 10 elements for 4 ranks: 3 each, 12 in all. */
    ck_assert_uint_eq(bench_form_extent(&chunks, BENCH_SEND, 10, 4), 12);
    ck_assert_uint_eq(bench_form_extent(&chunks, BENCH_SPARE, 10, 4), 3);
    ck_assert_uint_eq(bench_form_extent(&chunks, BENCH_RECEIVE, 10, 4), 12);
    ck_assert_uint_eq(bench_step_count(&integer, 10, 4), 1);
    ck_assert_uint_eq(bench_step_count(&whole, 10, 4), 40);
}
END_TEST

static int chosen_of(const char *kinds, const char *operations, struct topo_error *error)
{
    bool *chosen = topo_calloc((size_t)bench_guidelines, sizeof *chosen);
    int count = 0;
    if (bench_guidelines_choose(kinds, operations, chosen, error) != TOPO_OK)
        count = -1;
    for (int i = 0; i < bench_guidelines && count >= 0; i++)
        count += chosen[i];
    topo_free(chosen);
    return count;
}

START_TEST(lists_choose)
{
    struct topo_error error = {""};
    ck_assert_int_eq(chosen_of(NULL, NULL, &error), bench_guidelines);
    ck_assert_int_eq(chosen_of("root", NULL, &error), 8);
    ck_assert_int_eq(chosen_of("root,place", "reduce", &error), 3);
    ck_assert_int_eq(chosen_of(NULL, "scan", &error), 6);
    ck_assert_int_eq(chosen_of("arrival", "reduce,reduce_scatter", &error), 2);
    ck_assert_int_eq(chosen_of("root", "barrier", &error), -1);
    ck_assert_str_eq(error.text, "no guideline of --guidelines root is of --operations barrier");
    ck_assert_int_eq(chosen_of("roots", NULL, &error), -1);
    ck_assert_str_eq(error.text, "--guidelines roots: allowed: mockup monotone split communicator root place arrival");
    ck_assert_int_eq(chosen_of(NULL, "bcast,", &error), -1);
    ck_assert_msg(!strncmp(error.text, "--operations : allowed: allreduce barrier allgather", 51), "%s", error.text);
}
END_TEST

START_TEST(lists_without_memory)
{
    bool chosen[200];
    ck_assert_int_le(bench_guidelines, 200);
    topo_memory_fail_after(0);
    enum topo_status status = bench_guidelines_choose("root", NULL, chosen, NULL);
    topo_memory_fail_after(-1);
    ck_assert_int_eq(status, TOPO_NOMEM);
}
END_TEST

START_TEST(slack_is_the_larger_one)
{
    ck_assert_double_eq(bench_guideline_slack(BENCH_ROOT, 0.05), 0.1);
    ck_assert_double_eq(bench_guideline_slack(BENCH_ROOT, 0.2), 0.2);
    ck_assert_double_eq(bench_guideline_slack(BENCH_MOCKUP, 0.05), 0.05);
    ck_assert(bench_guideline_replaces(BENCH_SPLIT) && !bench_guideline_replaces(BENCH_ROOT));
}
END_TEST

UNIT_MAIN("bench_guideline", {the_guidelines_are_there}, {no_operation_is_left_out}, {no_guideline_is_there_twice},
          {steps_follow_each_other}, {extents_hold_what_steps_touch}, {lists_choose}, {lists_without_memory},
          {slack_is_the_larger_one})
