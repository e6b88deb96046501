/* Operations in which all processors take part: redistribution, copies,
 * reductions and exchanges of edges (docs/REFERENCES.md, Predictor 6). The call time is
 * computation before the operation (main rule); the return time of the traced
 * processor is replaced by what the operation takes on the machine. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

static void before(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    topo_dvm_model_main(model, call->call_time * model->power, 0);
}

static bool no_memory(struct topo_dvm_model *model, enum topo_status status)
{
    if (status == TOPO_NOMEM)
        model->out_of_memory = true;
    return model->out_of_memory;
}

/* A blocking operation that traffic this; true. */
static bool communicate(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_comm_kind kind,
                        struct topo_dvm_traffic *traffic)
{
    before(model, call);
    topo_dvm_model_communicate(model, kind, 0, topo_transfer_cost(&model->machine, traffic->bytes));
    model->intervals->current->operations[kind]++;
    topo_dvm_traffic_free(traffic);
    return true;
}

/* The template of AMViewRef, or that of the array when the call gives one. */
static struct topo_dvm_object *find_view(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object;
    if (topo_dvm_text(model->trace, call, TOPO_DVM_IN, "AMViewRef"))
        return topo_dvm_model_object(model, call, TOPO_DVM_VIEW, "AMViewRef");
    object = topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, "ArrayHandlePtr");
    for (struct topo_dvm_object *view = model->objects; object && view; view = view->next)
        if (view->kind == TOPO_DVM_VIEW && object->array.view == &view->view)
            return view;
    if (object)
        topo_dvm_model_error(model, call, "the array is not aligned");
    return NULL;
}

/* Every array on the template traffic with it. */
bool topo_dvm_redis(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = find_view(model, call);
    struct topo_dvm_grid *grid = object ? topo_dvm_model_grid(model, call) : NULL;
    long new_sign;
    struct topo_dvm_view old;
    struct topo_dvm_traffic traffic = {0};
    if (!grid || !topo_dvm_model_number(model, call, TOPO_DVM_IN, "NewSign", 10, &new_sign))
        return false;
    old = object->view;
    if (!old.grid)
        return topo_dvm_model_error(model, call, "the template is not distributed");
    if (!topo_dvm_model_distribute(model, call, &object->view, grid))
        return false;
    if (no_memory(model, topo_dvm_traffic_new(&model->machine, &traffic)))
        return false;
    for (struct topo_dvm_object *each = model->objects; each && !new_sign; each = each->next) {
        struct topo_dvm_array was = each->array;
        if (each->kind != TOPO_DVM_ARRAY || each->array.view != &object->view)
            continue;
        was.view = &old;
        no_memory(model, topo_dvm_move_array(&traffic, &was, &each->array));
    }
    topo_dvm_model_drop_shares(model); /* a loop mapped to this template is divided anew */
    return communicate(model, call, TOPO_COMM_REDISTRIBUTION, &traffic);
}

/* With NewSign the array is made anew: a nested crtda_ gives its new handle. */
static void take_new_handle(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                            struct topo_dvm_object *array)
{
    const struct topo_dvm_call *end = model->trace->calls + model->trace->count;
    long handle;
    for (const struct topo_dvm_call *nested = call + 1; nested < end && nested->depth > 0; nested++)
        if (!strcmp(nested->name, "crtda_") &&
            topo_dvm_number(model->trace, nested, TOPO_DVM_OUT, "ArrayHandlePtr", 16, &handle)) {
            struct topo_dvm_object *other = topo_dvm_model_find(model, TOPO_DVM_ARRAY, handle);
            if (other && other != array)
                topo_dvm_model_delete(model, other);
            array->handle = handle;
        }
}

bool topo_dvm_realn(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, "ArrayHandlePtr");
    struct topo_dvm_pattern pattern;
    struct topo_dvm_traffic traffic = {0};
    struct topo_dvm_array was;
    long new_sign;
    if (!object || !topo_dvm_model_number(model, call, TOPO_DVM_IN, "NewSign", 10, &new_sign) ||
        !topo_dvm_model_pattern(model, call, &pattern))
        return false;
    was = object->array;
    if (!topo_dvm_model_align(model, call, &object->array, &pattern) ||
        no_memory(model, topo_dvm_traffic_new(&model->machine, &traffic)))
        return false;
    if (new_sign)
        take_new_handle(model, call, object);
    else if (was.view && was.view->grid)
        no_memory(model, topo_dvm_move_array(&traffic, &was, &object->array));
    return communicate(model, call, TOPO_COMM_REDISTRIBUTION, &traffic);
}

/* One side of arrcpy_: the array and its section; *array NULL: memory that every processor has. */
static bool read_section(struct topo_dvm_model *model, const struct topo_dvm_call *call, const char *side,
                         const struct topo_dvm_array **array, struct topo_dvm_box *box)
{
    char name[40];
    struct topo_dvm_object *object;
    long first[TOPO_DVM_DIMENSIONS_MAX], last[TOPO_DVM_DIMENSIONS_MAX], step[TOPO_DVM_DIMENSIONS_MAX];
    *array = NULL;
    snprintf(name, sizeof name, "%sBufferPtr", side);
    if (topo_dvm_text(model->trace, call, TOPO_DVM_IN, name))
        return true;
    snprintf(name, sizeof name, "%sArrayHandlePtr", side);
    object = topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, name);
    if (!object)
        return false;
    if (!object->array.view || !object->array.view->grid)
        return topo_dvm_model_error(model, call, "the array of %s is not aligned", name);
    box->dimensions = object->array.dimensions;
    const struct {
        const char *name;
        long *values;
    } arrays[] = {{"InitIndexArray", first}, {"LastIndexArray", last}, {"StepArray", step}};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        snprintf(name, sizeof name, "%s%s", side, arrays[i].name);
        if (!topo_dvm_model_numbers(model, call, name, box->dimensions, arrays[i].values))
            return false;
    }
    for (int k = 0; k < box->dimensions; k++) {
        long size = object->array.size[k];
        if (first[k] == -1) { /* all of the dimension */
            first[k] = 0;
            last[k] = size - 1;
            step[k] = 1;
        }
        if (first[k] < 0 || first[k] >= size || last[k] < 0 || last[k] >= size)
            return topo_dvm_model_error(model, call, "%s section %ld..%ld of dimension %d; allowed: 0..%ld", side,
                                        first[k], last[k], k + 1, size - 1);
        if (step[k] < -size || step[k] > size)
            step[k] = size;
        if (step[k] < 0 || first[k] > last[k]) {
            long swap = first[k];
            first[k] = last[k];
            last[k] = swap;
            step[k] = -step[k];
        }
        box->low[k] = first[k];
        box->high[k] = last[k];
        box->step[k] = step[k] > 0 ? step[k] : 1;
    }
    *array = &object->array;
    return true;
}

/* What the copy of arrcpy_ or aarrcp_ traffic; the caller frees the traffic. */
static bool copy_traffic(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                         struct topo_dvm_traffic *traffic)
{
    const struct topo_dvm_array *from, *to;
    struct topo_dvm_box read, write;
    struct topo_error error = {""};
    enum topo_status status = TOPO_OK;
    if (!read_section(model, call, "From", &from, &read) || !read_section(model, call, "To", &to, &write) ||
        no_memory(model, topo_dvm_traffic_new(&model->machine, traffic)))
        return false;
    if (from && (!to || topo_dvm_is_replicated(to)))
        status = topo_dvm_move_copies(traffic, from, &read);
    else if (from)
        status = topo_dvm_move_section(traffic, from, &read, to, &write, &error);
    if (!no_memory(model, status) && status == TOPO_OK)
        return true;
    topo_dvm_traffic_free(traffic);
    return topo_dvm_model_error(model, call, "%s", model->out_of_memory ? "out of memory" : error.text);
}

bool topo_dvm_arrcpy(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_traffic traffic = {0};
    return copy_traffic(model, call, &traffic) && communicate(model, call, TOPO_COMM_REMOTE, &traffic);
}

void topo_dvm_start(struct topo_dvm_model *model, const struct topo_dvm_call *call, struct topo_dvm_object *group,
                    enum topo_comm_kind kind, double seconds)
{
    before(model, call);
    group->start = topo_dvm_model_synchronize(model, kind, 0);
    group->end = group->start + seconds;
    group->started = true;
    model->intervals->current->operations[kind]++;
}

bool topo_dvm_finish(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_kind object_kind,
                     const char *name, enum topo_comm_kind kind)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, object_kind, name);
    if (!group)
        return false;
    if (!group->started)
        return topo_dvm_model_error(model, call, "%s=%lx was not started", name, (unsigned long)group->handle);
    before(model, call);
    topo_dvm_model_wait(model, kind, group->start, group->end);
    group->started = false;
    return true;
}

/* A copy that goes on until waitcp_ with the same flag. */
bool topo_dvm_aarrcp(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    TOPO_SCOPED_BY(topo_dvm_traffic_free) struct topo_dvm_traffic traffic = {0};
    struct topo_dvm_object *copy;
    long flag;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "CopyFlagPtr", 16, &flag) ||
        !copy_traffic(model, call, &traffic))
        return false;
    copy = topo_dvm_model_create(model, TOPO_DVM_COPY, flag);
    if (copy)
        topo_dvm_start(model, call, copy, TOPO_COMM_REMOTE, topo_transfer_cost(&model->machine, traffic.bytes));
    return copy != NULL;
}

bool topo_dvm_waitcp(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return topo_dvm_finish(model, call, TOPO_DVM_COPY, "CopyFlagPtr", TOPO_COMM_REMOTE);
}

/* Seconds to reduce `bytes` over the processors that have iterations of the loop. */
static double reduction_time(const struct topo_dvm_model *model, int64_t bytes)
{
    const struct topo_dvm_array *space = &model->loop.space;
    const struct topo_dvm_grid *grid = space->view->grid;
    struct topo_transfer_machine machine = model->machine;
    bool divided[TOPO_DVM_DIMENSIONS_MAX] = {false}, any = false;
    int low[TOPO_DVM_DIMENSIONS_MAX], holds[TOPO_DVM_DIMENSIONS_MAX], direction;
    if (topo_dvm_is_replicated(space))
        return 0;
    machine.dimensions = grid->dimensions;
    memcpy(machine.size, grid->size, sizeof machine.size);
    for (int k = 0; k < space->dimensions; k++) {
        int d = topo_dvm_grid_dimension(space, k, &direction);
        if (d >= 0)
            divided[d] = true;
    }
    for (int i = 0; i < grid->count; i++) {
        int coordinate[TOPO_DVM_DIMENSIONS_MAX];
        struct topo_dvm_box part;
        if (!topo_dvm_local(space, i, &part))
            continue;
        topo_dvm_coordinates(grid, i, coordinate);
        for (int d = 0; d < grid->dimensions; d++) {
            if (!any || coordinate[d] < low[d])
                low[d] = coordinate[d];
            if (!any || coordinate[d] > holds[d])
                holds[d] = coordinate[d];
        }
        any = true;
    }
    if (!any)
        return 0;
    for (int d = 0; d < grid->dimensions; d++)
        holds[d] = holds[d] - low[d] + 1;
    return topo_transfer_reduction(&machine, bytes, divided, low, holds);
}

bool topo_dvm_strtrd(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, TOPO_DVM_GROUP, "RedGroupRef");
    if (!group)
        return false;
    if (!model->loop.mapped)
        return topo_dvm_model_error(model, call, "no parallel loop was mapped before");
    if (model->loop.by_view) { /* as DVM Predictor 2000 says, this ends the modelling */
        model->stopped = true;
        return topo_dvm_model_error(model, call,
                                    "the loop is mapped to a template, not to an array; the modelling ends here");
    }
    topo_dvm_start(model, call, group, TOPO_COMM_REDUCTION, reduction_time(model, group->bytes));
    return true;
}

bool topo_dvm_waitrd(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return topo_dvm_finish(model, call, TOPO_DVM_GROUP, "RedGroupRef", TOPO_COMM_REDUCTION);
}

bool topo_dvm_strtsh(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, TOPO_DVM_EDGES, "ShadowGroupRef");
    if (!group)
        return false;
    topo_dvm_start(model, call, group, TOPO_COMM_SHADOW, topo_transfer_cost(&model->machine, group->traffic.bytes));
    return true;
}

bool topo_dvm_waitsh(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return topo_dvm_finish(model, call, TOPO_DVM_EDGES, "ShadowGroupRef", TOPO_COMM_SHADOW);
}
