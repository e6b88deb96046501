#include "patterns/reduce_plan.h"

#include <stdlib.h>

#include "base/memory.h"
#include "patterns/paths.h"

/* A task and what it is sorted by. */
struct entry {
    struct topo_sum_task task;
    int hops, turn;
};

static int by_start(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->hops != y->hops)
        return y->hops - x->hops;
    if (x->turn != y->turn)
        return x->turn - y->turn;
    return x->task.piece - y->task.piece;
}

/* The child of `to`[0 .. count - 1] in unit `unit` of `level`; -1 when none is. */
static int child_in(const struct topo_level *level, int unit, const int *to, int count)
{
    for (int i = 0; i < count; i++)
        if (level->of[to[i]] == unit)
            return i;
    return -1;
}

/* Writes the additions for a block of which `node` hands out `count` copies, to the nodes `to`, and
 * which came to it at level `above` (-1: its own). Returns the operand that has the sum. */
static int find_steps(const struct topo_levels *levels, int node, int above, const int *to, int count,
                      struct topo_sum_step *step)
{
    int sum = 0;
    for (int z = levels->count - 1; z > above; z--) {
        struct topo_group group = topo_group_of(levels, z, node);
        int total = -1;
        for (int unit = 0; unit < group.count && group.count > 1; unit++) {
            int operand = unit == group.mine ? sum : child_in(&levels->level[z], group.first + unit, to, count) + 1;
            if (total < 0)
                total = operand;
            else if (step)
                *step++ = (struct topo_sum_step){operand, total};
        }
        sum = total < 0 ? sum : total;
    }
    return sum;
}

/* The level at which nodes a and b part: the outermost whose units differ. */
static int parting(const struct topo_levels *levels, int a, int b)
{
    int z = 0;
    while (levels->level[z].of[a] == levels->level[z].of[b])
        z++;
    return z;
}

static int driver(const struct topo_levels *levels, int node, int slice)
{
    return levels->start[node] + slice % topo_node_ranks(levels, node);
}

enum topo_status topo_sums_new(const struct topo_levels *levels, int node, int local, int slices,
                               struct topo_sums **out)
{
    struct topo_sums *sums = topo_calloc(1, sizeof *sums);
    struct topo_paths *paths = NULL;
    struct entry *entry = NULL;
    enum topo_status status = TOPO_NOMEM;
    int ranks = topo_node_ranks(levels, node), mine = local < slices ? (slices - 1 - local) / ranks + 1 : 0, at = 0;
    size_t edges;

    *out = NULL;
    if (!sums || topo_paths_new(levels, node, TOPO_PATH_DIRECT, &paths) != TOPO_OK)
        goto out;
    edges = (size_t)paths->first_to[levels->nodes] * (size_t)mine;
    sums->pieces = levels->nodes * slices;
    sums->slices = slices;
    sums->in_place = node == 0 ? slices : 0;
    sums->tasks = levels->nodes * mine;
    sums->task = topo_alloc((size_t)sums->tasks + 1, sizeof *sums->task);
    sums->child = topo_alloc(edges + 1, sizeof *sums->child);
    sums->task_of = topo_alloc(edges + 1, sizeof *sums->task_of);
    sums->step = topo_alloc(edges + 1, sizeof *sums->step);
    entry = topo_alloc((size_t)sums->tasks + 1, sizeof *entry);
    if (!sums->task || !sums->child || !sums->task_of || !sums->step || !entry)
        goto out;
    for (int block = 0; block < levels->nodes; block++) {
        int from = paths->from[block], above = from < 0 ? -1 : parting(levels, node, from);
        const int *to = paths->to + paths->first_to[block];
        int count = paths->first_to[block + 1] - paths->first_to[block];
        for (int slice = local; slice < slices; slice += ranks) {
            struct topo_sum_task task = {.piece = block * slices + slice, .parent = -1, .children = count};
            task.child = task.step = sums->children;
            if (from >= 0)
                task.parent = driver(levels, from, slice);
            for (int i = 0; i < count; i++)
                sums->child[sums->children++] = driver(levels, to[i], slice);
            task.total = find_steps(levels, node, above, to, count, sums->step + task.step);
            /* Nodes begin with the block of the next node, each with another one's. */
            entry[at++] = (struct entry){task, paths->hops[block], (block - node + levels->nodes) % levels->nodes};
        }
    }
    qsort(entry, (size_t)at, sizeof *entry, by_start);
    for (int i = 0; i < at; i++) {
        sums->task[i] = entry[i].task;
        for (int k = 0; k < entry[i].task.children; k++)
            sums->task_of[entry[i].task.child + k] = i;
    }
    status = TOPO_OK;
out:
    topo_paths_free(paths);
    topo_free(entry);
    if (status == TOPO_OK)
        *out = sums;
    else
        topo_sums_free(sums);
    return status;
}

/* The nodes in the order of the chain to `root`: chain[levels->nodes]. */
static void lay_chain(const struct topo_levels *levels, int root, int *chain)
{
    int at = 0;
    for (int z = 0; z < levels->count; z++) {
        const int *of = levels->level[z].of, *outer = z > 0 ? levels->level[z - 1].of : NULL;
        for (int node = 0; node < levels->nodes; node++)
            if (of[node] != of[root] && (!outer || outer[node] == outer[root]))
                chain[at++] = node;
    }
    chain[at] = root;
}

enum topo_status topo_sums_collect(const struct topo_levels *levels, int root, int node, int local, int slices,
                                   struct topo_sums **out)
{
    struct topo_sums *sums = topo_calloc(1, sizeof *sums);
    int *chain = topo_alloc((size_t)levels->nodes, sizeof *chain);
    int ranks = topo_node_ranks(levels, node), mine = local < slices ? (slices - 1 - local) / ranks + 1 : 0, at = 0;
    size_t edges = (size_t)mine + 1;
    *out = NULL;
    if (!sums || !chain)
        goto out;
    sums->task = topo_alloc(edges, sizeof *sums->task);
    sums->child = topo_alloc(edges, sizeof *sums->child);
    sums->task_of = topo_alloc(edges, sizeof *sums->task_of);
    sums->step = topo_alloc(edges, sizeof *sums->step);
    if (!sums->task || !sums->child || !sums->task_of || !sums->step)
        goto out;
    sums->pieces = sums->slices = slices;
    sums->in_place = node == root ? slices : 0;
    lay_chain(levels, root, chain);
    while (chain[at] != node)
        at++;
    for (int slice = local; slice < slices; slice += ranks) {
        int parent = node == root ? -1 : driver(levels, chain[at + 1], slice), children = at > 0;
        sums->task[sums->tasks] = (struct topo_sum_task){
            .piece = slice, .parent = parent, .child = sums->children, .children = children, .step = sums->children};
        if (children) {
            sums->child[sums->children] = driver(levels, chain[at - 1], slice);
            sums->task_of[sums->children] = sums->tasks;
            sums->step[sums->children++] = (struct topo_sum_step){.from = 1, .into = 0};
        }
        sums->tasks++;
    }
    *out = sums;
    sums = NULL;
out:
    topo_free(chain);
    topo_sums_free(sums);
    return *out ? TOPO_OK : TOPO_NOMEM;
}

int topo_sums_slices(size_t bytes, int nodes, int ranks)
{
    enum { SLICE_LEAST = 65536, SLICE_LEAST_ALONE = 4096 };
    return topo_parts_of(bytes / (size_t)nodes, nodes > 1 ? SLICE_LEAST : SLICE_LEAST_ALONE, ranks);
}

int topo_sums_chain_slices(size_t bytes, int nodes, int ranks)
{
    enum { SLICE_LEAST = 65536, SLICE_LEAST_ALONE = 4096 };
    return topo_parts_of(bytes, nodes > 1 ? SLICE_LEAST : SLICE_LEAST_ALONE, ranks);
}

void topo_sums_free(struct topo_sums *sums)
{
    if (!sums)
        return;
    topo_free(sums->task);
    topo_free(sums->child);
    topo_free(sums->task_of);
    topo_free(sums->step);
    topo_free(sums);
}
