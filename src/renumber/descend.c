#include "renumber/descend.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The virtual numbers are in order[]; unit u of the level in hand owns
 * order[first[u]] and as many after it as it has ranks. Going down a level turns
 * the interval of each unit into those of its children. */
struct descent {
    const struct topo_tree *tree;
    int level;   /* of the children; the parents are units of level - 1, or the root */
    int *block;  /* all of the following */
    int *order;  /* [ranks] */
    int *first;  /* [units of the level] */
    int *size;   /* [units of the level] */
    int *parent; /* [units of the level] */
    int *next;   /* first[] of the level before */
};

static void descent_free(struct descent *d)
{
    topo_free(d->block);
}

static enum topo_status descent_new(struct descent *d, const struct topo_tree *tree)
{
    size_t n = (size_t)tree->ranks;
    *d = (struct descent){.tree = tree};
    d->block = topo_alloc(5 * n, sizeof *d->block);
    if (!d->block)
        return TOPO_NOMEM;
    d->order = d->block;
    d->first = d->block + n;
    d->size = d->block + 2 * n;
    d->parent = d->block + 3 * n;
    d->next = d->block + 4 * n;
    d->next[0] = 0;
    return TOPO_OK;
}

/* Sizes and parents of the units of `level`; next[] keeps where the parents start. */
static void enter_level(struct descent *d, int level)
{
    const struct topo_tree *tree = d->tree;
    if (level > 0) {
        int *swap = d->first;
        d->first = d->next;
        d->next = swap;
    }
    d->level = level;
    topo_tree_unit_sizes(tree, level, d->size);
    for (int r = 0; r < tree->ranks; r++)
        d->parent[topo_tree_unit(tree, level, r)] = level ? topo_tree_unit(tree, level - 1, r) : 0;
}

/* One past the last child of the parent of unit `u`. */
static int family_end(const struct descent *d, int u)
{
    int end = u, units = d->tree->units[d->level];
    while (end < units && d->parent[end] == d->parent[u])
        end++;
    return end;
}

/* After the last level: ranks and numbers of each unit meet. */
static enum topo_status settle(struct descent *d, int *rank_of)
{
    const struct topo_tree *tree = d->tree;
    int n = tree->ranks, units = tree->units[tree->levels - 1];
    const struct topo_numbers *unit = &tree->unit[tree->levels - 1];
    int *owner = topo_alloc((size_t)n, sizeof *owner); /* unit of each virtual number */
    int *waiting = d->next;                            /* ranks whose own number is elsewhere, unit by unit */
    if (!owner)
        return TOPO_NOMEM;
    for (int u = 0; u < units; u++) {
        for (int i = 0; i < d->size[u]; i++)
            owner[d->order[d->first[u] + i]] = u;
        d->parent[u] = d->first[u]; /* where the next waiting rank of u is put */
    }
    for (int r = 0; r < n; r++)
        if (owner[r] != topo_numbers_at(unit, r))
            waiting[d->parent[topo_numbers_at(unit, r)]++] = r;
    memcpy(d->parent, d->first, (size_t)units * sizeof *d->parent);
    for (int v = 0; v < n; v++)
        rank_of[v] = owner[v] == topo_numbers_at(unit, v) ? v : waiting[d->parent[owner[v]]++];
    topo_free(owner);
    return TOPO_OK;
}

/* -- bit-reversed order ---------------------------------------------------- */

/* A child unit, or an interval of numbers: unit, size and lowest number. */
struct interval {
    int unit, size, lowest, first;
};

static int by_size(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return x->size != y->size ? (x->size > y->size ? -1 : 1) : (x->unit > y->unit) - (x->unit < y->unit);
}

static int by_lowest(const void *a, const void *b)
{
    const struct interval *x = a, *y = b;
    return (x->lowest > y->lowest) - (x->lowest < y->lowest);
}

/* Deals the parent's interval, which starts at `at`, to its children u..end-1. */
static void deal_intervals(struct descent *d, int u, int end, int at, struct interval *interval,
                           struct interval *sorted)
{
    int count = end - u;
    for (int i = 0; i < count; i++)
        interval[i] = (struct interval){.unit = u + i, .size = d->size[u + i]};
    qsort(interval, (size_t)count, sizeof *interval, by_size);
    for (int i = 0; i < count; i++) {
        interval[i].first = at;
        interval[i].lowest = d->order[at];
        for (int k = 1; k < interval[i].size; k++)
            if (d->order[at + k] < interval[i].lowest)
                interval[i].lowest = d->order[at + k];
        at += interval[i].size;
    }
    /* Among children of one size, unit numbers ascend with the lowest number. */
    for (int i = 0, run; i < count; i = run) {
        for (run = i; run < count && interval[run].size == interval[i].size; run++)
            sorted[run] = interval[run];
        qsort(sorted + i, (size_t)(run - i), sizeof *sorted, by_lowest);
        for (int k = i; k < run; k++)
            d->first[interval[k].unit] = sorted[k].first;
    }
}

enum topo_status topo_descend_bit_reversed(const struct topo_tree *tree, int *rank_of, struct topo_error *error)
{
    TOPO_SCOPED_BY(descent_free) struct descent d = {0};
    TOPO_SCOPED struct interval *interval = topo_alloc((size_t)tree->ranks * 2, sizeof *interval);
    if (descent_new(&d, tree) != TOPO_OK || !interval)
        return topo_fail(error, TOPO_NOMEM, "mapping of %d ranks: out of memory", tree->ranks);
    topo_partition_bit_reversed(tree->ranks, d.order);
    for (int level = 0; level < tree->levels; level++) {
        enter_level(&d, level);
        for (int u = 0, end; u < tree->units[level]; u = end) {
            end = family_end(&d, u);
            deal_intervals(&d, u, end, d.next[d.parent[u]], interval, interval + tree->ranks);
        }
    }
    enum topo_status status = settle(&d, rank_of);
    return status == TOPO_OK ? TOPO_OK : topo_fail(error, status, "mapping of %d ranks: out of memory", tree->ranks);
}

/* -- partition ------------------------------------------------------------- */

/* What the partition of one unit's numbers needs beside the descent. */
struct division {
    const struct topo_graph *graph;
    bool gathers;
    enum topo_partitioner partitioner;
    int *local;  /* [ranks]: scratch of topo_graph_induce() */
    int *part;   /* [ranks] */
    int *start;  /* [ranks]: present placement */
    int *sorted; /* [ranks] */
};

/* The placement as it is, when the numbers of the parent are those of its ranks. */
static bool present_placement(const struct descent *d, const struct division *work, int u, int end, const int *numbers,
                              int count)
{
    const struct topo_numbers *unit = &d->tree->unit[d->level];
    for (int i = 0; i < count; i++) {
        int here = topo_numbers_at(unit, numbers[i]);
        if (here < u || here >= end)
            return false;
        work->start[i] = here - u;
    }
    return true;
}

/* Divides the parent's interval, which starts at `at`, among its children u..end-1. */
static enum topo_status divide(struct descent *d, struct division *work, int u, int end, int at,
                               struct topo_error *error)
{
    int count = 0, children = end - u;
    int64_t n = d->tree->ranks, inside = 0;
    int *numbers = d->order + at;
    struct topo_graph *induced = NULL;
    const struct topo_graph *graph = work->graph;
    enum topo_status status = TOPO_OK;
    for (int k = u; k < end; k++) {
        d->first[k] = at + count;
        count += d->size[k];
    }
    if (children == 1)
        return TOPO_OK;
    if (count < n) {
        status = topo_graph_induce(work->graph, numbers, count, work->local, &induced, error);
        if (status != TOPO_OK)
            return status;
        graph = induced;
    }
    /* In an all-gather every block from outside a child enters it at least once: so many blocks
     * cross between children at least, less those that enter the parent. */
    for (int64_t e = 0; e < graph->row[count]; e++)
        inside += graph->weight[e];
    int64_t enter = (n - 1) * count - inside / 2, bound = n * children - count - enter;
    status = topo_partition(graph, work->partitioner, children, d->size + u,
                            present_placement(d, work, u, end, numbers, count) ? work->start : NULL,
                            work->gathers ? bound : 0, work->part, error);
    topo_graph_free(induced);
    if (status != TOPO_OK)
        return status;
    /* The numbers stay ascending inside each child. */
    memcpy(work->sorted, numbers, (size_t)count * sizeof *numbers);
    for (int i = 0; i < count; i++)
        d->order[d->first[u + work->part[i]]++] = work->sorted[i];
    for (int k = u; k < end; k++)
        d->first[k] -= d->size[k];
    return TOPO_OK;
}

enum topo_status topo_descend_partition(const struct topo_tree *tree, const struct topo_graph *graph, bool gathers,
                                        enum topo_partitioner partitioner, int *rank_of, struct topo_error *error)
{
    TOPO_SCOPED_BY(descent_free) struct descent d = {0};
    size_t n = (size_t)tree->ranks;
    TOPO_SCOPED int *scratch = topo_alloc(4 * n, sizeof *scratch);
    if (descent_new(&d, tree) != TOPO_OK || !scratch)
        return topo_fail(error, TOPO_NOMEM, "mapping of %d ranks: out of memory", tree->ranks);
    struct division work = {graph, gathers, partitioner, scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
    for (int v = 0; v < tree->ranks; v++) {
        d.order[v] = v;
        work.local[v] = -1;
    }
    for (int level = 0; level < tree->levels; level++) {
        enter_level(&d, level);
        for (int u = 0, end; u < tree->units[level]; u = end) {
            end = family_end(&d, u);
            enum topo_status status = divide(&d, &work, u, end, d.next[d.parent[u]], error);
            if (status != TOPO_OK)
                return status;
        }
    }
    if (settle(&d, rank_of) != TOPO_OK)
        return topo_fail(error, TOPO_NOMEM, "mapping of %d ranks: out of memory", tree->ranks);
    return TOPO_OK;
}
