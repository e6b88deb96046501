#include "unit.h"

#include "topo-bench/arrival.h"

enum { NODES = 4, PER_NODE = 4, RANKS_HERE = NODES * PER_NODE };

static double late(enum bench_arrival arrival, int rank, uint64_t call)
{
    const struct bench_place place = {rank, RANKS_HERE, rank / PER_NODE, NODES};
    return bench_lateness(arrival, &place, call);
}

START_TEST(patterns_say_who_is_late)
{
    for (int rank = 0; rank < RANKS_HERE; rank++) {
        ck_assert_double_eq(late(BENCH_TOGETHER, rank, 7), 0);
        ck_assert_double_eq(late(BENCH_LATE_RANK, rank, 7), rank == 8);
        ck_assert_double_eq(late(BENCH_LATE_NODE, rank, 7), rank / PER_NODE == 2);
        ck_assert_double_eq(late(BENCH_LATE_RAMP, rank, 7), rank / 15.0);
    }
}
END_TEST

START_TEST(random_lateness_is_the_same_in_the_same_call)
{
    double sum = 0;
    int equal = 0;
    for (int rank = 0; rank < RANKS_HERE; rank++)
        for (uint64_t call = 0; call < 1000; call++) {
            double found = late(BENCH_LATE_RANDOM, rank, call);
            ck_assert(found >= 0 && found < 1);
            ck_assert_double_eq(found, late(BENCH_LATE_RANDOM, rank, call));
            equal += found == late(BENCH_LATE_RANDOM, rank, call + 1);
            equal += found == late(BENCH_LATE_RANDOM, (rank + 1) % RANKS_HERE, call);
            sum += found;
        }
    ck_assert_int_eq(equal, 0);
    /* Its mean is 1/2, with a standard deviation of 0.0023. */
    ck_assert_double_eq_tol(sum / (RANKS_HERE * 1000), 0.5, 0.01);
}
END_TEST

START_TEST(one_node_alone_is_not_late)
{
    const struct bench_place alone = {1, 4, 0, 1}, two = {1, 4, 0, 2};
    for (int arrival = 0; arrival < BENCH_ARRIVALS; arrival++) {
        ck_assert(bench_arrival_applies((enum bench_arrival)arrival, &two));
        ck_assert(bench_arrival_applies((enum bench_arrival)arrival, &alone) == (arrival != BENCH_LATE_NODE));
        ck_assert(*bench_arrival_word((enum bench_arrival)arrival));
    }
    ck_assert_double_eq(bench_lateness(BENCH_LATE_RAMP, &(struct bench_place){0, 1, 0, 1}, 0), 0);
}
END_TEST

UNIT_MAIN("bench_arrival", {patterns_say_who_is_late}, {random_lateness_is_the_same_in_the_same_call},
          {one_node_alone_is_not_late})
