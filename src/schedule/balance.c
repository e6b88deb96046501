#include "schedule/balance.h"

#include <string.h>

#include "base/memory.h"
#include "model/load.h"
#include "schedule/order.h"

static enum topo_status same_size(int senders, int receivers, const struct topo_tree *tree, struct topo_error *error)
{
    if (senders == tree->ranks && receivers == tree->ranks)
        return TOPO_OK;
    return topo_fail(error, TOPO_INVALID, "a matrix of %d x %d on a machine of %d ranks", senders, receivers,
                     tree->ranks);
}

/* Per step: which ranks are taken, and what every unit's link carries. Grows by steps. */
struct steps {
    const struct topo_tree *tree;
    int count, capacity;
    int links;      /* units of the levels down to the nodes */
    int *start;     /* [node level + 1]: links of level l start here */
    uint64_t *sent; /* [words per rank set] a step: bit = taken as sender */
    uint64_t *received;
    size_t words;
    int64_t *out, *in; /* [links] a step */
    int64_t *length;   /* what the fullest link carries, or is meant to */
    int64_t share;     /* what it is meant to carry at least */
};

static bool grow(struct steps *steps)
{
    if (steps->count == steps->capacity) {
        size_t capacity = 2 * (size_t)steps->capacity + 16, links = (size_t)steps->links;
        uint64_t *sent = topo_realloc(steps->sent, capacity, steps->words * sizeof *sent);
        if (sent)
            steps->sent = sent;
        uint64_t *received = topo_realloc(steps->received, capacity, steps->words * sizeof *received);
        if (received)
            steps->received = received;
        int64_t *out = topo_realloc(steps->out, capacity, links * sizeof *out);
        if (out)
            steps->out = out;
        int64_t *in = topo_realloc(steps->in, capacity, links * sizeof *in);
        if (in)
            steps->in = in;
        int64_t *length = topo_realloc(steps->length, capacity, sizeof *length);
        if (length)
            steps->length = length;
        if (!sent || !received || !out || !in || !length)
            return false;
        steps->capacity = (int)capacity;
    }
    size_t at = (size_t)steps->count++;
    steps->length[at] = steps->share;
    memset(steps->sent + at * steps->words, 0, steps->words * sizeof *steps->sent);
    memset(steps->received + at * steps->words, 0, steps->words * sizeof *steps->received);
    memset(steps->out + at * (size_t)steps->links, 0, (size_t)steps->links * sizeof *steps->out);
    memset(steps->in + at * (size_t)steps->links, 0, (size_t)steps->links * sizeof *steps->in);
    return true;
}

static bool is_free(const struct steps *steps, int step, int i, int j)
{
    const uint64_t *sent = steps->sent + (size_t)step * steps->words,
                   *received = steps->received + (size_t)step * steps->words;
    return !(sent[i / 64] >> i % 64 & 1) && !(received[j / 64] >> j % 64 & 1);
}

/* The fullest of the links that i to j crosses, with the message, in this step. */
static int64_t fullest(const struct steps *steps, int step, const int *from, const int *to, int crossed, int64_t weight)
{
    const int64_t *out = steps->out + (size_t)step * (size_t)steps->links;
    const int64_t *in = steps->in + (size_t)step * (size_t)steps->links;
    int64_t most = 0;
    for (int k = 0; k < crossed; k++) {
        if (out[from[k]] > most)
            most = out[from[k]];
        if (in[to[k]] > most)
            most = in[to[k]];
    }
    return most + weight;
}

/* Puts a message where it makes its step longer by least, and among those where
 * its links are emptiest: heavy messages meet in the same steps, the others fill
 * all steps alike. A new step when none is free. -1 when memory is out. */
static int put(struct steps *steps, int i, int j, int64_t weight)
{
    const struct topo_tree *tree = steps->tree;
    int from[TOPO_LEVELS_MAX], to[TOPO_LEVELS_MAX], crossed = 0, best = -1;
    int64_t least = 0, least_over = 0;
    for (int level = topo_tree_shared_levels(tree, i, j); level <= topo_tree_node_level(tree); level++) {
        from[crossed] = steps->start[level] + topo_tree_unit(tree, level, i);
        to[crossed++] = steps->start[level] + topo_tree_unit(tree, level, j);
    }
    for (int step = 0; step < steps->count && (crossed || best < 0); step++) {
        if (!is_free(steps, step, i, j))
            continue;
        int64_t load = fullest(steps, step, from, to, crossed, weight);
        int64_t over = load > steps->length[step] ? load - steps->length[step] : 0;
        if (best < 0 || over < least_over || (over == least_over && load < least)) {
            best = step;
            least = load;
            least_over = over;
        }
    }
    if (best < 0) {
        if (!grow(steps))
            return -1;
        best = steps->count - 1;
        least = weight;
    }
    steps->sent[(size_t)best * steps->words + (size_t)i / 64] |= (uint64_t)1 << i % 64;
    steps->received[(size_t)best * steps->words + (size_t)j / 64] |= (uint64_t)1 << j % 64;
    for (int k = 0; k < crossed; k++) {
        steps->out[(size_t)best * (size_t)steps->links + (size_t)from[k]] += weight;
        steps->in[(size_t)best * (size_t)steps->links + (size_t)to[k]] += weight;
    }
    if (crossed && least > steps->length[best])
        steps->length[best] = least;
    return best;
}

/* What the busiest link carries in all. -1 when memory is out. */
static int64_t busiest_link(const struct topo_matrix *matrix, const struct topo_tree *tree, int links, const int *start)
{
    TOPO_SCOPED int64_t *all = topo_calloc((size_t)links, 2 * sizeof *all);
    int64_t busiest = 0;
    if (!all)
        return -1;
    for (int64_t e = 0; e < matrix->messages; e++) {
        int i = matrix->sender[e], j = matrix->receiver[e];
        for (int level = topo_tree_shared_levels(tree, i, j); level <= topo_tree_node_level(tree); level++) {
            all[2 * (start[level] + topo_tree_unit(tree, level, i))] += matrix->weight[e];
            all[2 * (start[level] + topo_tree_unit(tree, level, j)) + 1] += matrix->weight[e];
        }
    }
    for (int side = 0; side < 2 * links; side++)
        if (all[side] > busiest)
            busiest = all[side];
    return busiest;
}

static bool start(struct steps *steps, const struct topo_matrix *matrix, const struct topo_tree *tree, int degree)
{
    *steps = (struct steps){.tree = tree, .words = ((size_t)tree->ranks + 63) / 64};
    steps->start = topo_alloc(TOPO_LEVELS_MAX, sizeof *steps->start);
    if (!steps->start)
        return false;
    for (int level = 0; level <= topo_tree_node_level(tree); level++) {
        steps->start[level] = steps->links;
        steps->links += tree->units[level];
    }
    /* As many steps as the busiest rank has messages are needed anyway: share
     * among all of them, a tenth less than evenly, as most steps end up fuller. */
    int64_t busiest = busiest_link(matrix, tree, steps->links, steps->start);
    if (busiest < 0)
        return false;
    steps->share = degree ? busiest / degree / 10 * 9 : 0;
    while (steps->count < degree)
        if (!grow(steps))
            return false;
    return true;
}

/* Small or lopsided matrices leave nothing to balance: drc where its links are done as soon. */
static enum topo_status or_drc(const struct topo_matrix *matrix, const struct topo_tree *tree,
                               struct topo_schedule **schedule, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_schedule_end) struct topo_schedule *drc = NULL;
    struct topo_link_figures ours, theirs;
    enum topo_status status = topo_schedule_drc(matrix, &drc, error);
    if (status == TOPO_OK)
        status = topo_schedule_link_figures(*schedule, tree, &ours, error);
    if (status == TOPO_OK)
        status = topo_schedule_link_figures(drc, tree, &theirs, error);
    if (status != TOPO_OK || theirs.duration <= ours.duration) {
        topo_schedule_free(*schedule);
        *schedule = status == TOPO_OK ? drc : NULL;
        drc = status == TOPO_OK ? NULL : drc;
    }
    return status;
}

enum topo_status topo_schedule_balanced(const struct topo_matrix *matrix, const struct topo_tree *tree,
                                        struct topo_schedule **schedule, struct topo_error *error)
{
    struct steps steps = {0};
    struct topo_matrix_facts facts;
    TOPO_SCOPED int64_t *order = NULL;
    TOPO_SCOPED int *step_of = NULL;
    enum topo_status status = same_size(matrix->senders, matrix->receivers, tree, error);
    *schedule = NULL;
    if (status != TOPO_OK)
        return status;
    order = topo_alloc((size_t)matrix->messages, sizeof *order);
    step_of = topo_alloc((size_t)matrix->messages, sizeof *step_of);
    topo_matrix_facts(matrix, &facts);
    if (!order || !step_of || !topo_order_by_weight(matrix, order) || !start(&steps, matrix, tree, facts.degree))
        goto nomem;
    for (int inside = 0; inside < 2; inside++)
        for (int64_t k = 0; k < matrix->messages; k++) {
            int64_t e = order[k];
            int i = matrix->sender[e], j = matrix->receiver[e];
            if ((topo_tree_shared_levels(tree, i, j) > topo_tree_node_level(tree)) != inside)
                continue;
            step_of[e] = put(&steps, i, j, matrix->weight[e]);
            if (step_of[e] < 0)
                goto nomem;
        }
    status = topo_schedule_whole(matrix, step_of, steps.count, schedule, error);
    if (status == TOPO_OK)
        status = or_drc(matrix, tree, schedule, error);
    goto out;
nomem:
    status =
        topo_fail(error, TOPO_NOMEM, "out of memory for the schedule of %lld messages", (long long)matrix->messages);
out:
    topo_free_all(steps.start, steps.sent, steps.received, steps.out, steps.in, steps.length);
    return status;
}

enum topo_status topo_schedule_link_figures(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                            struct topo_link_figures *figures, struct topo_error *error)
{
    enum topo_status status = same_size(schedule->senders, schedule->receivers, tree, error);
    int level = topo_tree_node_level(tree), nodes = tree->units[level];
    const struct topo_numbers *node = &tree->unit[level];
    int64_t *link = NULL, *all = NULL; /* out and in of every node: of this step, of all */
    *figures = (struct topo_link_figures){0};
    if (status != TOPO_OK)
        return status;
    link = topo_calloc((size_t)nodes, 2 * sizeof *link);
    all = topo_calloc((size_t)nodes, 2 * sizeof *all);
    if (!link || !all) {
        status = topo_fail(error, TOPO_NOMEM, "out of memory for the figures of %d nodes", nodes);
        goto out;
    }
    for (int t = 0; t < schedule->steps; t++) {
        int64_t busiest = 0;
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            if (topo_numbers_at(node, piece->sender) == topo_numbers_at(node, piece->receiver))
                continue;
            link[2 * topo_numbers_at(node, piece->sender)] += piece->weight;
            link[2 * topo_numbers_at(node, piece->receiver) + 1] += piece->weight;
        }
        for (int side = 0; side < 2 * nodes; side++) {
            if (link[side] > busiest)
                busiest = link[side];
            all[side] += link[side];
            if (all[side] > figures->bound)
                figures->bound = all[side];
            link[side] = 0;
        }
        figures->duration += busiest;
    }
out:
    topo_free(link);
    topo_free(all);
    return status;
}

enum topo_status topo_schedule_seconds(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                       const struct topo_params *params, double *seconds, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_load_end) struct topo_load *load = NULL;
    enum topo_status status = same_size(schedule->senders, schedule->receivers, tree, error);
    *seconds = 0;
    if (status == TOPO_OK)
        status = topo_load_new(tree, params, &load, error);
    for (int t = 0; t < schedule->steps && status == TOPO_OK; t++) {
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++)
            topo_load_message(load, schedule->piece[p].sender, schedule->piece[p].receiver,
                              (double)schedule->piece[p].weight);
        *seconds += topo_load_step(load);
    }
    return status;
}
