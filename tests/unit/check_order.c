#include "schedule.h"

#include "schedule/order.h"

static int diagonal(const struct topo_matrix *matrix, int64_t e)
{
    int side = matrix->senders > matrix->receivers ? matrix->senders : matrix->receivers;
    return ((matrix->receiver[e] - matrix->sender[e]) % side + side) % side;
}

START_TEST(by_weight)
{
    for (int seed = 0; seed < SEEDS; seed++) {
        struct topo_matrix *matrix = seeded_matrix((uint64_t)seed);
        int64_t *order = calloc((size_t)matrix->messages + 1, sizeof *order);
        bool *seen = calloc((size_t)matrix->messages + 1, sizeof *seen);
        ck_assert(topo_order_by_weight(matrix, order));
        for (int64_t k = 0; k < matrix->messages; k++) {
            int64_t e = order[k], before = k ? order[k - 1] : e;
            ck_assert(e >= 0 && e < matrix->messages && !seen[e]);
            seen[e] = true;
            if (!k)
                continue;
            ck_assert_msg(matrix->weight[before] >= matrix->weight[e], "seed %d: weights descend", seed);
            if (matrix->weight[before] != matrix->weight[e])
                continue;
            ck_assert_msg(
                diagonal(matrix, before) < diagonal(matrix, e) ||
                    (diagonal(matrix, before) == diagonal(matrix, e) && matrix->sender[before] < matrix->sender[e]),
                "seed %d: equal ones by diagonal, then by sender", seed);
        }
        free(order);
        free(seen);
        topo_matrix_free(matrix);
    }
}
END_TEST

/* The list walked once per step, as sDRC is described; pairs may be there several times. */
START_TEST(first_fit)
{
    enum { MESSAGES = 200 };
    for (int seed = 0; seed < SEEDS; seed++) {
        uint64_t state = (uint64_t)seed;
        int senders = 1 + (int)topo_random_below(&state, 20), receivers = 1 + (int)topo_random_below(&state, 20);
        int count = (int)topo_random_below(&state, MESSAGES), left = count;
        int sender[MESSAGES], receiver[MESSAGES], expected[MESSAGES], step_of[MESSAGES], steps = -1, walked = 0;
        int64_t order[MESSAGES];
        for (int e = 0; e < count; e++) {
            sender[e] = (int)topo_random_below(&state, (uint64_t)senders);
            receiver[e] = (int)topo_random_below(&state, (uint64_t)receivers);
            expected[e] = -1;
            int64_t at = (int64_t)topo_random_below(&state, (uint64_t)e + 1);
            order[e] = order[at];
            order[at] = e;
        }
        for (; left > 0; walked++) {
            bool sends[20] = {false}, receives[20] = {false};
            for (int k = 0; k < count; k++) {
                int64_t e = order[k];
                if (expected[e] >= 0 || sends[sender[e]] || receives[receiver[e]])
                    continue;
                sends[sender[e]] = receives[receiver[e]] = true;
                expected[e] = walked;
                left--;
            }
        }
        struct topo_ends ends = {senders, receivers, count, sender, receiver};
        ck_assert(topo_first_fit(&ends, order, step_of, &steps));
        ck_assert_int_eq(steps, walked);
        for (int e = 0; e < count; e++)
            ck_assert_msg(step_of[e] == expected[e], "seed %d: message %d", seed, e);
    }
}
END_TEST

UNIT_MAIN("order", {by_weight}, {first_fit})
