/* Processor systems, abstract machines, templates and arrays of a DVM program
 * (docs/REFERENCES.md, Predictor 6 and 9). */
#include <string.h>

#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

/* A rank of 1..8 and that many sizes. */
static bool read_sizes(struct topo_dvm_model *model, const struct topo_dvm_call *call, int *dimensions, long *size)
{
    long rank;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "Rank", 10, &rank))
        return false;
    if (rank < 1 || rank > TOPO_DVM_DIMENSIONS_MAX)
        return topo_dvm_model_error(model, call, "Rank=%ld; allowed: 1..%d", rank, TOPO_DVM_DIMENSIONS_MAX);
    if (!topo_dvm_model_numbers(model, call, "SizeArray", (int)rank, size))
        return false;
    if (!topo_dvm_sizes_are_sound((int)rank, size))
        return topo_dvm_model_error(model, call, "sizes must be at least 1 and their product at most 2^50");
    *dimensions = (int)rank;
    return true;
}

/* Both remember the system that is current now under the handle that the call returns. */
static bool remember_current(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_kind kind,
                             const char *name, const struct topo_dvm_grid *grid)
{
    long handle;
    struct topo_dvm_object *object;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_OUT, name, 16, &handle))
        return false;
    object = topo_dvm_model_find(model, kind, handle);
    if (object) /* asked before */
        return true;
    object = topo_dvm_model_create(model, kind, handle);
    if (object)
        object->mapped = grid;
    return object != NULL;
}

bool topo_dvm_getam(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return remember_current(model, call, TOPO_DVM_AM, "AMRef", model->current);
}

bool topo_dvm_getps(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long handle;
    struct topo_dvm_object *machine = NULL;
    if (topo_dvm_number(model->trace, call, TOPO_DVM_IN, "AMRef", 16, &handle) && handle != 0)
        machine = topo_dvm_model_find(model, TOPO_DVM_AM, handle);
    return remember_current(model, call, TOPO_DVM_GRID, "PSRef",
                            machine && machine->mapped ? machine->mapped : model->current);
}

/* A grid of this shape under the handle that the call returns. */
static struct topo_dvm_grid *new_grid(struct topo_dvm_model *model, const struct topo_dvm_call *call, int dimensions,
                                      const int *size)
{
    struct topo_dvm_object *object = topo_dvm_model_returned(model, call, TOPO_DVM_GRID, "PSRef");
    int count = 1;
    for (int d = 0; d < dimensions; d++)
        count *= size[d];
    if (!object)
        return NULL;
    object->grid.dimensions = dimensions;
    memcpy(object->grid.size, size, sizeof *size * (size_t)dimensions);
    object->grid.count = count;
    object->grid.root = topo_alloc((size_t)count, sizeof *object->grid.root);
    if (object->grid.root)
        return &object->grid;
    model->out_of_memory = true;
    return NULL;
}

/* A box of the parent's processors. */
bool topo_dvm_crtps(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_grid *parent = topo_dvm_model_grid(model, call), *grid;
    long first[TOPO_DVM_DIMENSIONS_MAX], last[TOPO_DVM_DIMENSIONS_MAX];
    int size[TOPO_DVM_DIMENSIONS_MAX];
    if (!parent || !topo_dvm_model_numbers(model, call, "InitIndexArray", parent->dimensions, first) ||
        !topo_dvm_model_numbers(model, call, "LastIndexArray", parent->dimensions, last))
        return false;
    for (int d = 0; d < parent->dimensions; d++) {
        if (first[d] < 0 || last[d] < first[d] || last[d] >= parent->size[d])
            return topo_dvm_model_error(model, call, "processors %ld..%ld along dimension %d; the machine has 0..%d",
                                        first[d], last[d], d + 1, parent->size[d] - 1);
        size[d] = (int)(last[d] - first[d] + 1);
    }
    grid = new_grid(model, call, parent->dimensions, size);
    if (!grid)
        return false;
    for (int i = 0; i < grid->count; i++) {
        int coordinate[TOPO_DVM_DIMENSIONS_MAX];
        topo_dvm_coordinates(grid, i, coordinate);
        for (int d = 0; d < parent->dimensions; d++)
            coordinate[d] += (int)first[d];
        grid->root[i] = parent->root[topo_dvm_index(parent, coordinate)];
    }
    return true;
}

/* The parent's processors in another shape. */
bool topo_dvm_psview(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_grid *parent = topo_dvm_model_grid(model, call), *grid;
    long given[TOPO_DVM_DIMENSIONS_MAX];
    int dimensions, size[TOPO_DVM_DIMENSIONS_MAX];
    int64_t count = 1;
    if (!parent || !read_sizes(model, call, &dimensions, given))
        return false;
    for (int d = 0; d < dimensions; d++) {
        count *= given[d];
        size[d] = (int)given[d];
    }
    if (count > parent->count)
        return topo_dvm_model_error(model, call, "a view of %lld processors; the machine has %d", (long long)count,
                                    parent->count);
    grid = new_grid(model, call, dimensions, size);
    if (grid)
        memcpy(grid->root, parent->root, sizeof *grid->root * (size_t)grid->count);
    return grid != NULL;
}

bool topo_dvm_getamr(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return remember_current(model, call, TOPO_DVM_AM, "AMRef", NULL);
}

bool topo_dvm_mapam(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *machine = topo_dvm_model_object(model, call, TOPO_DVM_AM, "AMRef");
    struct topo_dvm_grid *grid = machine ? topo_dvm_model_grid(model, call) : NULL;
    if (grid)
        machine->mapped = grid;
    return grid != NULL;
}

bool topo_dvm_crtamv(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_view view = {0};
    struct topo_dvm_object *object = read_sizes(model, call, &view.dimensions, view.size)
                                         ? topo_dvm_model_returned(model, call, TOPO_DVM_VIEW, "AMViewRef")
                                         : NULL;
    if (object)
        object->view = view;
    return object != NULL;
}

#define DELETES(name, kind, parameter) \
    bool topo_dvm_##name(struct topo_dvm_model *model, const struct topo_dvm_call *call) \
    { \
        struct topo_dvm_object *object = topo_dvm_model_object(model, call, kind, parameter); \
        if (object) \
            topo_dvm_model_delete(model, object); \
        return object != NULL; \
    }
DELETES(delamv, TOPO_DVM_VIEW, "AMViewRef")
DELETES(delda, TOPO_DVM_ARRAY, "ArrayHandlePtr")
DELETES(delred, TOPO_DVM_REDVAR, "RedRef")
DELETES(delrg, TOPO_DVM_GROUP, "RedGroupRef")
DELETES(delshg, TOPO_DVM_EDGES, "ShadowGroupRef")
DELETES(delrb, TOPO_DVM_BUFFER, "BufferHeader")
DELETES(delbg, TOPO_DVM_BUFFER_GROUP, "RegularAccessGroupRef")

/* Deletes an object of any kind. */
bool topo_dvm_delobj(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    static const enum topo_dvm_kind kinds[] = {TOPO_DVM_VIEW,  TOPO_DVM_ARRAY, TOPO_DVM_REDVAR,
                                               TOPO_DVM_GROUP, TOPO_DVM_EDGES, TOPO_DVM_BUFFER_GROUP};
    long handle;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "ObjectRef", 16, &handle))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct topo_dvm_object *object = topo_dvm_model_find(model, kinds[i], handle);
        if (object)
            topo_dvm_model_delete(model, object);
    }
    return true;
}

bool topo_dvm_crtda(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_array array = {0};
    struct topo_dvm_object *object;
    if (!read_sizes(model, call, &array.dimensions, array.size) ||
        !topo_dvm_model_number(model, call, TOPO_DVM_IN, "TypeSize", 10, &array.type_size))
        return false;
    if (array.type_size < 1 || array.type_size > 1 << 20)
        return topo_dvm_model_error(model, call, "TypeSize=%ld; allowed: 1..%d", array.type_size, 1 << 20);
    /* Optional: the widths that inssh_ means by -1. */
    (void)topo_dvm_numbers(model->trace, call, "LowShdWidthArray", array.dimensions, array.low_shadow);
    (void)topo_dvm_numbers(model->trace, call, "HiShdWidthArray", array.dimensions, array.high_shadow);
    object = topo_dvm_model_returned(model, call, TOPO_DVM_ARRAY, "ArrayHandlePtr");
    if (object)
        object->array = array;
    return object != NULL;
}

bool topo_dvm_distr(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = topo_dvm_model_object(model, call, TOPO_DVM_VIEW, "AMViewRef");
    struct topo_dvm_grid *grid = object ? topo_dvm_model_grid(model, call) : NULL;
    return grid && topo_dvm_model_distribute(model, call, &object->view, grid);
}

bool topo_dvm_align(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, "ArrayHandlePtr");
    struct topo_dvm_pattern pattern;
    return object && topo_dvm_model_pattern(model, call, &pattern) &&
           topo_dvm_model_align(model, call, &object->array, &pattern);
}
