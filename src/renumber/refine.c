/* Kernighan-Lin refinement of a partition, pair of parts by pair of parts. */
#include "renumber/refine.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/memory.h"

/* Up to so many entries the weights between all vertices and parts are kept, so that a pair that
 * cannot gain costs a look at its members, not at their edges. */
enum { TABLE_MOST = 1 << 17 };

/* A pair of parts gives up after so many exchanges in a row without a new best: in short passes, and climbing. */
enum { QUIET_SHORT = 2, QUIET_CLIMB = 24 };

struct refinement {
    const struct topo_graph *graph;
    int *part;
    int parts;
    int *start;       /* [parts + 1]: members of part p are member[start[p]..start[p + 1]) */
    int *member;      /* [vertices] */
    int *place;       /* [vertices]: member[place[v]] == v */
    int64_t *gain;    /* [vertices]: what moving v to the other part of the pair saves */
    int64_t *weight;  /* [vertices]: edge weights to the vertex in hand; zero outside the pair step */
    int64_t *toward;  /* [vertices * parts]: weight from a vertex to a part; NULL when that is too much */
    bool *locked;     /* [vertices] */
    int *swapped;     /* [2 * vertices]: exchanges of this pair, in order */
    bool *seen;       /* [parts]: in touched[] */
    int *touched;     /* [parts]: parts with edges to the part in hand */
    int64_t *changed; /* [parts]: when a part last changed, in steps of clock */
    int64_t *visited; /* [parts]: when its pairs were last tried */
    int64_t clock;
    int64_t effort; /* edges that may still be visited */
    bool climb;     /* whether a pair without a promising first exchange is tried all the same */
};

int64_t topo_partition_cut(const struct topo_graph *graph, const int *part)
{
    return topo_partition_cut_of(graph, part, 1) / 2;
}

int64_t topo_partition_cut_of(const struct topo_graph *graph, const int *part, int stride)
{
    int64_t cut = 0;
    for (int v = 0; v < graph->vertices; v += stride)
        for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
            if (part[graph->neighbour[e]] != part[v])
                cut += graph->weight[e];
    return cut;
}

/* What moving v from part p to part q saves, all others staying. */
static int64_t gain_of(struct refinement *r, int v, int p, int q)
{
    const struct topo_graph *graph = r->graph;
    const int *part = r->part;
    int64_t gain = 0;
    if (r->toward) {
        r->effort--;
        return r->toward[(size_t)v * (size_t)r->parts + (size_t)q] -
               r->toward[(size_t)v * (size_t)r->parts + (size_t)p];
    }
    r->effort -= graph->row[v + 1] - graph->row[v];
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
        int other = part[graph->neighbour[e]];
        if (other == q)
            gain += graph->weight[e];
        else if (other == p)
            gain -= graph->weight[e];
    }
    return gain;
}

static void fill_gains(struct refinement *r, int p, int q)
{
    for (int side = 0; side < 2; side++) {
        int own = side ? q : p, other = side ? p : q;
        for (int i = r->start[own]; i < r->start[own + 1]; i++) {
            int v = r->member[i];
            r->gain[v] = gain_of(r, v, own, other);
            r->locked[v] = false;
        }
    }
}

/* The unlocked member of part p with the largest gain, or -1. */
static int best_member(const struct refinement *r, int p)
{
    int best = -1;
    for (int i = r->start[p]; i < r->start[p + 1]; i++) {
        int v = r->member[i];
        if (!r->locked[v] && (best < 0 || r->gain[v] > r->gain[best]))
            best = v;
    }
    return best;
}

/* The unlocked member x of part p that goes best with vertex v of the other part:
 * largest gain[x] - 2 weight(v, x). */
static int best_partner(struct refinement *r, int v, int p, int64_t *value)
{
    const struct topo_graph *graph = r->graph;
    int best = -1;
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
        r->weight[graph->neighbour[e]] = graph->weight[e];
    for (int i = r->start[p]; i < r->start[p + 1]; i++) {
        int x = r->member[i];
        int64_t here = r->gain[x] - 2 * r->weight[x];
        if (!r->locked[x] && (best < 0 || here > *value)) {
            best = x;
            *value = here;
        }
    }
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
        r->weight[graph->neighbour[e]] = 0;
    r->effort -= 2 * (graph->row[v + 1] - graph->row[v]) + r->start[p + 1] - r->start[p];
    return best;
}

/* v has moved from part p to part q. */
static void update_toward(struct refinement *r, int v, int p, int q)
{
    const struct topo_graph *graph = r->graph;
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
        int64_t *toward = r->toward + (size_t)graph->neighbour[e] * (size_t)r->parts;
        toward[p] -= graph->weight[e];
        toward[q] += graph->weight[e];
    }
}

/* Exchanges the parts of a and b, gains of the pair aside. */
static void exchange(struct refinement *r, int a, int b)
{
    int part = r->part[a], place = r->place[a];
    r->part[a] = r->part[b];
    r->part[b] = part;
    r->place[a] = r->place[b];
    r->place[b] = place;
    r->member[r->place[a]] = a;
    r->member[r->place[b]] = b;
    if (r->toward) {
        update_toward(r, a, part, r->part[a]);
        update_toward(r, b, r->part[a], part);
    }
}

/* After v has moved into `to` from `from`, the gains of its neighbours in the pair. */
static void update_gains(struct refinement *r, int v, int from, int to)
{
    const struct topo_graph *graph = r->graph;
    for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
        int u = graph->neighbour[e];
        if (r->part[u] == from)
            r->gain[u] += 2 * graph->weight[e];
        else if (r->part[u] == to)
            r->gain[u] -= 2 * graph->weight[e];
    }
    r->effort -= graph->row[v + 1] - graph->row[v];
}

/* One Kernighan-Lin pass over the parts p and q; the saving, >= 0. */
static int64_t improve_pair(struct refinement *r, int p, int q)
{
    int64_t sum = 0, best = 0;
    int count = 0, kept = 0;
    fill_gains(r, p, q);
    while (count - kept < (r->climb ? QUIET_CLIMB : QUIET_SHORT)) {
        int64_t with_a = 0, with_b = 0;
        int a = best_member(r, p), b = best_member(r, q);
        if (a < 0 || b < 0)
            break;
        if (!r->climb && !count && r->gain[a] + r->gain[b] <= 0)
            break;
        int partner_a = best_partner(r, a, q, &with_a), partner_b = best_partner(r, b, p, &with_b);
        if (r->gain[a] + with_a >= r->gain[b] + with_b) {
            sum += r->gain[a] + with_a;
            b = partner_a;
        } else {
            sum += r->gain[b] + with_b;
            a = partner_b;
        }
        exchange(r, a, b);
        r->locked[a] = r->locked[b] = true;
        update_gains(r, a, p, q);
        update_gains(r, b, q, p);
        r->swapped[2 * count] = a;
        r->swapped[2 * count + 1] = b;
        count++;
        if (sum > best) {
            best = sum;
            kept = count;
        }
    }
    while (count > kept) {
        count--;
        exchange(r, r->swapped[2 * count], r->swapped[2 * count + 1]);
    }
    return best;
}

/* Collects the parts after p that p has edges to in touched[]; their number. */
static int later_neighbours(struct refinement *r, int p)
{
    const struct topo_graph *graph = r->graph;
    int count = 0;
    for (int i = r->start[p]; i < r->start[p + 1]; i++) {
        int v = r->member[i];
        for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
            int q = r->part[graph->neighbour[e]];
            if (q > p && !r->seen[q]) {
                r->seen[q] = true;
                r->touched[count++] = q;
            }
        }
        r->effort -= graph->row[v + 1] - graph->row[v];
    }
    for (int i = 0; i < count; i++)
        r->seen[r->touched[i]] = false;
    return count;
}

/* Tries all pairs of part p with a later part, save those where nothing has
 * changed since the last try; the saving. */
static int64_t improve_part(struct refinement *r, int p)
{
    int64_t saved = 0, last = r->visited[p];
    int count = later_neighbours(r, p);
    r->visited[p] = ++r->clock;
    for (int i = 0; i < count && r->effort > 0; i++) {
        int q = r->touched[i];
        if (last && r->changed[p] < last && r->changed[q] < last)
            continue;
        int64_t here = improve_pair(r, p, q);
        if (here > 0)
            r->changed[p] = r->changed[q] = r->clock;
        saved += here;
    }
    return saved;
}

static enum topo_status prepare(struct refinement *r)
{
    const struct topo_graph *graph = r->graph;
    size_t n = (size_t)graph->vertices, parts = (size_t)r->parts;
    r->start = topo_calloc(parts + 2, sizeof *r->start);
    r->member = topo_alloc(n, sizeof *r->member);
    r->place = topo_alloc(n, sizeof *r->place);
    r->gain = topo_alloc(n, sizeof *r->gain);
    r->weight = topo_calloc(n, sizeof *r->weight);
    r->locked = topo_calloc(n, sizeof *r->locked);
    r->swapped = topo_alloc(2 * n, sizeof *r->swapped);
    r->seen = topo_calloc(parts, sizeof *r->seen);
    r->touched = topo_alloc(parts, sizeof *r->touched);
    r->changed = topo_calloc(parts, sizeof *r->changed);
    r->visited = topo_calloc(parts, sizeof *r->visited);
    if (!r->start || !r->member || !r->place || !r->gain || !r->weight || !r->locked || !r->swapped || !r->seen ||
        !r->touched || !r->changed || !r->visited)
        return TOPO_NOMEM;
    if (n * parts <= TABLE_MOST) {
        r->toward = topo_calloc(n * parts, sizeof *r->toward);
        if (!r->toward)
            return TOPO_NOMEM;
        for (size_t v = 0; v < n; v++)
            for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++)
                r->toward[v * parts + (size_t)r->part[graph->neighbour[e]]] += graph->weight[e];
    }
    for (size_t v = 0; v < n; v++)
        r->start[r->part[v] + 2]++;
    for (size_t p = 2; p < parts + 2; p++)
        r->start[p] += r->start[p - 1];
    for (size_t v = 0; v < n; v++) {
        r->place[v] = r->start[r->part[v] + 1]++;
        r->member[r->place[v]] = (int)v;
    }
    return TOPO_OK;
}

enum topo_status topo_partition_refine(const struct topo_graph *graph, int parts, int *part, bool climb,
                                       int64_t *effort, struct topo_error *error)
{
    struct refinement r = {.graph = graph, .part = part, .parts = parts, .effort = *effort, .climb = climb};
    int64_t saved = 1;
    enum topo_status status = prepare(&r);
    if (status != TOPO_OK) {
        status = topo_fail(error, status, "refining a partition of %d vertices: out of memory", graph->vertices);
        goto out;
    }
    while (saved > 0 && r.effort > 0) {
        saved = 0;
        for (int p = 0; p < parts && r.effort > 0; p++)
            saved += improve_part(&r, p);
    }
    *effort = r.effort;
out:
    topo_free_all(r.start, r.member, r.place, r.gain, r.weight, r.toward, r.locked, r.swapped, r.seen, r.touched,
                  r.changed, r.visited);
    return status;
}
