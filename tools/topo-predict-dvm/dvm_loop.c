/* Parallel loops: iterations are divided like the elements they are mapped to (docs/REFERENCES.md, Predictor 6). */
#include <string.h>

#include "base/memory.h"
#include "topo-predict-dvm/dvm_model_parts.h"

void topo_dvm_model_drop_shares(struct topo_dvm_model *model)
{
    topo_free(model->loop.count);
    topo_free(model->loop.equal);
    model->loop.count = NULL;
    model->loop.equal = NULL;
}

bool topo_dvm_crtpl(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    long rank;
    model->loop.created = model->loop.mapped = false;
    if (!topo_dvm_model_number(model, call, TOPO_DVM_IN, "Rank", 10, &rank))
        return false;
    if (rank < 1 || rank > TOPO_DVM_DIMENSIONS_MAX)
        return topo_dvm_model_error(model, call, "Rank=%ld; allowed: 1..%d", rank, TOPO_DVM_DIMENSIONS_MAX);
    model->loop.rank = (int)rank;
    model->loop.created = true;
    return true;
}

/* Loop variable i = first + step k, so place a i + b is (a step) k + (a first + b):
 * the loop becomes an array of its iteration numbers k. */
bool topo_dvm_mappl(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    struct topo_dvm_array space = {.dimensions = model->loop.rank, .type_size = 1};
    struct topo_dvm_pattern pattern;
    long first[TOPO_DVM_DIMENSIONS_MAX], last[TOPO_DVM_DIMENSIONS_MAX], step[TOPO_DVM_DIMENSIONS_MAX];
    bool empty = false;
    model->loop.mapped = false;
    topo_dvm_model_drop_shares(model);
    if (!model->loop.created)
        return topo_dvm_model_error(model, call, "no parallel loop was created before");
    if (!topo_dvm_model_pattern(model, call, &pattern) ||
        !topo_dvm_model_numbers(model, call, "InInitIndexArray", space.dimensions, first) ||
        !topo_dvm_model_numbers(model, call, "InLastIndexArray", space.dimensions, last) ||
        !topo_dvm_model_numbers(model, call, "InStepArray", space.dimensions, step))
        return false;
    for (int k = 0; k < space.dimensions; k++) {
        __int128 count;
        if (step[k] == 0)
            return topo_dvm_model_error(model, call, "InStepArray[%d]=0", k);
        count = ((__int128)last[k] - first[k]) / step[k] + 1;
        if (step[k] > 0 ? last[k] < first[k] : last[k] > first[k])
            count = 0;
        if (count > TOPO_DVM_NUMBER_MAX || first[k] > TOPO_DVM_NUMBER_MAX || first[k] < -TOPO_DVM_NUMBER_MAX ||
            step[k] > TOPO_DVM_NUMBER_MAX || step[k] < -TOPO_DVM_NUMBER_MAX)
            return topo_dvm_model_error(model, call, "the range of loop dimension %d is too large", k + 1);
        space.size[k] = (long)count;
        empty = empty || count == 0;
    }
    if (!empty && !topo_dvm_sizes_are_sound(space.dimensions, space.size))
        return topo_dvm_model_error(model, call, "more than 2^50 iterations");
    for (int t = 0; t < pattern.align.count; t++) {
        long axis = pattern.align.axis[t], coeff = pattern.align.coeff[t];
        __int128 a, b;
        if (axis <= 0 || axis > space.dimensions || coeff == 0)
            continue;
        a = (__int128)coeff * step[axis - 1];
        b = (__int128)coeff * first[axis - 1] + pattern.align.constant[t];
        if (a > TOPO_DVM_NUMBER_MAX || a < -TOPO_DVM_NUMBER_MAX || b > TOPO_DVM_NUMBER_MAX || b < -TOPO_DVM_NUMBER_MAX)
            return topo_dvm_model_error(model, call, "the mapping leads beyond index %ld", TOPO_DVM_NUMBER_MAX);
        pattern.align.coeff[t] = (long)a;
        pattern.align.constant[t] = (long)b;
    }
    if (!topo_dvm_model_align(model, call, &space, &pattern))
        return false;
    model->loop.space = space;
    memcpy(model->loop.first, first, sizeof first);
    memcpy(model->loop.step, step, sizeof step);
    model->loop.by_view = pattern.view != NULL;
    model->loop.iterations = 1;
    for (int k = 0; k < space.dimensions; k++)
        model->loop.iterations *= space.size[k];
    model->loop.mapped = true;
    return true;
}

static bool same(const struct topo_dvm_box *a, const struct topo_dvm_box *b)
{
    for (int k = 0; k < a->dimensions; k++)
        if (a->low[k] != b->low[k] || a->high[k] != b->high[k])
            return false;
    return true;
}

/* Divides the iterations. */
static bool make_shares(struct topo_dvm_model *model)
{
    const struct topo_dvm_array *space = &model->loop.space;
    int n = space->view->grid->count;
    struct topo_dvm_box *part = topo_alloc((size_t)n, sizeof *part);
    int64_t *count = topo_calloc((size_t)n, sizeof *count);
    int *equal = topo_calloc((size_t)n, sizeof *equal);
    if (!part || !count || !equal) {
        topo_free_all(part, count, equal);
        return false;
    }
    for (int i = 0; i < n; i++)
        count[i] = topo_dvm_local(space, i, &part[i]) ? topo_dvm_volume(&part[i]) : 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n && count[i]; j++)
            equal[i] += count[j] && same(&part[i], &part[j]);
    topo_free(part);
    model->loop.count = count;
    model->loop.equal = equal;
    return true;
}

/* The call time is that of iterations of the traced, undivided loop. */
bool topo_dvm_dopl(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    const struct topo_dvm_grid *grid;
    double seconds = call->call_time * model->power;
    if (!model->loop.mapped)
        return topo_dvm_model_error(model, call, "no parallel loop was mapped before");
    if (model->loop.iterations == 0) {
        topo_dvm_model_main(model, seconds, call->return_time * model->power);
        return true;
    }
    if (!model->loop.count && !make_shares(model)) {
        model->out_of_memory = true;
        return true;
    }
    grid = model->loop.space.view->grid;
    for (int i = 0; i < grid->count; i++) {
        double own = seconds * ((double)model->loop.count[i] / (double)model->loop.iterations);
        int equal = model->loop.equal[i];
        struct topo_times *times;
        if (!equal)
            continue;
        times = topo_dvm_model_times(model, grid->root[i]);
        topo_dvm_model_add(model, grid->root[i], own, &times->cpu);
        times->insufficient_user += own * (equal - 1) / equal;
    }
    topo_dvm_model_main(model, 0, call->return_time * model->power);
    return true;
}

bool topo_dvm_endpl(struct topo_dvm_model *model, const struct topo_dvm_call *call)
{
    (void)call;
    /* The mapping stays: a reduction is started after the loop. */
    model->loop.created = false;
    return true;
}
