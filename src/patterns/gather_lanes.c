#include "patterns/gather_lanes.h"

#include <stdlib.h>

#include "base/memory.h"

struct origin {
    int node, hops;
};

static int by_hops(const void *a, const void *b)
{
    const struct origin *x = a, *y = b;
    return x->hops != y->hops ? x->hops - y->hops : x->node - y->node;
}

/* Lanes between two nodes. */
static int lanes_between(const struct topo_levels *levels, int a, int b)
{
    int x = topo_node_ranks(levels, a), y = topo_node_ranks(levels, b);
    return x < y ? x : y;
}

/* Writes a task for each block of `node` that local rank `local` carries to or from
 * `other` (the blocks are at index first, first + 1, ...); returns how many. */
static int deal(const struct topo_levels *levels, int node, int first, int here, int other, int local,
                struct topo_gather_lane_task *task)
{
    int lanes = lanes_between(levels, here, other), count = 0;
    if (local >= lanes)
        return 0;
    for (int i = local; i < topo_node_ranks(levels, node); i += lanes)
        task[count++] = (struct topo_gather_lane_task){first + i, levels->start[other] + local};
    return count;
}

enum topo_status topo_gather_lanes_new(const struct topo_levels *levels, int node, int local, enum topo_path_kind kind,
                                       struct topo_gather_lanes **out)
{
    size_t blocks = (size_t)levels->start[levels->nodes], sends = 0;
    TOPO_SCOPED_BY(topo_gather_lanes_end) struct topo_gather_lanes *lanes = topo_calloc(1, sizeof *lanes);
    TOPO_SCOPED struct origin *origin = topo_alloc((size_t)levels->nodes, sizeof *origin);
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;

    *out = NULL;
    if (!lanes || !origin || topo_paths_new(levels, node, kind, &paths) != TOPO_OK)
        return TOPO_NOMEM;
    for (int o = 0; o < levels->nodes; o++) {
        origin[o] = (struct origin){o, paths->hops[o]};
        sends += (size_t)(paths->first_to[o + 1] - paths->first_to[o]) * (size_t)topo_node_ranks(levels, o);
    }
    qsort(origin, (size_t)levels->nodes, sizeof *origin, by_hops);
    lanes->blocks = (int)blocks;
    lanes->own = local;
    lanes->position = topo_alloc(blocks, sizeof *lanes->position);
    lanes->receive = topo_alloc(blocks, sizeof *lanes->receive);
    lanes->send = topo_alloc(sends, sizeof *lanes->send);
    if (!lanes->position || !lanes->receive || !lanes->send)
        return TOPO_NOMEM;
    for (int i = 0, index = 0; i < levels->nodes; i++) {
        int o = origin[i].node, ranks = topo_node_ranks(levels, o);
        if (o != node)
            lanes->receives += deal(levels, o, index, node, paths->from[o], local, lanes->receive + lanes->receives);
        for (int edge = paths->first_to[o]; edge < paths->first_to[o + 1]; edge++)
            lanes->sends += deal(levels, o, index, node, paths->to[edge], local, lanes->send + lanes->sends);
        for (int r = 0; r < ranks; r++)
            lanes->position[index++] = levels->start[o] + r;
    }
    *out = TOPO_KEPT(lanes);
    return TOPO_OK;
}

void topo_gather_lanes_free(struct topo_gather_lanes *lanes)
{
    if (!lanes)
        return;
    topo_free_all(lanes->position, lanes->receive, lanes->send, lanes);
}
