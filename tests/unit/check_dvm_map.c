/* Sections against counting element by element. */
#include "dvm_arrays.h"

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

START_TEST(what_is_refused)
{
    struct topo_dvm_view view = {.dimensions = 1, .size = {8}};
    struct topo_dvm_array array = {.dimensions = 1, .size = {8}, .type_size = 8};
    struct topo_dvm_align align = {.count = 1, .axis = {2}, .coeff = {1}};
    struct topo_error error = {""};
    long axes[3] = {2, 0, 0};
    grid = (struct topo_dvm_grid){.dimensions = 1, .size = {4}, .count = 4, .root = numbers};
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
}
END_TEST

UNIT_MAIN("dvm_map", {parts_are_what_the_definition_says, 10}, {what_is_refused})
