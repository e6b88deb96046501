/* Exact part sizes from nearly right ones. METIS treats sizes as a balance to aim
 * at: 7 to 9 vertices where 8 are asked for, and with very many parts some stay
 * empty. */
#include "renumber/refine.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"

/* A vertex of an over-full part, the under-full part it had better go to, and
 * what the move saves (mostly negative). Entries may be out of date: they are
 * recomputed when they come up. */
struct move {
    int64_t gain;
    int vertex, to;
};

struct repair {
    const struct topo_graph *graph;
    int parts;
    const int *sizes;
    int *part;
    int *count;        /* [parts]: vertices now */
    int64_t *toward;   /* [parts]: weight from the vertex in hand; zero otherwise */
    struct move *heap; /* best on top; ties: the lower vertex */
    int length;
    int lowest; /* no part before this one is under-full */
};

static bool better(const struct move *a, const struct move *b)
{
    return a->gain > b->gain || (a->gain == b->gain && a->vertex < b->vertex);
}

static void push(struct repair *r, struct move move)
{
    int at = r->length++;
    while (at > 0 && better(&move, &r->heap[(at - 1) / 2])) {
        r->heap[at] = r->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    r->heap[at] = move;
}

static struct move pop(struct repair *r)
{
    struct move top = r->heap[0], last = r->heap[--r->length];
    int at = 0;
    for (int child = 1; child < r->length; child = 2 * at + 1) {
        if (child + 1 < r->length && better(&r->heap[child + 1], &r->heap[child]))
            child++;
        if (!better(&r->heap[child], &last))
            break;
        r->heap[at] = r->heap[child];
        at = child;
    }
    r->heap[at] = last;
    return top;
}

/* The best move of v: to the under-full part it has most weight to, or, when it
 * touches none, to the first one there is. */
static struct move best_move(struct repair *r, int v)
{
    const struct topo_graph *graph = r->graph;
    while (r->count[r->lowest] >= r->sizes[r->lowest])
        r->lowest++;
    struct move move = {0, v, r->lowest};
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
        r->toward[r->part[graph->neighbour[e]]] += graph->weight[e];
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
        int q = r->part[graph->neighbour[e]];
        if (r->count[q] < r->sizes[q] &&
            (r->toward[q] > r->toward[move.to] || (r->toward[q] == r->toward[move.to] && q < move.to)))
            move.to = q;
    }
    move.gain = r->toward[move.to] - r->toward[r->part[v]];
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
        r->toward[r->part[graph->neighbour[e]]] = 0;
    return move;
}

static void move_surplus(struct repair *r, int surplus)
{
    for (int v = 0; v < r->graph->vertices && surplus > 0; v++)
        if (r->count[r->part[v]] > r->sizes[r->part[v]])
            push(r, best_move(r, v));
    while (surplus > 0) {
        struct move move = pop(r);
        int from = r->part[move.vertex];
        if (r->count[from] <= r->sizes[from])
            continue;
        struct move now = best_move(r, move.vertex);
        if (now.gain < move.gain) {
            push(r, now);
            continue;
        }
        r->part[now.vertex] = now.to;
        r->count[from]--;
        r->count[now.to]++;
        surplus--;
    }
}

enum topo_status topo_partition_repair(const struct topo_graph *graph, int parts, const int *sizes, int *part,
                                       struct topo_error *error)
{
    enum topo_status status = TOPO_OK;
    struct repair r = {.graph = graph, .parts = parts, .sizes = sizes, .part = part};
    int64_t sum = 0;
    int surplus = 0, candidates = 0;
    for (int p = 0; p < parts; p++)
        sum += sizes[p];
    if (sum != graph->vertices)
        return topo_fail(error, TOPO_INVALID, "partition: the sizes sum up to %lld, not to %d vertices", (long long)sum,
                         graph->vertices);
    r.count = topo_calloc((size_t)parts, sizeof *r.count);
    if (!r.count)
        goto nomem;
    for (int v = 0; v < graph->vertices; v++)
        r.count[part[v]]++;
    for (int p = 0; p < parts; p++)
        if (r.count[p] > sizes[p]) {
            surplus += r.count[p] - sizes[p];
            candidates += r.count[p];
        }
    if (!surplus)
        goto out;
    r.toward = topo_calloc((size_t)parts, sizeof *r.toward);
    r.heap = topo_alloc((size_t)candidates, sizeof *r.heap);
    if (!r.toward || !r.heap)
        goto nomem;
    move_surplus(&r, surplus);
out:
    topo_free_all(r.count, r.toward, r.heap);
    return status;
nomem:
    status = topo_fail(error, TOPO_NOMEM, "partition of %d vertices: out of memory", graph->vertices);
    goto out;
}
