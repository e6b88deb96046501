#include "unit.h"

#include "predict/mpi/replay_scale.h"

START_TEST(words)
{
    enum replay_scaling scaling = REPLAY_SCALING_WEAK;
    ck_assert(replay_scaling_find("strong", &scaling) && scaling == REPLAY_SCALING_STRONG);
    ck_assert(replay_scaling_find("weak", &scaling) && scaling == REPLAY_SCALING_WEAK);
    ck_assert(replay_scaling_find("fixed", &scaling) && scaling == REPLAY_SCALING_FIXED);
    ck_assert(!replay_scaling_find("stron", &scaling) && !replay_scaling_find("", &scaling));
    ck_assert_msg(scaling == REPLAY_SCALING_FIXED, "an unknown word changes nothing");
}
END_TEST

/* STRONG keeps the computation and the bytes of all ranks together, WEAK those of a rank. */
START_TEST(what_stays)
{
    for (int from = 1; from <= 12; from++)
        for (int to = 1; to <= 12; to++) {
            struct replay_factors strong = replay_factors_of(REPLAY_SCALING_STRONG, from, to);
            struct replay_factors weak = replay_factors_of(REPLAY_SCALING_WEAK, from, to);
            struct replay_factors fixed = replay_factors_of(REPLAY_SCALING_FIXED, from, to);
            ck_assert_double_eq_tol(strong.work * to, from, 1e-12);
            ck_assert_double_eq_tol(strong.block * to, from, 1e-12);
            ck_assert_double_eq_tol(strong.entry * to * to, (double)from * from, 1e-9);
            ck_assert(weak.work == 1 && weak.block == 1);
            ck_assert_double_eq_tol(weak.entry * to, from, 1e-12);
            ck_assert(fixed.work == 1 && fixed.block == 1 && fixed.entry == 1);
        }
}
END_TEST

/* Ascending, within what was traced, and evenly: no traced rank is played by two more than another. */
START_TEST(sources)
{
    for (int from = 1; from <= 20; from++)
        for (int to = 1; to <= 40; to++) {
            int played[20] = {0}, least = to, most = 0;
            for (int rank = 0; rank < to; rank++) {
                int source = replay_source(rank, from, to);
                ck_assert(source >= 0 && source < from);
                ck_assert(rank == 0 ? source == 0 : source >= replay_source(rank - 1, from, to));
                played[source]++;
            }
            for (int rank = 0; rank < from; rank++) {
                least = played[rank] < least ? played[rank] : least;
                most = played[rank] > most ? played[rank] : most;
            }
            ck_assert_msg(most - least <= 1, "from %d to %d: %d to %d times", from, to, least, most);
        }
    ck_assert_int_eq(replay_source((1 << 20) - 1, 1 << 20, 1 << 20), (1 << 20) - 1);
}
END_TEST

UNIT_MAIN("replay_scale", {words}, {what_stays}, {sources})
