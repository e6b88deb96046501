/* Random distributed arrays, and who holds which element straight from the definition. */
#ifndef TOPO_TESTS_DVM_ARRAYS_H
#define TOPO_TESTS_DVM_ARRAYS_H

#include "unit.h"

#include <string.h>

#include "topo-predict-dvm/dvm_map.h"
#include "topo-predict-dvm/transfer.h"

static unsigned random_state;
static inline int below(int bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (unsigned)bound);
}

static int numbers[64];
static struct topo_dvm_grid grid;
static struct topo_transfer_machine machine;

static inline void random_grid(void)
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

static inline void random_view(struct topo_dvm_view *view)
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
static inline void random_align(int dimensions, struct topo_dvm_align *align)
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

static inline bool inside(const struct topo_dvm_box *box, const long *index)
{
    for (int k = 0; k < box->dimensions; k++)
        if (index[k] < box->low[k] || index[k] > box->high[k])
            return false;
    return true;
}

/* Straight from the definition: does processor p hold element (i, j) of the array? */
static inline bool holds(const struct topo_dvm_array *array, int p, const long *index)
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

static inline void random_array(struct topo_dvm_array *array, const struct topo_dvm_view *view,
                                const struct topo_dvm_array *pattern)
{
    struct topo_dvm_align align;
    *array = (struct topo_dvm_array){.dimensions = 2, .size = {1 + below(6), 1 + below(6)}, .type_size = 4};
    random_align(pattern ? pattern->dimensions : view->dimensions, &align);
    ck_assert((pattern ? topo_dvm_align_array(array, pattern, &align, NULL)
                       : topo_dvm_align_view(array, view, &align, NULL)) == TOPO_OK);
}

#endif
