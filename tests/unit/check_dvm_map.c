/* Sections and transfer matrices against counting element by element. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "predict/dvm/dvm_map.h"
#include "predict/dvm/dvm_moves.h"

static unsigned random_state;
static int below(int bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)bound);
}

static int numbers[64];
static struct topo_dvm_grid grid;
static struct topo_transfer_machine machine;

static void random_grid(void)
{
    grid = (struct topo_dvm_grid){.dimensions = 1 + below(2), .count = 1, .root = numbers};
    machine = (struct topo_transfer_machine){.dimensions = grid.dimensions, .start = 1};
    for (int d = 0; d < grid.dimensions; d++) {
        machine.size[d] = grid.size[d] = 1 + below(4);
        grid.count *= grid.size[d];
    }
    for (int p = 0; p < grid.count; p++)
        numbers[p] = p;
}

static void random_view(struct topo_dvm_view *view)
{
    long axes[2] = {0, 0};
    *view = (struct topo_dvm_view){.dimensions = 1 + below(2)};
    for (int t = 0; t < view->dimensions; t++)
        view->size[t] = 1 + below(12);
    for (int d = 0; d < grid.dimensions; d++) {
        axes[d] = below(view->dimensions + 1);
        if (d && axes[d] == axes[0])
            axes[d] = 0;
    }
    ck_assert(topo_dvm_distribute(view, &grid, grid.dimensions, axes, NULL) == TOPO_OK);
}

/* An alignment of two-dimensional arrays that stays inside the pattern where it is linear. */
static void random_align(int dimensions, struct topo_dvm_align *align)
{
    align->count = dimensions;
    for (int t = 0; t < dimensions; t++) {
        align->axis[t] = below(4) - 1;
        if (align->axis[t] > 0 && t && align->axis[t] == align->axis[0])
            align->axis[t] = -1;
        align->coeff[t] = below(5) - 2;
        align->constant[t] = below(8);
    }
}

static bool inside(const struct topo_dvm_box *box, const long *index)
{
    for (int k = 0; k < box->dimensions; k++)
        if (index[k] < box->low[k] || index[k] > box->high[k])
            return false;
    return true;
}

/* Straight from the definition: does processor p hold element (i, j) of the array? */
static bool holds(const struct topo_dvm_array *array, int p, const long *index)
{
    int coordinate[8];
    topo_dvm_coordinates(&grid, p, coordinate);
    for (int d = 0; d < grid.dimensions; d++) {
        int t = array->view->axis[d];
        long size, block;
        bool any = false;
        const struct topo_dvm_rule *rule;
        if (t < 0)
            continue;
        size = array->view->size[t];
        block = (size + grid.size[d] - 1) / grid.size[d];
        rule = &array->rule[t];
        for (long place = coordinate[d] * block; place < size && place < (coordinate[d] + 1) * block; place++)
            switch (rule->placing) {
            case TOPO_DVM_EVERYWHERE: any = true; break;
            case TOPO_DVM_CONSTANT: any = any || place == rule->b; break;
            case TOPO_DVM_LINEAR: any = any || place == rule->a * index[rule->dimension] + rule->b; break;
            case TOPO_DVM_BOUNDED:
                for (long j = 0; j < rule->bound; j++)
                    any = any || place == rule->a * j + rule->b;
                break;
            }
        if (!any)
            return false;
    }
    return true;
}

static void random_array(struct topo_dvm_array *array, const struct topo_dvm_view *view,
                         const struct topo_dvm_array *pattern)
{
    struct topo_dvm_align align;
    *array = (struct topo_dvm_array){.dimensions = 2, .size = {1 + below(6), 1 + below(6)}, .type_size = 4};
    random_align(pattern ? pattern->dimensions : view->dimensions, &align);
    ck_assert((pattern ? topo_dvm_align_array(array, pattern, &align, NULL)
                       : topo_dvm_align_view(array, view, &align, NULL)) == TOPO_OK);
}

START_TEST(parts_are_what_the_definition_says)
{
    random_state = 100 + (unsigned)_i;
    for (int round = 0; round < 40; round++) {
        struct topo_dvm_view view;
        struct topo_dvm_array array, aligned;
        random_grid();
        random_view(&view);
        random_array(&array, &view, NULL);
        random_array(&aligned, NULL, &array);
        for (int which = 0; which < 2; which++) {
            const struct topo_dvm_array *one = which ? &aligned : &array;
            for (int p = 0; p < grid.count; p++) {
                struct topo_dvm_box box;
                bool any = topo_dvm_local(one, p, &box);
                for (long i = 0; i < one->size[0]; i++)
                    for (long j = 0; j < one->size[1]; j++) {
                        long index[2] = {i, j};
                        ck_assert_msg((any && inside(&box, index)) == holds(one, p, index),
                                      "round %d: processor %d and element %ld,%ld of array %d", round, p, i, j, which);
                    }
            }
        }
    }
}
END_TEST

/* Who gets what: each processor receives exactly the elements it needs and has not, each from a nearest holder. */
START_TEST(moves_carry_what_is_missing)
{
    random_state = 900 + (unsigned)_i;
    for (int round = 0; round < 30; round++) {
        struct topo_dvm_view view, other;
        struct topo_dvm_array before, after;
        struct topo_dvm_moves moves;
        random_grid();
        random_view(&view);
        random_view(&other);
        random_array(&before, &view, NULL);
        random_array(&after, &other, NULL);
        memcpy(after.size, before.size, sizeof after.size);
        ck_assert(topo_dvm_moves_new(&machine, &moves) == TOPO_OK);
        ck_assert(topo_dvm_move_array(&moves, &before, &after) == TOPO_OK);
        int64_t *expected = calloc(64 * 64, sizeof *expected);
        for (int q = 0; q < grid.count; q++)
            for (long i = 0; i < before.size[0]; i++)
                for (long j = 0; j < before.size[1]; j++) {
                    long index[2] = {i, j};
                    int best = -1;
                    if (!holds(&after, q, index) || holds(&before, q, index))
                        continue;
                    for (int p = 0; p < grid.count; p++)
                        if (holds(&before, p, index) && (best < 0 || topo_transfer_distance(&machine, p, q) <
                                                                         topo_transfer_distance(&machine, best, q)))
                            best = p;
                    if (best >= 0)
                        expected[best * grid.count + q] += before.type_size;
                }
        for (int i = 0; i < grid.count * grid.count; i++)
            ck_assert_msg(moves.bytes[i] == expected[i], "round %d: %d sends %lld bytes to %d, counted %lld", round,
                          i / grid.count, (long long)moves.bytes[i], i % grid.count, (long long)expected[i]);
        free(expected);
        topo_dvm_moves_free(&moves);
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
        struct topo_dvm_moves moves;
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
        ck_assert(topo_dvm_moves_new(&machine, &moves) == TOPO_OK);
        ck_assert(topo_dvm_move_edges(&moves, &array, low, high, corners, NULL) == TOPO_OK);
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
            ck_assert_msg(moves.bytes[i] == expected[i], "round %d: %d sends %lld bytes to %d, counted %lld", round,
                          i / grid.count, (long long)moves.bytes[i], i % grid.count, (long long)expected[i]);
        topo_dvm_moves_free(&moves);
    }
}
END_TEST

START_TEST(what_is_refused)
{
    struct topo_dvm_view view = {.dimensions = 1, .size = {8}};
    struct topo_dvm_array array = {.dimensions = 1, .size = {8}, .type_size = 8};
    struct topo_dvm_align align = {.count = 1, .axis = {2}, .coeff = {1}};
    struct topo_dvm_moves moves;
    struct topo_error error = {""};
    long axes[3] = {2, 0, 0}, wide[1] = {3}, none[1] = {0};
    grid = (struct topo_dvm_grid){.dimensions = 1, .size = {4}, .count = 4, .root = numbers};
    machine = (struct topo_transfer_machine){.dimensions = 1, .size = {4}};
    ck_assert(topo_dvm_distribute(&view, &grid, 1, axes, &error) == TOPO_INVALID);
    ck_assert_str_eq(error.text, "AxisArray[0]=2; allowed: 0..1");
    ck_assert(topo_dvm_distribute(&view, &grid, 2, axes, &error) == TOPO_INVALID);
    axes[0] = 1;
    ck_assert(topo_dvm_distribute(&view, &grid, 1, axes, &error) == TOPO_OK);
    ck_assert(topo_dvm_align_view(&array, &view, &align, &error) == TOPO_INVALID);
    ck_assert_str_eq(error.text, "AxisArray[0]=2; allowed: up to 1");
    align.axis[0] = 1;
    align.coeff[0] = TOPO_DVM_NUMBER_MAX;
    align.constant[0] = TOPO_DVM_NUMBER_MAX;
    ck_assert(topo_dvm_align_view(&array, &view, &align, &error) == TOPO_OK);
    struct topo_dvm_array second = array;
    ck_assert_msg(topo_dvm_align_array(&second, &array, &align, &error) == TOPO_INVALID,
                  "the composed rule is too large");
    align.coeff[0] = 1;
    align.constant[0] = 0;
    ck_assert(topo_dvm_align_view(&array, &view, &align, &error) == TOPO_OK);
    ck_assert(topo_dvm_moves_new(&machine, &moves) == TOPO_OK);
    ck_assert(topo_dvm_move_edges(&moves, &array, wide, none, false, &error) == TOPO_INVALID);
    ck_assert_msg(strstr(error.text, "a shadow edge of 3 elements along dimension 1, but a part of the array has 2"),
                  "%s", error.text);
    topo_dvm_moves_free(&moves);
}
END_TEST

UNIT_MAIN("dvm_map", {parts_are_what_the_definition_says, 10}, {moves_carry_what_is_missing, 10},
          {edges_fill_the_shadows, 10}, {what_is_refused})
