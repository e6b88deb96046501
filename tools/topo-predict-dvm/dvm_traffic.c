#include "topo-predict-dvm/dvm_traffic.h"

#include <string.h>

#include "base/memory.h"

enum topo_status topo_dvm_traffic_new(const struct topo_transfer_machine *machine, struct topo_dvm_traffic *traffic)
{
    traffic->machine = machine;
    traffic->processors = topo_transfer_processors(machine);
    traffic->bytes = topo_calloc((size_t)traffic->processors * (size_t)traffic->processors, sizeof *traffic->bytes);
    return traffic->bytes ? TOPO_OK : TOPO_NOMEM;
}

void topo_dvm_traffic_free(struct topo_dvm_traffic *traffic)
{
    topo_free(traffic->bytes);
    traffic->bytes = NULL;
}

/* Saturates: a trace may put any number of exchanges into one group. */
static void add(struct topo_dvm_traffic *traffic, int from, int to, int64_t elements, long type_size)
{
    int64_t *bytes = &traffic->bytes[(int64_t)from * traffic->processors + to], more;
    if (__builtin_mul_overflow(elements, (int64_t)type_size, &more) || __builtin_add_overflow(*bytes, more, bytes))
        *bytes = INT64_MAX;
}

void topo_dvm_traffic_add(struct topo_dvm_traffic *traffic, const struct topo_dvm_traffic *more)
{
    for (int from = 0; from < traffic->processors; from++)
        for (int to = 0; to < traffic->processors; to++)
            add(traffic, from, to, more->bytes[(int64_t)from * traffic->processors + to], 1);
}

/* The different parts of an array: processors of its grid may hold the same one. */
struct parts {
    struct topo_dvm_box *box; /* [grid count] */
    int *first;               /* [grid count] the lowest processor with the same part; -1: no part */
};

static void parts_free(struct parts *parts)
{
    topo_free(parts->box);
    topo_free(parts->first);
}

static bool same_box(const struct topo_dvm_box *a, const struct topo_dvm_box *b)
{
    for (int k = 0; k < a->dimensions; k++)
        if (a->low[k] != b->low[k] || a->high[k] != b->high[k])
            return false;
    return true;
}

static enum topo_status find_parts(const struct topo_dvm_array *array, struct parts *parts)
{
    int n = array->view->grid->count;
    parts->box = topo_alloc((size_t)n, sizeof *parts->box);
    parts->first = topo_alloc((size_t)n, sizeof *parts->first);
    if (!parts->box || !parts->first)
        return TOPO_NOMEM;
    for (int p = 0; p < n; p++) {
        parts->first[p] = -1;
        if (!topo_dvm_local(array, p, &parts->box[p]))
            continue;
        parts->first[p] = p;
        for (int q = 0; q < p; q++)
            if (parts->first[q] == q && same_box(&parts->box[p], &parts->box[q])) {
                parts->first[p] = q;
                break;
            }
    }
    return TOPO_OK;
}

/* The processor (number in the whole machine) nearest to `target` that holds the
 * part of processor `first`; the lowest of several. */
static int nearest(const struct topo_dvm_traffic *traffic, const struct topo_dvm_grid *grid, const struct parts *parts,
                   int first, int target)
{
    int best = -1, best_distance = 0;
    for (int p = first; p < grid->count; p++) {
        int distance;
        if (parts->first[p] != first)
            continue;
        if (grid->root[p] == target)
            return target;
        distance = topo_transfer_distance(traffic->machine, grid->root[p], target);
        if (best < 0 || distance < best_distance) {
            best = grid->root[p];
            best_distance = distance;
        }
    }
    return best;
}

/* Each part of `array` that has elements of `wanted` sends them to `target` from the nearest processor that holds it. */
static void fetch(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array, const struct parts *parts,
                  const struct topo_dvm_box *wanted, int target)
{
    const struct topo_dvm_grid *holders = array->view->grid;
    struct topo_dvm_box common;
    for (int p = 0; p < holders->count; p++) {
        int from;
        if (parts->first[p] != p || !topo_dvm_intersect(wanted, &parts->box[p], &common))
            continue;
        from = nearest(traffic, holders, parts, p, target);
        if (from != target)
            add(traffic, from, target, topo_dvm_volume(&common), array->type_size);
    }
}

enum topo_status topo_dvm_move_array(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *before,
                                     const struct topo_dvm_array *after)
{
    const struct topo_dvm_grid *new = after->view->grid;
    TOPO_SCOPED_BY(parts_free) struct parts parts = {0};
    enum topo_status status = find_parts(before, &parts);
    for (int q = 0; status == TOPO_OK && q < new->count; q++) {
        struct topo_dvm_box wanted;
        if (topo_dvm_local(after, q, &wanted))
            fetch(traffic, before, &parts, &wanted, new->root[q]);
    }
    return status;
}

enum topo_status topo_dvm_move_copies_to(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                         const struct topo_dvm_box *read, const struct topo_dvm_grid *readers)
{
    const struct topo_dvm_grid *grid = array->view->grid;
    TOPO_SCOPED_BY(parts_free) struct parts parts = {0};
    TOPO_SCOPED int *place = topo_alloc((size_t)traffic->processors, sizeof *place); /* in the grid; -1: outside */
    enum topo_status status = place ? find_parts(array, &parts) : TOPO_NOMEM;
    for (int i = 0; place && i < traffic->processors; i++)
        place[i] = -1;
    for (int p = 0; place && p < grid->count; p++)
        place[grid->root[p]] = p;
    for (int p = 0; status == TOPO_OK && p < grid->count; p++) {
        struct topo_dvm_box part, overlap;
        if (parts.first[p] != p || !topo_dvm_intersect(&parts.box[p], read, &part))
            continue;
        for (int r = 0; r < readers->count; r++) {
            int q = place[readers->root[r]];
            if (q >= 0 && parts.first[q] >= 0 && topo_dvm_intersect(&part, &parts.box[q], &overlap))
                continue;
            add(traffic, nearest(traffic, grid, &parts, p, readers->root[r]), readers->root[r], topo_dvm_volume(&part),
                array->type_size);
        }
    }
    return status;
}

enum topo_status topo_dvm_move_copies(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                      const struct topo_dvm_box *read)
{
    return topo_dvm_move_copies_to(traffic, array, read, array->view->grid);
}

/* What the iterations of `part` read; `read` where no loop variable is. */
static void read_by(const struct topo_dvm_box *part, const struct topo_dvm_box *read, const struct topo_dvm_align *rule,
                    struct topo_dvm_box *wanted)
{
    *wanted = *read;
    for (int k = 0; k < read->dimensions; k++) {
        long axis = rule->axis[k], a = rule->coeff[k], b = rule->constant[k];
        if (axis <= 0 || !a)
            continue;
        wanted->low[k] = a * (a > 0 ? part->low[axis - 1] : part->high[axis - 1]) + b;
        wanted->high[k] = a * (a > 0 ? part->high[axis - 1] : part->low[axis - 1]) + b;
    }
}

enum topo_status topo_dvm_move_reads(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                     const struct topo_dvm_array *loop, const struct topo_dvm_box *read,
                                     const struct topo_dvm_align *rule)
{
    const struct topo_dvm_grid *readers = loop->view->grid;
    TOPO_SCOPED_BY(parts_free) struct parts parts = {0};
    enum topo_status status = find_parts(array, &parts);
    for (int q = 0; status == TOPO_OK && q < readers->count; q++) {
        struct topo_dvm_box part, wanted;
        if (!topo_dvm_local(loop, q, &part))
            continue;
        read_by(&part, read, rule, &wanted);
        fetch(traffic, array, &parts, &wanted, readers->root[q]);
    }
    return status;
}

/* A dimension of a box that has more than one element, from `k` on. */
static int next_wide(const struct topo_dvm_box *box, int k)
{
    while (k < box->dimensions && box->low[k] + box->step[k] > box->high[k])
        k++;
    return k;
}

/* The elements of `read` that become those of `mine`, a part of `write`. */
static bool source_of(const struct topo_dvm_box *read, const struct topo_dvm_box *write,
                      const struct topo_dvm_box *mine, struct topo_dvm_box *source)
{
    int r = next_wide(read, 0), w = next_wide(write, 0);
    *source = *read;
    for (; r < read->dimensions && w < write->dimensions; r = next_wide(read, r + 1), w = next_wide(write, w + 1)) {
        long count = (read->high[r] - read->low[r]) / read->step[r];
        if (count != (write->high[w] - write->low[w]) / write->step[w])
            return false;
        source->low[r] = read->low[r] + (mine->low[w] - write->low[w]) / write->step[w] * read->step[r];
        source->high[r] = read->low[r] + (mine->high[w] - write->low[w]) / write->step[w] * read->step[r];
    }
    return r >= read->dimensions && w >= write->dimensions;
}

enum topo_status topo_dvm_move_section(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *from,
                                       const struct topo_dvm_box *read, const struct topo_dvm_array *to,
                                       const struct topo_dvm_box *write, struct topo_error *error)
{
    const struct topo_dvm_grid *receivers = to->view->grid;
    TOPO_SCOPED_BY(parts_free) struct parts parts = {0};
    struct topo_dvm_box local, mine, source;
    enum topo_status status = TOPO_OK;
    if (!source_of(read, write, write, &source))
        return topo_fail(error, TOPO_INVALID, "the section read and the section written have different shapes");
    status = find_parts(from, &parts);
    for (int q = 0; status == TOPO_OK && q < receivers->count; q++) {
        if (!topo_dvm_local(to, q, &local) || !topo_dvm_intersect(write, &local, &mine))
            continue;
        source_of(read, write, &mine, &source);
        fetch(traffic, from, &parts, &source, receivers->root[q]);
    }
    return status;
}

/* A dimension of the array whose parts have neighbours. */
struct divided {
    int k, d, direction;
};

/* What processor p sends to the neighbour at side[j] (-1 below, 1 above, 0 not
 * shifted) along each divided dimension; nothing when there is no such neighbour
 * or the shadow is not wanted. */
static void send_edge(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                      const struct topo_dvm_box *part, int p, const struct divided *divided, int count, const int *side,
                      const long *low, const long *high)
{
    const struct topo_dvm_grid *grid = array->view->grid;
    int coordinate[TOPO_DVM_DIMENSIONS_MAX];
    int64_t elements = 1;
    bool edge[TOPO_DVM_DIMENSIONS_MAX] = {false};
    topo_dvm_coordinates(grid, p, coordinate);
    for (int j = 0; j < count; j++) {
        int k = divided[j].k, d = divided[j].d;
        /* The neighbour below keeps my first elements in its shadow above, and the other way round. */
        long width = side[j] < 0 ? high[k] : low[k];
        if (side[j] == 0)
            continue;
        if (width <= 0 || (side[j] < 0 ? part->low[k] == 0 : part->high[k] == array->size[k] - 1))
            return;
        coordinate[d] += side[j] * divided[j].direction;
        if (coordinate[d] < 0 || coordinate[d] >= grid->size[d])
            return;
        elements *= width;
        edge[k] = true;
    }
    for (int k = 0; k < part->dimensions; k++)
        if (!edge[k])
            elements *= part->high[k] - part->low[k] + 1;
    add(traffic, grid->root[p], grid->root[topo_dvm_index(grid, coordinate)], elements, array->type_size);
}

enum topo_status topo_dvm_move_edges(struct topo_dvm_traffic *traffic, const struct topo_dvm_array *array,
                                     const long *low, const long *high, bool corners, struct topo_error *error)
{
    struct divided divided[TOPO_DVM_DIMENSIONS_MAX];
    int count = 0, sides = 1;
    if (topo_dvm_is_replicated(array))
        return TOPO_OK;
    for (int k = 0; k < array->dimensions; k++) {
        divided[count].k = k;
        divided[count].d = topo_dvm_grid_dimension(array, k, &divided[count].direction);
        if (divided[count].d >= 0)
            count++;
    }
    for (int j = 0; j < count; j++)
        sides *= 3;
    for (int p = 0; p < array->view->grid->count; p++) {
        struct topo_dvm_box part;
        if (!topo_dvm_local(array, p, &part))
            continue;
        for (int j = 0; j < count; j++) {
            int k = divided[j].k;
            long width = low[k] > high[k] ? low[k] : high[k];
            if (width > part.high[k] - part.low[k] + 1)
                return topo_fail(error, TOPO_INVALID,
                                 "a shadow edge of %ld elements along dimension %d, but a part of the array has %ld",
                                 width, k + 1, part.high[k] - part.low[k] + 1);
        }
        for (int code = 0; code < sides; code++) {
            int side[TOPO_DVM_DIMENSIONS_MAX], shifted = 0;
            for (int j = 0, rest = code; j < count; j++, rest /= 3) {
                side[j] = rest % 3 - 1;
                shifted += side[j] != 0;
            }
            if (shifted == 1 || (shifted > 1 && corners))
                send_edge(traffic, array, &part, p, divided, count, side, low, high);
        }
    }
    return TOPO_OK;
}
