/* Start-up-aware schedules: short steps are given up. */
#include <stdlib.h>

#include "base/memory.h"
#include "schedule/links.h"

/* Tables of more cells than this, or more looking about, are not worth it: the schedule stays as it is. */
static const int64_t cells_max = 1 << 26, work_max = (int64_t)1 << 32;

/* One change: `weight` of message e came to step `to`. */
struct change {
    int64_t message, weight;
    int to;
};

struct state {
    const struct topo_matrix *matrix;
    const struct topo_tree *tree;
    const struct topo_params *params;
    int steps, ranks;
    int64_t *message;       /* [steps * ranks]: what a sender sends in a step, -1 nothing */
    int64_t *weight;        /* [steps * ranks] */
    bool *receives;         /* [steps * ranks] */
    double *cost;           /* [steps] seconds; below 0: given up */
    struct change *changes; /* [ranks] of the step being given up */
    int *by_cost;           /* [steps] */
};

static double cost_of(const struct state *state, int64_t e, int64_t weight)
{
    int shared = topo_tree_shared_levels(state->tree, state->matrix->sender[e], state->matrix->receiver[e]);
    const struct topo_link *link = topo_params_link(state->params, state->tree, shared);
    return link->alpha + (double)weight * link->beta;
}

static int64_t cell(const struct state *state, int step, int rank)
{
    return (int64_t)step * state->ranks + rank;
}

static void add(struct state *state, int64_t e, int64_t weight, int step)
{
    int64_t at = cell(state, step, state->matrix->sender[e]);
    state->message[at] = e;
    state->weight[at] += weight;
    state->receives[cell(state, step, state->matrix->receiver[e])] = true;
}

static void take(struct state *state, int64_t e, int64_t weight, int step)
{
    int64_t at = cell(state, step, state->matrix->sender[e]);
    state->weight[at] -= weight;
    if (state->weight[at] > 0)
        return;
    state->message[at] = -1;
    state->receives[cell(state, step, state->matrix->receiver[e])] = false;
}

static void renew_cost(struct state *state, int step)
{
    state->cost[step] = 0;
    for (int i = 0; i < state->ranks; i++) {
        int64_t e = state->message[cell(state, step, i)];
        double cost = e < 0 ? 0 : cost_of(state, e, state->weight[cell(state, step, i)]);
        if (cost > state->cost[step])
            state->cost[step] = cost;
    }
}

/* The step to which `weight` of message e comes cheapest, *more = what that costs; -1 none. */
static int cheapest(const struct state *state, int64_t e, int64_t weight, int except, double *more)
{
    int i = state->matrix->sender[e], j = state->matrix->receiver[e], best = -1;
    double alone = cost_of(state, e, weight);
    for (int step = 0; step < state->steps; step++) {
        int64_t there = state->message[cell(state, step, i)];
        double cost = alone;
        if (state->cost[step] < 0 || step == except)
            continue;
        if (there == e)
            cost = cost_of(state, e, state->weight[cell(state, step, i)] + weight);
        else if (there >= 0 || state->receives[cell(state, step, j)])
            continue;
        cost = cost > state->cost[step] ? cost - state->cost[step] : 0;
        if (best < 0 || cost < *more || (cost == *more && there == e)) {
            best = step;
            *more = cost;
            if (cost <= 0 && there == e)
                break;
        }
    }
    return best;
}

/* Moves everything out of the step if that is cheaper. */
static bool give_up(struct state *state, int step)
{
    int changes = 0;
    double spent = 0, more = 0;
    bool good = true;
    for (int i = 0; i < state->ranks && good; i++) {
        int64_t e = state->message[cell(state, step, i)], weight = state->weight[cell(state, step, i)];
        if (e < 0)
            continue;
        int to = cheapest(state, e, weight, step, &more);
        good = to >= 0 && (spent += more) < state->cost[step];
        if (good) {
            add(state, e, weight, to);
            state->cost[to] += more;
            state->changes[changes++] = (struct change){e, weight, to};
        }
    }
    for (int k = 0; k < changes; k++) {
        struct change *change = &state->changes[k];
        take(state, change->message, change->weight, good ? step : change->to);
    }
    for (int k = 0; k < changes; k++)
        renew_cost(state, state->changes[k].to);
    if (good)
        state->cost[step] = -1;
    return good;
}

static int compare(const void *left, const void *right, void *context)
{
    const struct state *state = context;
    double a = state->cost[*(const int *)left], b = state->cost[*(const int *)right];
    return a != b ? (a > b) - (a < b) : *(const int *)left - *(const int *)right;
}

/* Shortest steps first, again and again until none goes. */
static void give_up_all(struct state *state)
{
    int64_t work = 0, pass = (int64_t)state->steps * state->steps * state->ranks;
    for (bool changed = true; changed && work <= work_max - pass; work += pass) {
        changed = false;
        for (int t = 0; t < state->steps; t++)
            state->by_cost[t] = t;
        qsort_r(state->by_cost, (size_t)state->steps, sizeof *state->by_cost, compare, state);
        for (int k = 0; k < state->steps; k++)
            if (state->cost[state->by_cost[k]] >= 0 && give_up(state, state->by_cost[k]))
                changed = true;
    }
}

static bool tables(struct state *state, const struct topo_schedule *from)
{
    int64_t cells = (int64_t)state->steps * state->ranks;
    state->message = topo_alloc((size_t)cells, sizeof *state->message);
    state->weight = topo_calloc((size_t)cells, sizeof *state->weight);
    state->receives = topo_calloc((size_t)cells, sizeof *state->receives);
    state->cost = topo_alloc((size_t)state->steps, sizeof *state->cost);
    state->changes = topo_alloc((size_t)state->ranks, sizeof *state->changes);
    state->by_cost = topo_alloc((size_t)state->steps, sizeof *state->by_cost);
    if (!state->message || !state->weight || !state->receives || !state->cost || !state->changes || !state->by_cost)
        return false;
    for (int64_t at = 0; at < cells; at++)
        state->message[at] = -1;
    for (int t = 0; t < state->steps; t++) {
        for (int64_t p = from->first[t]; p < from->first[t + 1]; p++) {
            const struct topo_piece *piece = &from->piece[p];
            add(state, topo_matrix_find(state->matrix, piece->sender, piece->receiver), piece->weight, t);
        }
        renew_cost(state, t);
    }
    return true;
}

enum topo_status topo_schedule_merge_steps(const struct topo_matrix *matrix, const struct topo_schedule *from,
                                           const struct topo_tree *tree, const struct topo_params *params,
                                           struct topo_schedule **schedule, struct topo_error *error)
{
    struct state state = {.matrix = matrix, .tree = tree, .params = params, .steps = from->steps, .ranks = tree->ranks};
    int64_t pieces = from->first[from->steps], count = 0;
    TOPO_SCOPED struct topo_part *parts = NULL;
    enum topo_status status;
    *schedule = NULL;
    if (matrix->senders != tree->ranks || matrix->receivers != tree->ranks)
        return topo_fail(error, TOPO_INVALID, "a matrix of %d x %d on a machine of %d ranks", matrix->senders,
                         matrix->receivers, tree->ranks);
    parts = topo_alloc((size_t)pieces, sizeof *parts);
    if (!parts)
        goto nomem;
    if (from->steps <= cells_max / tree->ranks) {
        if (!tables(&state, from))
            goto nomem;
        give_up_all(&state);
        for (int t = 0; t < state.steps; t++)
            for (int i = 0; i < state.ranks; i++)
                if (state.message[cell(&state, t, i)] >= 0)
                    parts[count++] =
                        (struct topo_part){state.message[cell(&state, t, i)], state.weight[cell(&state, t, i)], t};
    } else {
        for (int t = 0; t < from->steps; t++)
            for (int64_t p = from->first[t]; p < from->first[t + 1]; p++)
                parts[count++] = (struct topo_part){
                    topo_matrix_find(matrix, from->piece[p].sender, from->piece[p].receiver), from->piece[p].weight, t};
    }
    status = topo_schedule_new(matrix, parts, count, from->steps, schedule, error);
    goto out;
nomem:
    status = topo_fail(error, TOPO_NOMEM, "out of memory for a schedule of %lld parts", (long long)pieces);
out:
    topo_free_all(state.message, state.weight, state.receives, state.cost, state.changes, state.by_cost);
    return status;
}
