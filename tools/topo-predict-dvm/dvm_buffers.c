/* Buffers of remote elements, alone and in groups (docs/REFERENCES.md, Predictor 9): their loading is started like a
 * reduction, goes on beside the program and is waited for (Predictor 6). What a load moves is settled when the buffer
 * is made. */
#include <string.h>

#include "topo-predict-dvm/dvm_model_parts.h"

static bool no_memory(struct topo_dvm_model *model, enum topo_status status)
{
    if (status == TOPO_NOMEM)
        model->out_of_memory = true;
    return model->out_of_memory;
}

static struct topo_dvm_object *remote_array(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, "RemArrayHandlePtr");
    if (!object || (object->array.view && object->array.view->grid))
        return object;
    topo_dvm_model_error(model, call, "the remote array is not aligned");
    return NULL;
}

/* A buffer that moves nothing yet, under the address of its header. */
static struct topo_dvm_object *new_buffer(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long handle;
    struct topo_dvm_object *buffer;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "BufferHeader", 16, &handle))
        return NULL;
    buffer = topo_dvm_model_create(model, TOPO_DVM_BUFFER, handle);
    return buffer && !no_memory(model, topo_dvm_traffic_new(&model->machine, &buffer->traffic)) ? buffer : NULL;
}

/* Dimension k of the section that is `constant` alone. */
static bool fix(struct topo_dvm_model *model, const struct topo_dvm_call *call, const struct topo_dvm_array *array,
                int k, __int128 low, __int128 high, struct topo_dvm_box *section)
{
    if (low < 0 || high >= array->size[k])
        return topo_dvm_model_error(model, call, "elements %lld..%lld of dimension %d; allowed: 0..%ld", (long long)low,
                                    (long long)high, k + 1, array->size[k] - 1);
    section->low[k] = (long)low;
    section->high[k] = (long)high;
    return true;
}

static void take_all(const struct topo_dvm_array *array, struct topo_dvm_box *section)
{
    section->dimensions = array->dimensions;
    for (int k = 0; k < array->dimensions; k++) {
        section->low[k] = 0;
        section->high[k] = array->size[k] - 1;
        section->step[k] = 1;
    }
}

/* The rule of dimension k, place a i + b for the loop's i-th iteration along an axis, and what all of them read. */
static bool rule_of_loop(struct topo_dvm_model *model, const struct topo_dvm_call *call,
                         const struct topo_dvm_array *array, int k, struct topo_dvm_align *rule,
                         struct topo_dvm_box *section)
{
    int axis = (int)rule->axis[k] - 1;
    long more = model->loop.space.size[axis] - 1; /* iterations after the first */
    __int128 a = more > 0 ? (__int128)rule->coeff[k] * model->loop.step[axis] : 1;
    __int128 b = (__int128)rule->coeff[k] * model->loop.first[axis] + rule->constant[k], last;
    if (a > TOPO_DVM_NUMBER_MAX || a < -TOPO_DVM_NUMBER_MAX || b > TOPO_DVM_NUMBER_MAX || b < -TOPO_DVM_NUMBER_MAX)
        return topo_dvm_model_error(model, call, "the loop leads beyond index %ld", TOPO_DVM_NUMBER_MAX);
    last = a * more + b;
    if (model->loop.iterations > 0 && !fix(model, call, array, k, a < 0 ? last : b, a < 0 ? b : last, section))
        return false;
    section->step[k] = (long)(a < 0 ? -a : a);
    rule->coeff[k] = (long)a;
    rule->constant[k] = (long)b;
    return true;
}

/* Sections of a remote array for a parallel loop. */
bool topo_dvm_crtrbl(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = remote_array(model, call), *buffer;
    struct topo_dvm_align rule = {.count = object ? object->array.dimensions : 0};
    struct topo_dvm_box section;
    bool linear = false;
    if (!object || !topo_dvm_model_numbers(model, call, "AxisArray", rule.count, rule.axis) ||
        !topo_dvm_model_numbers(model, call, "CoeffArray", rule.count, rule.coeff) ||
        !topo_dvm_model_numbers(model, call, "ConstArray", rule.count, rule.constant))
        return false;
    if (!model->loop.mapped)
        return topo_dvm_model_error(model, call, "no parallel loop was mapped before");
    take_all(&object->array, &section);
    for (int k = 0; k < rule.count; k++) {
        if (rule.axis[k] < 0)
            continue;
        if (!rule.coeff[k]) {
            if (!fix(model, call, &object->array, k, rule.constant[k], rule.constant[k], &section))
                return false;
            continue;
        }
        if (rule.axis[k] < 1 || rule.axis[k] > model->loop.rank)
            return topo_dvm_model_error(model, call, "AxisArray[%d]=%ld; the loop has 1..%d", k, rule.axis[k],
                                        model->loop.rank);
        if (!rule_of_loop(model, call, &object->array, k, &rule, &section))
            return false;
        linear = true;
    }
    buffer = new_buffer(model, call);
    if (!buffer || (linear && !model->loop.iterations))
        return buffer != NULL;
    /* Without a loop variable in its indices the section is the same for all processors. */
    no_memory(model, linear ? topo_dvm_move_reads(&buffer->traffic, &object->array, &model->loop.space, &section, &rule)
                            : topo_dvm_move_copies(&buffer->traffic, &object->array, &section));
    return true;
}

/* A section of a remote array for the processors of a system, outside of loops. */
bool topo_dvm_crtrbp(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = remote_array(model, call), *buffer;
    const struct topo_dvm_grid *readers = object ? topo_dvm_model_grid(model, call) : NULL;
    long coordinate[TOPO_DVM_DIMENSIONS_MAX];
    struct topo_dvm_box section;
    if (!readers || !topo_dvm_model_numbers(model, call, "CoordArray", object->array.dimensions, coordinate))
        return false;
    take_all(&object->array, &section);
    for (int k = 0; k < section.dimensions; k++)
        if (coordinate[k] >= 0 && !fix(model, call, &object->array, k, coordinate[k], coordinate[k], &section))
            return false;
    buffer = new_buffer(model, call);
    if (buffer)
        no_memory(model, topo_dvm_move_copies_to(&buffer->traffic, &object->array, &section, readers));
    return buffer != NULL;
}

bool topo_dvm_crtbg(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group =
        topo_dvm_model_returned(model, call, TOPO_DVM_BUFFER_GROUP, "RegularAccessGroupRef");
    return group && !no_memory(model, topo_dvm_traffic_new(&model->machine, &group->traffic));
}

bool topo_dvm_insrb(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, TOPO_DVM_BUFFER_GROUP, "RegularAccessGroupRef");
    struct topo_dvm_object *buffer = group ? topo_dvm_model_object(model, call, TOPO_DVM_BUFFER, "BufferHeader") : NULL;
    if (buffer)
        topo_dvm_traffic_add(&group->traffic, &buffer->traffic);
    return buffer != NULL;
}

/* RenewSign = 0: what was loaded before is not loaded again. */
static bool load(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_kind kind,
                 const char *name)
{
    struct topo_dvm_object *buffer = topo_dvm_model_object(model, call, kind, name);
    long renew = 1;
    if (!buffer)
        return false;
    if (buffer->loaded && topo_dvm_number(model->trace, call, TOPO_DVM_IN, "RenewSign", 10, &renew) && !renew) {
        topo_dvm_model_main(model, call->call_time * model->power, call->return_time * model->power);
        return true;
    }
    topo_dvm_start(model, call, buffer, TOPO_COMM_REMOTE, topo_transfer_cost(&model->machine, buffer->traffic.bytes));
    buffer->loaded = true;
    return true;
}

static bool wait_for(struct topo_dvm_model *model, const struct topo_dvm_call *call, enum topo_dvm_kind kind,
                     const char *name)
{
    struct topo_dvm_object *buffer = topo_dvm_model_object(model, call, kind, name);
    if (!buffer || buffer->started || !buffer->loaded)
        return buffer && topo_dvm_finish(model, call, kind, name, TOPO_COMM_REMOTE);
    topo_dvm_model_main(model, call->call_time * model->power, call->return_time * model->power);
    return true;
}

bool topo_dvm_loadrb(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return load(model, call, TOPO_DVM_BUFFER, "BufferHeader");
}

bool topo_dvm_waitrb(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return wait_for(model, call, TOPO_DVM_BUFFER, "BufferHeader");
}

bool topo_dvm_loadbg(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return load(model, call, TOPO_DVM_BUFFER_GROUP, "RegularAccessGroupRef");
}

bool topo_dvm_waitbg(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return wait_for(model, call, TOPO_DVM_BUFFER_GROUP, "RegularAccessGroupRef");
}
