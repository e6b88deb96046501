#include "unit.h"

#include <string.h>

#include "predict/interval.h"

static struct topo_intervals intervals;

static struct topo_interval *enter(const char *name, long line)
{
    struct topo_interval_key key = {.kind = TOPO_INTERVAL_USER, .name = name, .line = line};
    ck_assert_int_eq(topo_intervals_enter(&intervals, &key), TOPO_OK);
    return intervals.current;
}

START_TEST(the_tree)
{
    ck_assert_int_eq(topo_intervals_new(2, &intervals, NULL), TOPO_OK);
    ck_assert(!topo_intervals_leave(&intervals) && intervals.root->entries == 1);
    struct topo_interval *a = enter("a", 1), *b = enter("b", 1);
    ck_assert(b->parent == a && b->level == 2 && a->level == 1);
    ck_assert(topo_intervals_leave(&intervals) && enter("b", 1) == b && b->entries == 2);
    ck_assert(topo_intervals_leave(&intervals) && enter("b", 2) != b);
    ck_assert(topo_intervals_leave(&intervals) && topo_intervals_leave(&intervals) && enter("b", 1) != b);
    topo_intervals_free(&intervals);
    ck_assert_ptr_null(intervals.root);
    topo_intervals_free(&intervals);
}
END_TEST

/* Each field of a key tells intervals apart, an absent name or value too; a value counts only where there is one. */
START_TEST(keys)
{
    static const struct topo_interval_key keys[] = {
        {TOPO_INTERVAL_USER, NULL, NULL, 0, false, 0}, {TOPO_INTERVAL_PARALLEL, NULL, NULL, 0, false, 0},
        {TOPO_INTERVAL_USER, "", NULL, 0, false, 0},   {TOPO_INTERVAL_USER, "a", NULL, 0, false, 0},
        {TOPO_INTERVAL_USER, NULL, "a", 0, false, 0},  {TOPO_INTERVAL_USER, NULL, NULL, 1, false, 0},
        {TOPO_INTERVAL_USER, NULL, NULL, 0, true, 0},  {TOPO_INTERVAL_USER, NULL, NULL, 0, true, 1}};
    enum { KEYS = sizeof keys / sizeof *keys };
    struct topo_interval *found[KEYS];
    ck_assert_int_eq(topo_intervals_new(1, &intervals, NULL), TOPO_OK);
    for (int k = 0; k < KEYS; k++) {
        found[k] = topo_interval_find(&intervals, intervals.root, &keys[k]);
        for (int other = 0; other < k; other++)
            ck_assert_msg(found[k] != found[other], "keys %d and %d", k, other);
    }
    for (int k = 0; k < KEYS; k++)
        ck_assert(topo_interval_find(&intervals, intervals.root, &keys[k]) == found[k]);
    struct topo_interval_key without = keys[0];
    without.value = 77;
    ck_assert(topo_interval_find(&intervals, intervals.root, &without) == found[0]);
    ck_assert_int_eq(intervals.root->child_count, KEYS);
    topo_intervals_free(&intervals);
}
END_TEST

START_TEST(many)
{
    enum { MANY = 5000 };
    static struct topo_interval *made[MANY];
    ck_assert_int_eq(topo_intervals_new(1, &intervals, NULL), TOPO_OK);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char name[20];
            snprintf(name, sizeof name, "step %d", i);
            struct topo_interval *interval = enter(name, i % 3);
            ck_assert(!round || interval == made[i]);
            made[i] = interval;
            topo_intervals_leave(&intervals);
        }
    for (int i = 0; i < MANY; i++)
        ck_assert_msg(intervals.root->children[i] == made[i] && made[i]->entries == 2, "in the order they were met");
    topo_intervals_free(&intervals);
}
END_TEST

/* total = productive + lost, whatever the figures are; nested ones are part of their outer ones. */
START_TEST(nothing_gets_lost)
{
    unsigned state = 7;
    for (int round = 0; round < 200; round++) {
        int processors = 1 + round % 5;
        struct topo_interval *list[6];
        ck_assert_int_eq(topo_intervals_new(processors, &intervals, NULL), TOPO_OK);
        list[0] = intervals.root;
        for (int i = 1; i < 6; i++) {
            struct topo_interval_key key = {.kind = TOPO_INTERVAL_USER, .line = i};
            list[i] = topo_interval_find(&intervals, list[rand_r(&state) % i], &key);
        }
        double execution = 0, productive = 0;
        for (int i = 0; i < 6; i++)
            for (int p = 0; p < processors; p++) {
                struct topo_times *times = &list[i]->times[p];
                times->took_part = true;
                times->cpu = rand_r(&state) % 100;
                times->sys = rand_r(&state) % 10;
                times->io = rand_r(&state) % 10;
                times->insufficient_user = rand_r(&state) % 5;
                times->kind[TOPO_COMM_REDUCTION].comm = rand_r(&state) % 20;
                times->kind[TOPO_COMM_SHADOW].synch = rand_r(&state) % 20;
                times->execution = times->cpu + times->sys + times->io + times->kind[TOPO_COMM_REDUCTION].comm +
                                   times->kind[TOPO_COMM_SHADOW].synch;
                productive += times->cpu + times->sys + times->io - times->insufficient_user;
            }
        for (int p = 0; p < processors; p++) {
            double own = 0;
            for (int i = 0; i < 6; i++)
                own += list[i]->times[p].execution;
            execution = own > execution ? own : execution;
        }
        topo_intervals_integrate(&intervals);
        ck_assert_double_eq(intervals.root->execution, execution);
        ck_assert_double_eq_tol(intervals.root->productive, productive, 1e-9);
        for (int i = 0; i < 6; i++) {
            const struct topo_interval *one = list[i];
            ck_assert_int_eq(one->processors, processors);
            ck_assert_double_eq_tol(one->total, one->execution * processors, 1e-9);
            ck_assert_double_eq_tol(one->productive + one->sum.insufficient + one->sum.communication +
                                        one->sum.synchronization + one->sum.idle,
                                    one->total, 1e-6);
            ck_assert_double_eq_tol(one->sum.lost, one->sum.insufficient + one->sum.communication + one->sum.idle,
                                    1e-6);
            ck_assert(one->efficiency >= 0 && one->efficiency <= 1);
        }
        topo_intervals_free(&intervals);
    }
}
END_TEST

START_TEST(metrics)
{
    int count;
    const struct topo_metric *list = topo_metrics(&count);
    struct topo_times times;
    double *figures = (double *)((char *)&times + offsetof(struct topo_times, execution));
    size_t fields = (sizeof times - offsetof(struct topo_times, execution)) / sizeof *figures;
    memset(&times, 0, sizeof times);
    for (size_t i = 0; i < fields; i++)
        figures[i] = (double)i;
    ck_assert_msg((size_t)count == fields, "every figure of struct topo_times has a name: %d of %zu", count, fields);
    for (int m = 0; m < count; m++) {
        ck_assert(list[m].name[0] && list[m].label[0]);
        for (int other = 0; other < m; other++) {
            ck_assert_str_ne(list[m].name, list[other].name);
            ck_assert(topo_metric_value(&list[m], &times) != topo_metric_value(&list[other], &times));
        }
    }
    ck_assert_str_eq(list[0].name, "Execution_time");
    ck_assert_str_eq(topo_interval_kind_name(TOPO_INTERVAL_SEQUENTIAL), "sequential");
    ck_assert_str_eq(topo_comm_kind_name(TOPO_COMM_REMOTE), "remote");
    ck_assert_str_eq(topo_comm_kind_name((enum topo_comm_kind)99), "unknown");
    ck_assert_str_eq(topo_interval_kind_name((enum topo_interval_kind) - 1), "unknown");
}
END_TEST

START_TEST(out_of_memory)
{
    static const struct topo_interval_key key = {.kind = TOPO_INTERVAL_USER, .name = "n", .file = "f"};
    UNIT_OUT_OF_MEMORY(topo_intervals_new(3, &intervals, NULL));
    UNIT_OUT_OF_MEMORY(topo_intervals_enter(&intervals, &key),
                       ck_assert((status == TOPO_OK) == (intervals.current != intervals.root)));
    ck_assert_int_eq(intervals.current->entries, 1);
    topo_intervals_free(&intervals);
}
END_TEST

UNIT_MAIN("interval", {the_tree}, {keys}, {many}, {nothing_gets_lost}, {metrics}, {out_of_memory})
