#include "machines.h"

#include "predict/mpi/replay_clock.h"

static struct replay_clock *clock_of(const char *text, int cores, enum topo_level_kind kind)
{
    struct topo_tree *tree = machine_of(text);
    struct topo_params params;
    topo_params_default(&params);
    params.cores = cores;
    params.cores_kind = kind;
    struct replay_clock *clock = replay_clock_new(tree, &params);
    ck_assert_ptr_nonnull(clock);
    topo_tree_free(tree);
    return clock;
}

static void next(struct replay_clock *clock, int rank, double when)
{
    int got = replay_clock_next(clock);
    ck_assert_msg(got == rank, "rank %d is through, not %d", rank, got);
    ck_assert_double_eq_tol(replay_clock_now(clock), when, 1e-12);
}

START_TEST(a_core_each)
{
    struct replay_clock *clock = clock_of("node:2 core:2", 0, TOPO_LEVEL_KINDS);
    ck_assert_int_eq(replay_clock_next(clock), -1);
    replay_clock_work(clock, 3, 1);
    replay_clock_work(clock, 1, 2);
    replay_clock_work(clock, 0, 2);
    replay_clock_rest(clock, 2, 5);
    next(clock, 3, 1);
    replay_clock_work(clock, 3, 1);
    next(clock, 0, 2);
    next(clock, 1, 2);
    next(clock, 3, 2);
    next(clock, 2, 5);
    ck_assert_int_eq(replay_clock_next(clock), -1);
    replay_clock_free(clock);
    replay_clock_free(NULL);
}
END_TEST

/* One core for two ranks: slices of 3 ms in turn; who is through keeps it until it is released. */
START_TEST(one_core)
{
    struct replay_clock *clock = clock_of("node:1 core:2", 1, TOPO_LEVEL_NODE);
    replay_clock_work(clock, 0, 0.010);
    replay_clock_work(clock, 1, 0.004);
    next(clock, 1, 0.010); /* 0: 3 ms, 1: 3, 0: 3, 1: the last one */
    replay_clock_rest(clock, 1, 0.001);
    next(clock, 1, 0.011); /* 0 waits for the core all the time */
    replay_clock_release(clock, 1);
    next(clock, 0, 0.015);
    replay_clock_release(clock, 0);
    replay_clock_work(clock, 1, 0.002);
    next(clock, 1, 0.017);
    replay_clock_free(clock);
}
END_TEST

/* Two cores for each node of three ranks; nodes do not wait for each other. */
START_TEST(cores_of_a_node)
{
    struct replay_clock *clock = clock_of("node:2 core:3", 2, TOPO_LEVEL_NODE);
    for (int rank = 0; rank < 4; rank++)
        replay_clock_work(clock, rank, 0.002);
    next(clock, 0, 0.002);
    next(clock, 1, 0.002);
    next(clock, 3, 0.002);
    replay_clock_release(clock, 3);
    replay_clock_release(clock, 1);
    next(clock, 2, 0.004);
    replay_clock_free(clock);
    clock = clock_of("node:2 core:3", 3, TOPO_LEVEL_NODE);
    for (int rank = 0; rank < 6; rank++)
        replay_clock_work(clock, rank, 1);
    for (int rank = 0; rank < 6; rank++)
        next(clock, rank, 1);
    replay_clock_free(clock);
}
END_TEST

/* Whatever ranks do: time does not run backwards, all work is done, and no more at a time than there are cores. */
START_TEST(random_work)
{
    for (unsigned seed = 1; seed <= 300; seed++) {
        unsigned state = seed;
        int cores = (int)(seed % 4), left = 40, through = 0;
        struct replay_clock *clock = clock_of("node:1 core:6", cores, TOPO_LEVEL_KINDS);
        double work = 0, before = 0;
        for (int rank = 0; rank < 6; rank++) {
            double seconds = 1e-3 * (rand_r(&state) % 10);
            work += seconds;
            replay_clock_work(clock, rank, seconds);
        }
        for (int rank; (rank = replay_clock_next(clock)) >= 0; through++) {
            ck_assert(replay_clock_now(clock) >= before);
            before = replay_clock_now(clock);
            replay_clock_release(clock, rank);
            if (left-- <= 0)
                continue;
            double seconds = 1e-3 * (rand_r(&state) % 10);
            work += seconds;
            replay_clock_work(clock, rank, seconds);
        }
        ck_assert_int_eq(through, 46);
        ck_assert_msg(!cores || before >= work / cores - 1e-9, "seed %u: %g s of work on %d cores in %g s", seed, work,
                      cores, before);
        ck_assert_msg(cores != 1 || before <= work + 1e-9, "seed %u: a core does not rest while ranks wait", seed);
        replay_clock_free(clock);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:2 core:2");
    struct topo_params params;
    struct replay_clock *clock;
    topo_params_default(&params);
    params.cores = 1;
    UNIT_OUT_OF_MEMORY((clock = replay_clock_new(tree, &params)) ? TOPO_OK : TOPO_NOMEM, replay_clock_free(clock));
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("replay_clock", {a_core_each}, {one_core}, {cores_of_a_node}, {random_work}, {out_of_memory})
