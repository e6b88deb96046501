#include "topo-predict-dvm/dvm_map.h"

void topo_dvm_coordinates(const struct topo_dvm_grid *grid, int index, int *coordinate)
{
    for (int d = grid->dimensions - 1; d >= 0; d--) {
        coordinate[d] = index % grid->size[d];
        index /= grid->size[d];
    }
}

int topo_dvm_index(const struct topo_dvm_grid *grid, const int *coordinate)
{
    int index = 0;
    for (int d = 0; d < grid->dimensions; d++)
        index = index * grid->size[d] + coordinate[d];
    return index;
}

enum topo_status topo_dvm_distribute(struct topo_dvm_view *view, const struct topo_dvm_grid *grid, int count,
                                     const long *axes, struct topo_error *error)
{
    bool used[TOPO_DVM_DIMENSIONS_MAX] = {false};
    if (count > grid->dimensions)
        return topo_fail(error, TOPO_INVALID, "%d distribution rules for %d dimensions of the processor system", count,
                         grid->dimensions);
    for (int d = 0; d < count; d++) {
        if (axes[d] < 0 || axes[d] > view->dimensions)
            return topo_fail(error, TOPO_INVALID, "AxisArray[%d]=%ld; allowed: 0..%d", d, axes[d], view->dimensions);
        if (axes[d] > 0 && used[axes[d] - 1])
            return topo_fail(error, TOPO_INVALID, "AxisArray[%d]=%ld: that axis is distributed already", d, axes[d]);
        if (axes[d] > 0)
            used[axes[d] - 1] = true;
    }
    view->grid = grid;
    for (int d = 0; d < TOPO_DVM_DIMENSIONS_MAX; d++)
        view->axis[d] = d < count ? (int)axes[d] - 1 : -1;
    return TOPO_OK;
}

static enum topo_status check_align(const struct topo_dvm_array *array, int pattern_dimensions,
                                    const struct topo_dvm_align *align, struct topo_error *error)
{
    bool used[TOPO_DVM_DIMENSIONS_MAX] = {false};
    if (align->count != pattern_dimensions)
        return topo_fail(error, TOPO_INVALID, "%d alignment rules for %d dimensions of the pattern", align->count,
                         pattern_dimensions);
    for (int t = 0; t < align->count; t++) {
        if (align->axis[t] > array->dimensions)
            return topo_fail(error, TOPO_INVALID, "AxisArray[%d]=%ld; allowed: up to %d", t, align->axis[t],
                             array->dimensions);
        if (align->axis[t] <= 0 || align->coeff[t] == 0)
            continue;
        if (used[align->axis[t] - 1])
            return topo_fail(error, TOPO_INVALID, "AxisArray[%d]=%ld: that dimension is aligned already", t,
                             align->axis[t]);
        used[align->axis[t] - 1] = true;
    }
    return TOPO_OK;
}

static bool fits(long value)
{
    return value >= -TOPO_DVM_NUMBER_MAX && value <= TOPO_DVM_NUMBER_MAX;
}

/* a x + b, or a number that does not fit when it is out of bounds. */
static long linear(long a, long x, long b)
{
    __int128 value = (__int128)a * x + b;
    return value > TOPO_DVM_NUMBER_MAX || value < -TOPO_DVM_NUMBER_MAX ? TOPO_DVM_NUMBER_MAX + 1 : (long)value;
}

/* The rule of entry t of an alignment to a pattern whose own dimension lies at A j + B, 0 <= j < bound. */
static struct topo_dvm_rule compose(const struct topo_dvm_align *align, int t, long A, long B, long bound)
{
    if (align->axis[t] > 0 && align->coeff[t] != 0)
        return (struct topo_dvm_rule){TOPO_DVM_LINEAR, (int)align->axis[t] - 1, linear(A, align->coeff[t], 0),
                                      linear(A, align->constant[t], B), 0};
    if (align->axis[t] < 0)
        return (struct topo_dvm_rule){TOPO_DVM_BOUNDED, -1, A, B, bound};
    return (struct topo_dvm_rule){TOPO_DVM_CONSTANT, -1, 0, linear(A, align->constant[t], B), 0};
}

static enum topo_status set_rules(struct topo_dvm_array *array, const struct topo_dvm_view *view,
                                  const struct topo_dvm_rule *rule, struct topo_error *error)
{
    for (int t = 0; t < view->dimensions; t++)
        if (!fits(rule[t].a) || !fits(rule[t].b))
            return topo_fail(error, TOPO_INVALID, "the alignment leads beyond index %ld", TOPO_DVM_NUMBER_MAX);
    for (int t = 0; t < view->dimensions; t++)
        array->rule[t] = rule[t];
    array->view = view;
    return TOPO_OK;
}

enum topo_status topo_dvm_align_view(struct topo_dvm_array *array, const struct topo_dvm_view *view,
                                     const struct topo_dvm_align *align, struct topo_error *error)
{
    struct topo_dvm_rule rule[TOPO_DVM_DIMENSIONS_MAX];
    enum topo_status status = check_align(array, view->dimensions, align, error);
    if (status != TOPO_OK)
        return status;
    for (int t = 0; t < view->dimensions; t++) {
        rule[t] = compose(align, t, 1, 0, view->size[t]);
        if (rule[t].placing == TOPO_DVM_BOUNDED) /* over the whole axis */
            rule[t].placing = TOPO_DVM_EVERYWHERE;
    }
    return set_rules(array, view, rule, error);
}

enum topo_status topo_dvm_align_array(struct topo_dvm_array *array, const struct topo_dvm_array *pattern,
                                      const struct topo_dvm_align *align, struct topo_error *error)
{
    struct topo_dvm_rule rule[TOPO_DVM_DIMENSIONS_MAX];
    enum topo_status status;
    if (!pattern->view)
        return topo_fail(error, TOPO_INVALID, "the pattern is not aligned itself");
    status = check_align(array, pattern->dimensions, align, error);
    if (status != TOPO_OK)
        return status;
    for (int t = 0; t < pattern->view->dimensions; t++) {
        const struct topo_dvm_rule *own = &pattern->rule[t];
        rule[t] = *own; /* what is replicated or fixed in the pattern is so in the array */
        if (own->placing == TOPO_DVM_LINEAR)
            rule[t] = compose(align, own->dimension, own->a, own->b, pattern->size[own->dimension]);
    }
    return set_rules(array, pattern->view, rule, error);
}

bool topo_dvm_sizes_are_sound(int dimensions, const long *size)
{
    int64_t product = 1;
    for (int d = 0; d < dimensions; d++) {
        if (size[d] < 1 || size[d] > TOPO_DVM_ELEMENTS_MAX / product)
            return false;
        product *= size[d];
    }
    return dimensions > 0;
}

/* The part of the template's axis that lies on coordinate `coordinate` of the
 * grid's dimension d; false when none does. Blocks of ceil(size / processors). */
static bool view_block(const struct topo_dvm_view *view, int d, int coordinate, long *low, long *high)
{
    long size = view->size[view->axis[d]], block = (size - 1) / view->grid->size[d] + 1;
    *low = coordinate * block;
    *high = *low + block < size ? *low + block - 1 : size - 1;
    return *low <= *high;
}

static long floor_div(long a, long b)
{
    long quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/* The x with low <= a x + b <= high, cut to [*first, *last]; false when none. */
static bool invert(long a, long b, long low, long high, long *first, long *last)
{
    long from = a > 0 ? low - b : high - b, to = a > 0 ? high - b : low - b;
    from = -floor_div(-from, a); /* upwards */
    to = floor_div(to, a);
    if (from > *first)
        *first = from;
    if (to < *last)
        *last = to;
    return *first <= *last;
}

bool topo_dvm_local(const struct topo_dvm_array *array, int index, struct topo_dvm_box *box)
{
    const struct topo_dvm_view *view = array->view;
    int coordinate[TOPO_DVM_DIMENSIONS_MAX];
    topo_dvm_coordinates(view->grid, index, coordinate);
    box->dimensions = array->dimensions;
    for (int k = 0; k < array->dimensions; k++) {
        box->low[k] = 0;
        box->high[k] = array->size[k] - 1;
        box->step[k] = 1;
        if (array->size[k] < 1)
            return false;
    }
    for (int d = 0; d < view->grid->dimensions; d++) {
        long low, high, first = 0, last;
        const struct topo_dvm_rule *rule;
        if (view->axis[d] < 0)
            continue;
        if (!view_block(view, d, coordinate[d], &low, &high))
            return false;
        rule = &array->rule[view->axis[d]];
        switch (rule->placing) {
        case TOPO_DVM_EVERYWHERE: break;
        case TOPO_DVM_CONSTANT:
            if (rule->b < low || rule->b > high)
                return false;
            break;
        case TOPO_DVM_BOUNDED:
            last = rule->bound - 1;
            if (!invert(rule->a, rule->b, low, high, &first, &last))
                return false;
            break;
        case TOPO_DVM_LINEAR:
            if (!invert(rule->a, rule->b, low, high, &box->low[rule->dimension], &box->high[rule->dimension]))
                return false;
            break;
        }
    }
    return true;
}

bool topo_dvm_is_replicated(const struct topo_dvm_array *array)
{
    for (int d = 0; d < array->view->grid->dimensions; d++) {
        int t = array->view->axis[d];
        if (t >= 0 && array->rule[t].placing != TOPO_DVM_EVERYWHERE)
            return false;
    }
    return true;
}

int topo_dvm_grid_dimension(const struct topo_dvm_array *array, int k, int *direction)
{
    for (int d = 0; d < array->view->grid->dimensions; d++) {
        int t = array->view->axis[d];
        if (t >= 0 && array->rule[t].placing == TOPO_DVM_LINEAR && array->rule[t].dimension == k) {
            *direction = array->rule[t].a > 0 ? 1 : -1;
            return d;
        }
    }
    return -1;
}

bool topo_dvm_intersect(const struct topo_dvm_box *a, const struct topo_dvm_box *b, struct topo_dvm_box *common)
{
    common->dimensions = a->dimensions;
    for (int k = 0; k < a->dimensions; k++) {
        /* The one with steps decides which indices there are. */
        const struct topo_dvm_box *stepped = a->step[k] > 1 ? a : b;
        long low = a->low[k] > b->low[k] ? a->low[k] : b->low[k];
        long high = a->high[k] < b->high[k] ? a->high[k] : b->high[k], step = stepped->step[k];
        low += (step - (low - stepped->low[k]) % step) % step;
        if (low > high)
            return false;
        common->low[k] = low;
        common->high[k] = high;
        common->step[k] = step;
    }
    return true;
}

int64_t topo_dvm_volume(const struct topo_dvm_box *box)
{
    int64_t volume = 1;
    for (int k = 0; k < box->dimensions; k++)
        volume *= (box->high[k] - box->low[k]) / box->step[k] + 1;
    return volume;
}
