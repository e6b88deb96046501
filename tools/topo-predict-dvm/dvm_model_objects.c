/* The objects of a DVM program by their handles, and the parameters of calls that refer to them. */
#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

struct topo_dvm_object *topo_dvm_model_find(struct topo_dvm_model *model, enum topo_dvm_kind kind, long handle)
{
    for (struct topo_dvm_object *object = model->objects; object; object = object->next)
        if (object->kind == kind && object->handle == handle)
            return object;
    return NULL;
}

/* Nothing may point to what goes away. */
static void forget(struct topo_dvm_model *model, const struct topo_dvm_object *gone)
{
    if (model->loop.space.view == &gone->view)
        model->loop.mapped = false;
    for (struct topo_dvm_object *object = model->objects; object; object = object->next) {
        if (object->array.view == &gone->view)
            object->array.view = NULL;
    }
}

void topo_dvm_model_delete(struct topo_dvm_model *model, struct topo_dvm_object *gone)
{
    struct topo_dvm_object **link = &model->objects;
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    if (gone->kind == TOPO_DVM_VIEW)
        forget(model, gone);
    topo_free(gone->grid.root);
    topo_dvm_traffic_free(&gone->traffic);
    topo_free(gone);
}

struct topo_dvm_object *topo_dvm_model_create(struct topo_dvm_model *model, enum topo_dvm_kind kind, long handle)
{
    struct topo_dvm_object *object = topo_dvm_model_find(model, kind, handle);
    /* Processor systems stay to the end: templates, tasks and the stack point to them. */
    if (object && kind == TOPO_DVM_GRID)
        object->handle = -1;
    else if (object)
        topo_dvm_model_delete(model, object);
    object = topo_calloc(1, sizeof *object);
    if (!object) {
        model->out_of_memory = true;
        return NULL;
    }
    object->kind = kind;
    object->handle = handle;
    object->next = model->objects;
    model->objects = object;
    return object;
}

bool topo_dvm_model_number(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_side side,
                           const char *name, int base, long *value)
{
    const char *text = topo_dvm_text(model->trace, call, side, name);
    if (!text)
        return topo_dvm_model_error(model, call, "no parameter %s", name);
    if (!topo_dvm_number(model->trace, call, side, name, base, value))
        return topo_dvm_model_error(model, call, "%s=%.40s is no number of base %d", name, text, base);
    return true;
}

bool topo_dvm_model_numbers(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *name, int count,
                            long *values)
{
    int found = topo_dvm_numbers(model->trace, call, name, count, values);
    if (found == count)
        return true;
    if (found < 0)
        return topo_dvm_model_error(model, call, "%s has an entry that is no number", name);
    return topo_dvm_model_error(model, call, "no parameter %s[%d]", name, found);
}

struct topo_dvm_object *topo_dvm_model_object(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                                              enum topo_dvm_kind kind, const char *name)
{
    long handle;
    struct topo_dvm_object *object;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, name, 16, &handle))
        return NULL;
    object = topo_dvm_model_find(model, kind, handle);
    if (!object)
        topo_dvm_model_error(model, call, "%s=%lx: no such object was created", name, (unsigned long)handle);
    return object;
}

struct topo_dvm_object *topo_dvm_model_returned(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                                                enum topo_dvm_kind kind, const char *name)
{
    long handle;
    return topo_dvm_model_number(model, call, TOPO_DVM_OUT, name, 16, &handle)
               ? topo_dvm_model_create(model, kind, handle)
               : NULL;
}

/* Blocks of unequal size, or that must be multiples of something. */
static void warn_of_weights(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long parameters[TOPO_DVM_DIMENSIONS_MAX];
    int count = topo_dvm_numbers(model->trace, call, "DistrParamArray", TOPO_DVM_DIMENSIONS_MAX, parameters);
    for (int d = 0; d < count; d++)
        if (parameters[d])
            topo_dvm_model_warn(model, call, "DistrParamArray",
                                "DistrParamArray is not modelled: all blocks are equal but for the last");
}

bool topo_dvm_model_distribute(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                               struct topo_dvm_view *view, const struct topo_dvm_grid *grid)
{
    long count, axes[TOPO_DVM_DIMENSIONS_MAX];
    struct topo_error error;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "ParamCount", 10, &count))
        return false;
    if (count < 0 || count > TOPO_DVM_DIMENSIONS_MAX)
        return topo_dvm_model_error(model, call, "ParamCount=%ld; allowed: 0..%d", count, TOPO_DVM_DIMENSIONS_MAX);
    warn_of_weights(model, call);
    return topo_dvm_model_numbers(model, call, "AxisArray", (int)count, axes) &&
           (topo_dvm_distribute(view, grid, (int)count, axes, &error) == TOPO_OK ||
            topo_dvm_model_error(model, call, "%s", error.text));
}

struct topo_dvm_grid *topo_dvm_model_grid(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long handle;
    struct topo_dvm_object *object;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "PSRef", 16, &handle))
        return NULL;
    if (handle == 0)
        return model->current;
    object = topo_dvm_model_find(model, TOPO_DVM_GRID, handle);
    if (object)
        return object->mapped ? (struct topo_dvm_grid *)object->mapped : &object->grid;
    topo_dvm_model_error(model, call, "PSRef=%lx: no such processor system was created", (unsigned long)handle);
    return NULL;
}

bool topo_dvm_model_pattern(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                            struct topo_dvm_pattern *pattern)
{
    struct topo_dvm_object *object;
    struct topo_dvm_align *align = &pattern->align;
    bool by_view = topo_dvm_text(model->trace, call, TOPO_DVM_IN, "(AMView)") != NULL;
    *pattern = (struct topo_dvm_pattern){0};
    object = topo_dvm_model_object(model, call, by_view ? TOPO_DVM_VIEW : TOPO_DVM_ARRAY, "PatternRef");
    if (!object)
        return false;
    if (by_view)
        pattern->view = &object->view;
    else
        pattern->array = &object->array;
    if (by_view ? !pattern->view->grid : !pattern->array->view || !pattern->array->view->grid)
        return topo_dvm_model_error(model, call, "the pattern is not distributed");
    align->count = by_view ? pattern->view->dimensions : pattern->array->dimensions;
    return topo_dvm_model_numbers(model, call, "AxisArray", align->count, align->axis) &&
           topo_dvm_model_numbers(model, call, "CoeffArray", align->count, align->coeff) &&
           topo_dvm_model_numbers(model, call, "ConstArray", align->count, align->constant);
}

bool topo_dvm_model_align(struct topo_dvm_model *model, const struct topo_dvm_call *call, struct topo_dvm_array *array,
                          const struct topo_dvm_pattern *pattern)
{
    struct topo_error error;
    enum topo_status status = pattern->view ? topo_dvm_align_view(array, pattern->view, &pattern->align, &error)
                                            : topo_dvm_align_array(array, pattern->array, &pattern->align, &error);
    return status == TOPO_OK || topo_dvm_model_error(model, call, "%s", error.text);
}
