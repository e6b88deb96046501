/* Transfer matrices against counting element by element. */
#include "dvm_arrays.h"

#include "topo-predict-dvm/dvm_traffic.h"

/* A nearest holder sends the element to q. */
static void expect_from_nearest(const struct topo_dvm_array *array, int q, const long *index, int64_t *expected)
{
    int best = -1;
    for (int p = 0; p < grid.count; p++)
        if (holds(array, p, index) &&
            (best < 0 || topo_transfer_distance(&machine, p, q) < topo_transfer_distance(&machine, best, q)))
            best = p;
    if (best >= 0)
        expected[best * grid.count + q] += array->type_size;
}

/* Frees `expected`. */
static void check_all(const struct topo_dvm_traffic *traffic, int64_t *expected, int round)
{
    for (int i = 0; i < grid.count * grid.count; i++)
        ck_assert_msg(traffic->bytes[i] == expected[i], "round %d: %d sends %lld bytes to %d, counted %lld", round,
                      i / grid.count, (long long)traffic->bytes[i], i % grid.count, (long long)expected[i]);
    free(expected);
}

/* Who gets what: each processor receives exactly the elements it needs and has not, each from a nearest holder. */
START_TEST(moves_carry_what_is_missing)
{
    random_state = 900 + (unsigned)_i;
    for (int round = 0; round < 30; round++) {
        struct topo_dvm_view view, other;
        struct topo_dvm_array before, after;
        struct topo_dvm_traffic traffic;
        random_grid();
        random_view(&view);
        random_view(&other);
        random_array(&before, &view, NULL);
        random_array(&after, &other, NULL);
        memcpy(after.size, before.size, sizeof after.size);
        ck_assert(topo_dvm_traffic_new(&machine, &traffic) == TOPO_OK);
        ck_assert(topo_dvm_move_array(&traffic, &before, &after) == TOPO_OK);
        int64_t *expected = calloc(64 * 64, sizeof *expected);
        for (int q = 0; q < grid.count; q++)
            for (long i = 0; i < before.size[0]; i++)
                for (long j = 0; j < before.size[1]; j++) {
                    long index[2] = {i, j};
                    if (holds(&after, q, index) && !holds(&before, q, index))
                        expect_from_nearest(&before, q, index, expected);
                }
        check_all(&traffic, expected, round);
        topo_dvm_traffic_free(&traffic);
    }
}
END_TEST

/* Whether iteration `at` of a loop reads the element. */
static bool reads(const struct topo_dvm_align *rule, const struct topo_dvm_box *read, const long *at, const long *index)
{
    for (int k = 0; k < 2; k++) {
        bool linear = rule->axis[k] > 0 && rule->coeff[k];
        if (linear ? index[k] != rule->coeff[k] * at[rule->axis[k] - 1] + rule->constant[k]
                   : index[k] < read->low[k] || index[k] > read->high[k])
            return false;
    }
    return true;
}

static bool wants(const struct topo_dvm_array *loop, const struct topo_dvm_align *rule, const struct topo_dvm_box *read,
                  int q, const long *index)
{
    for (long i = 0; i < loop->size[0]; i++)
        for (long j = 0; j < loop->size[1]; j++) {
            long at[2] = {i, j};
            if (holds(loop, q, at) && reads(rule, read, at, index))
                return true;
        }
    return false;
}

/* Buffers: iteration by iteration, each processor gets what its iterations read and it has not, from a nearest holder.
 */
START_TEST(reads_reach_the_iterations)
{
    random_state = 7000 + (unsigned)_i;
    for (int round = 0; round < 20; round++) {
        struct topo_dvm_view view, other;
        struct topo_dvm_array array, loop;
        struct topo_dvm_traffic traffic;
        struct topo_dvm_align rule = {.count = 2};
        struct topo_dvm_box read = {.dimensions = 2, .step = {1, 1}};
        random_grid();
        random_view(&view);
        random_view(&other);
        random_array(&array, &view, NULL);
        random_array(&loop, &other, NULL);
        /* Axes apart; strides 1, 2 and backwards, inside the array where it is long enough. */
        for (int k = 0; k < 2; k++) {
            long last, a = below(4) - 2;
            rule.axis[k] = below(3) ? k + 1 : -1;
            rule.coeff[k] = a;
            read.high[k] = array.size[k] - 1;
            if (rule.axis[k] < 0 || !a)
                continue;
            last = (array.size[k] - 1) / (a < 0 ? -a : a);
            if (loop.size[k] > last + 1)
                loop.size[k] = last + 1;
            rule.constant[k] = a < 0 ? array.size[k] - 1 : 0;
            read.low[k] = a < 0 ? a * (loop.size[k] - 1) + rule.constant[k] : 0;
            read.high[k] = a < 0 ? rule.constant[k] : a * (loop.size[k] - 1);
            read.step[k] = a < 0 ? -a : a;
        }
        ck_assert(topo_dvm_traffic_new(&machine, &traffic) == TOPO_OK);
        ck_assert(topo_dvm_move_reads(&traffic, &array, &loop, &read, &rule) == TOPO_OK);
        int64_t *expected = calloc(64 * 64, sizeof *expected);
        for (int q = 0; q < grid.count; q++)
            for (long i = 0; i < array.size[0]; i++)
                for (long j = 0; j < array.size[1]; j++) {
                    long index[2] = {i, j};
                    if (!holds(&array, q, index) && wants(&loop, &rule, &read, q, index))
                        expect_from_nearest(&array, q, index, expected);
                }
        check_all(&traffic, expected, round);
        topo_dvm_traffic_free(&traffic);
    }
}
END_TEST

/* Edges: element by element, every shadow cell of a part that another processor owns is sent by that one. */
START_TEST(edges_fill_the_shadows)
{
    random_state = 4000 + (unsigned)_i;
    for (int round = 0; round < 30; round++) {
        struct topo_dvm_view view = {.dimensions = 2};
        struct topo_dvm_array array = {.dimensions = 2, .type_size = 8};
        struct topo_dvm_traffic traffic;
        struct topo_dvm_align align = {.count = 2, .axis = {1, 2}, .coeff = {1, 1}};
        long axes[2] = {1, 2}, low[2] = {below(2), below(3)}, high[2] = {below(3), below(2)};
        bool corners = below(2);
        grid = (struct topo_dvm_grid){.dimensions = 2, .size = {1 + below(3), 1 + below(3)}, .root = numbers};
        machine = (struct topo_transfer_machine){.dimensions = 2, .size = {grid.size[0], grid.size[1]}};
        grid.count = grid.size[0] * grid.size[1];
        for (int p = 0; p < grid.count; p++)
            numbers[p] = p;
        for (int d = 0; d < 2; d++)
            array.size[d] = view.size[d] = grid.size[d] * (2 + below(3)); /* whole blocks of 2 and more */
        ck_assert(topo_dvm_distribute(&view, &grid, 2, axes, NULL) == TOPO_OK);
        ck_assert(topo_dvm_align_view(&array, &view, &align, NULL) == TOPO_OK);
        ck_assert(topo_dvm_traffic_new(&machine, &traffic) == TOPO_OK);
        ck_assert(topo_dvm_move_edges(&traffic, &array, low, high, corners, NULL) == TOPO_OK);
        int64_t expected[81] = {0};
        for (int q = 0; q < grid.count; q++) {
            struct topo_dvm_box box;
            ck_assert(topo_dvm_local(&array, q, &box));
            for (long i = box.low[0] - low[0]; i <= box.high[0] + high[0]; i++)
                for (long j = box.low[1] - low[1]; j <= box.high[1] + high[1]; j++) {
                    bool out0 = i < box.low[0] || i > box.high[0], out1 = j < box.low[1] || j > box.high[1];
                    long index[2] = {i, j};
                    if ((!out0 && !out1) || (out0 && out1 && !corners) || i < 0 || j < 0 || i >= array.size[0] ||
                        j >= array.size[1])
                        continue;
                    for (int p = 0; p < grid.count; p++)
                        if (holds(&array, p, index))
                            expected[p * grid.count + q] += 8;
                }
        }
        for (int i = 0; i < grid.count * grid.count; i++)
            ck_assert_msg(traffic.bytes[i] == expected[i], "round %d: %d sends %lld bytes to %d, counted %lld", round,
                          i / grid.count, (long long)traffic.bytes[i], i % grid.count, (long long)expected[i]);
        topo_dvm_traffic_free(&traffic);
    }
}
END_TEST

/* A block array of eight elements on four processors. */
static void block_array(struct topo_dvm_view *view, struct topo_dvm_array *array, struct topo_dvm_traffic *traffic)
{
    static const struct topo_dvm_align align = {.count = 1, .axis = {1}, .coeff = {1}};
    long axes[] = {1};
    *view = (struct topo_dvm_view){.dimensions = 1, .size = {8}};
    *array = (struct topo_dvm_array){.dimensions = 1, .size = {8}, .type_size = 8};
    for (int p = 0; p < 4; p++)
        numbers[p] = p;
    grid = (struct topo_dvm_grid){.dimensions = 1, .size = {4}, .count = 4, .root = numbers};
    machine = (struct topo_transfer_machine){.dimensions = 1, .size = {4}};
    ck_assert(topo_dvm_distribute(view, &grid, 1, axes, NULL) == TOPO_OK);
    ck_assert(topo_dvm_align_view(array, view, &align, NULL) == TOPO_OK);
    ck_assert(topo_dvm_traffic_new(&machine, traffic) == TOPO_OK);
}

START_TEST(wide_shadows)
{
    struct topo_dvm_view view;
    struct topo_dvm_array array;
    struct topo_dvm_traffic traffic;
    struct topo_error error = {""};
    long wide[1] = {3}, none[1] = {0};
    block_array(&view, &array, &traffic);
    ck_assert(topo_dvm_move_edges(&traffic, &array, wide, none, false, &error) == TOPO_INVALID);
    ck_assert_msg(strstr(error.text, "a shadow edge of 3 elements along dimension 1, but a part of the array has 2"),
                  "%s", error.text);
    topo_dvm_traffic_free(&traffic);
}
END_TEST

/* Elements 3..4 are with processors 1 and 2; the others get each from the nearer of those that have it. */
START_TEST(copies)
{
    static const int64_t expected[4][4] = {{0}, {8, 0, 8, 8}, {8, 8, 0, 8}, {0}};
    struct topo_dvm_view view;
    struct topo_dvm_array array;
    struct topo_dvm_traffic traffic;
    struct topo_dvm_box read = {.dimensions = 1, .low = {3}, .high = {4}, .step = {1}};
    block_array(&view, &array, &traffic);
    ck_assert(topo_dvm_move_copies(&traffic, &array, &read) == TOPO_OK);
    for (int p = 0; p < 4; p++)
        for (int q = 0; q < 4; q++)
            ck_assert_msg(traffic.bytes[4 * p + q] == expected[p][q], "%d sends %lld bytes to %d", p,
                          (long long)traffic.bytes[4 * p + q], q);
    topo_dvm_traffic_free(&traffic);
}
END_TEST

/* a[0..3] = a[4..7]: two elements from processor 2 to 0 and two from 3 to 1. */
START_TEST(sections)
{
    struct topo_dvm_view view;
    struct topo_dvm_array array;
    struct topo_dvm_traffic traffic;
    struct topo_dvm_box read = {.dimensions = 1, .low = {4}, .high = {7}, .step = {1}},
                        write = {.dimensions = 1, .low = {0}, .high = {3}, .step = {1}};
    block_array(&view, &array, &traffic);
    ck_assert(topo_dvm_move_section(&traffic, &array, &read, &array, &write, NULL) == TOPO_OK);
    for (int i = 0; i < 16; i++)
        ck_assert_int_eq(traffic.bytes[i], i == 4 * 2 + 0 || i == 4 * 3 + 1 ? 16 : 0);
    write.high[0] = 2;
    ck_assert(topo_dvm_move_section(&traffic, &array, &read, &array, &write, NULL) == TOPO_INVALID);
    topo_dvm_traffic_free(&traffic);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_dvm_view view;
    struct topo_dvm_array array;
    struct topo_dvm_traffic traffic, again;
    struct topo_dvm_box read = {.dimensions = 1, .low = {3}, .high = {4}, .step = {1}};
    struct topo_dvm_align rule = {.count = 1, .axis = {1}, .coeff = {1}};
    block_array(&view, &array, &traffic);
    UNIT_OUT_OF_MEMORY(topo_dvm_traffic_new(&machine, &again));
    topo_dvm_traffic_free(&again);
    UNIT_OUT_OF_MEMORY(topo_dvm_move_copies(&traffic, &array, &read));
    UNIT_OUT_OF_MEMORY(topo_dvm_move_reads(&traffic, &array, &array, &read, &rule));
    topo_dvm_traffic_free(&traffic);
}
END_TEST

UNIT_MAIN("dvm_traffic", {moves_carry_what_is_missing, 10}, {reads_reach_the_iterations, 10},
          {edges_fill_the_shadows, 10}, {wide_shadows}, {copies}, {sections}, {out_of_memory})
