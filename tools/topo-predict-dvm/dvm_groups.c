/* Reduction groups and groups of shadow edges: what is put into them (docs/REFERENCES.md, Predictor 6). */
#include "topo-predict-dvm/dvm_model_parts.h"

bool topo_dvm_crtrg(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    return topo_dvm_model_returned(model, call, TOPO_DVM_GROUP, "RedGroupRef") != NULL;
}

/* RedArrayType 1..4: int, long, float, double; `long` had 4 bytes when Lib-DVM was made, it has 8 here. */
bool topo_dvm_crtred(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    static const int element[] = {sizeof(int), sizeof(long), sizeof(float), sizeof(double)};
    struct topo_dvm_object *object;
    long type, length, extra;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "RedArrayType", 10, &type) ||
        !topo_dvm_model_number(model, call, TOPO_DVM_IN, "RedArrayLength", 10, &length) ||
        !topo_dvm_model_number(model, call, TOPO_DVM_IN, "LocElmLength", 10, &extra))
        return false;
    if (type < 1 || type > 4)
        return topo_dvm_model_error(model, call, "RedArrayType=%ld; allowed: 1..4", type);
    if (length < 0 || length > TOPO_DVM_NUMBER_MAX || extra < 0 || extra > 1 << 20)
        return topo_dvm_model_error(model, call, "RedArrayLength=%ld LocElmLength=%ld; allowed: 0 and more", length,
                                    extra);
    object = topo_dvm_model_returned(model, call, TOPO_DVM_REDVAR, "RedRef");
    if (!object)
        return false;
    object->bytes = (int64_t)length * (element[type - 1] + extra);
    return true;
}

bool topo_dvm_insred(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, TOPO_DVM_GROUP, "RedGroupRef");
    struct topo_dvm_object *variable = group ? topo_dvm_model_object(model, call, TOPO_DVM_REDVAR, "RedRef") : NULL;
    return variable && !__builtin_add_overflow(group->bytes, variable->bytes, &group->bytes);
}

bool topo_dvm_crtshg(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *object = topo_dvm_model_returned(model, call, TOPO_DVM_EDGES, "ShadowGroupRef");
    if (!object)
        return false;
    if (topo_dvm_traffic_new(&model->machine, &object->traffic) != TOPO_OK)
        model->out_of_memory = true;
    return !model->out_of_memory;
}

bool topo_dvm_inssh(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_object *group = topo_dvm_model_object(model, call, TOPO_DVM_EDGES, "ShadowGroupRef");
    struct topo_dvm_object *object =
        group ? topo_dvm_model_object(model, call, TOPO_DVM_ARRAY, "ArrayHandlePtr") : NULL;
    long low[TOPO_DVM_DIMENSIONS_MAX], high[TOPO_DVM_DIMENSIONS_MAX], full;
    struct topo_error error;
    if (!object || !topo_dvm_model_numbers(model, call, "LowShdWidthArray", object->array.dimensions, low) ||
        !topo_dvm_model_numbers(model, call, "HiShdWidthArray", object->array.dimensions, high) ||
        !topo_dvm_model_number(model, call, TOPO_DVM_IN, "FullShdSign", 10, &full))
        return false;
    if (!object->array.view || !object->array.view->grid)
        return topo_dvm_model_error(model, call, "the array is not aligned");
    for (int k = 0; k < object->array.dimensions; k++) {
        if (low[k] == -1)
            low[k] = object->array.low_shadow[k];
        if (high[k] == -1)
            high[k] = object->array.high_shadow[k];
        if (low[k] < 0 || high[k] < 0)
            return topo_dvm_model_error(model, call, "a shadow edge of dimension %d has a negative width", k + 1);
    }
    if (topo_dvm_move_edges(&group->traffic, &object->array, low, high, full == 1, &error) != TOPO_OK)
        return topo_dvm_model_error(model, call, "%s", error.text);
    return true;
}
