#include "schedule.h"

#include "schedule/recurrence.h"

static int gcd(int a, int b)
{
    return a ? gcd(b % a, a) : b;
}

START_TEST(finds_what_is_there)
{
    for (int seed = 0; seed < 1500; seed++) {
        int m, n, best = 0;
        bool single = false;
        struct topo_matrix *matrix = seed < 1200 ? repeating_matrix(seed, &m, &n) : seeded_matrix(seed - 1200);
        struct topo_shift found;
        int senders = matrix->senders, receivers = matrix->receivers;
        ck_assert_int_eq(topo_shift_find(matrix, &found, NULL), TOPO_OK);
        ck_assert_msg(topo_shift_holds(matrix, found), "seed %d: (%d, %d) holds", seed, found.m, found.n);
        for (m = 0; m < senders; m++)
            for (n = 0; n < receivers; n++) {
                struct topo_shift shift = {m, n};
                int s = senders / gcd(m, senders), t = receivers / gcd(n, receivers), orbit = s / gcd(s, t) * t;
                bool holds = true;
                if (senders * receivers < 100 || seed % 16 == 0) {
                    for (int cell = 0; holds && cell < senders * receivers; cell++)
                        holds = topo_matrix_at(matrix, cell / receivers, cell % receivers) ==
                                topo_matrix_at(matrix, (cell / receivers + m) % senders,
                                               (cell % receivers + n) % receivers);
                    ck_assert_msg(holds == topo_shift_holds(matrix, shift), "seed %d: does (%d, %d) hold", seed, m, n);
                } else {
                    holds = topo_shift_holds(matrix, shift);
                }
                if (!holds)
                    continue;
                single = single || topo_shift_is_single(matrix, shift);
                best = orbit > best ? orbit : best;
            }
        ck_assert_msg(topo_shift_is_single(matrix, found) == single, "seed %d: algorithm 1 when it is possible", seed);
        int s = senders / gcd(found.m, senders), t = receivers / gcd(found.n, receivers);
        ck_assert_msg(single || s / gcd(s, t) * t == best, "seed %d: (%d, %d) has the longest orbit, %d", seed, found.m,
                      found.n, best);
        topo_matrix_free(matrix);
    }
}
END_TEST

START_TEST(out_of_memory)
{
    int m, n;
    struct topo_matrix *matrix = repeating_matrix(7, &m, &n);
    struct topo_shift shift;
    UNIT_OUT_OF_MEMORY(topo_shift_find(matrix, &shift, NULL));
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("recurrence", {finds_what_is_there}, {out_of_memory})
