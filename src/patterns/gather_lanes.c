#include "patterns/gather_lanes.h"

#include <stdlib.h>

#include "base/memory.h"
#include "patterns/limits.h"

/* The blocks of node `origin` on their way into `node`. */
struct message {
    int hops, later; /* messages that they have taken then; which comes later of those with as many */
    int origin, node;
};

static int in_order(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return x->hops != y->hops ? x->hops - y->hops : x->later - y->later;
}

/* All nodes send and receive in this order, so that the first message in it that is under way is waited for by nobody
 * but its receiver: on one level of nodes by distance, so that all have as much to do at any time. */
static struct message message_of(const struct topo_levels *levels, int hops, int origin, int node)
{
    int distance = (node - origin + levels->nodes) % levels->nodes;
    return (struct message){hops, levels->count == 1 ? distance : origin, origin, node};
}

int topo_gather_lanes_between(const struct topo_levels *levels, int a, int b)
{
    int x = topo_node_ranks(levels, a), y = topo_node_ranks(levels, b);
    return x < y ? x : y;
}

int topo_gather_lane_first(const struct topo_levels *levels, int node, int lanes, int lane)
{
    int offset = topo_node_ranks(levels, node) % lanes ? node : 0;
    return (lane + offset) % lanes;
}

/* Writes a task for each block of `node` that local rank `local` carries to or from
 * `other` (the blocks are at index first, first + 1, ...); returns how many. */
static int deal(const struct topo_levels *levels, int node, int first, int here, int other, int local,
                struct topo_gather_lane_task *task)
{
    int lanes = topo_gather_lanes_between(levels, here, other), count = 0;
    if (local >= lanes)
        return 0;
    for (int i = topo_gather_lane_first(levels, node, lanes, local); i < topo_node_ranks(levels, node); i += lanes)
        task[count++] = (struct topo_gather_lane_task){first + i, levels->start[other] + local};
    return count;
}

struct topo_gather_lanes_cut topo_gather_lanes_cut(const struct topo_levels *levels, bool oversubscribed,
                                                   size_t longest)
{
    enum { ALL_RANKS = 64 << 10, LEAST = 8 << 10 };
    size_t segment = ALL_RANKS / (size_t)levels->ranks_most;
    segment = segment < LEAST ? LEAST : segment < TOPO_SEGMENT_BYTES ? segment : TOPO_SEGMENT_BYTES;
    bool trees = !oversubscribed && (levels->ranks_least == levels->ranks_most || longest <= segment);
    for (int z = 0; z < levels->count && trees; z++)
        if (topo_group_of(levels, z, 0).count > TOPO_RADIX)
            return (struct topo_gather_lanes_cut){TOPO_PATH_TREE, segment};
    return (struct topo_gather_lanes_cut){TOPO_PATH_RING, TOPO_SEGMENT_BYTES};
}

enum topo_status topo_gather_lanes_new(const struct topo_levels *levels, int node, int local, enum topo_path_kind kind,
                                       struct topo_gather_lanes **out)
{
    size_t nodes = (size_t)levels->nodes, blocks = (size_t)levels->start[levels->nodes], sends = 0, leaves = 0;
    TOPO_SCOPED_BY(topo_gather_lanes_end) struct topo_gather_lanes *lanes = topo_calloc(1, sizeof *lanes);
    TOPO_SCOPED struct message *here = topo_alloc(nodes, sizeof *here);
    TOPO_SCOPED struct message *there = NULL;
    TOPO_SCOPED int *first = topo_alloc(nodes, sizeof *first); /* index of the first block of each node */
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;

    *out = NULL;
    if (!lanes || !here || !first || topo_paths_new(levels, node, kind, &paths) != TOPO_OK)
        return TOPO_NOMEM;
    there = topo_alloc((size_t)paths->first_to[nodes] + 1, sizeof *there);
    if (!there)
        return TOPO_NOMEM;
    for (int o = 0; o < levels->nodes; o++) {
        here[o] = message_of(levels, paths->hops[o], o, node);
        for (int edge = paths->first_to[o]; edge < paths->first_to[o + 1]; edge++)
            there[leaves++] = message_of(levels, paths->hops[o] + 1, o, paths->to[edge]);
        sends += (size_t)(paths->first_to[o + 1] - paths->first_to[o]) * (size_t)topo_node_ranks(levels, o);
    }
    qsort(here, nodes, sizeof *here, in_order);
    qsort(there, leaves, sizeof *there, in_order);
    lanes->blocks = (int)blocks;
    lanes->own = local;
    lanes->position = topo_alloc(blocks, sizeof *lanes->position);
    lanes->receive = topo_alloc(blocks, sizeof *lanes->receive);
    lanes->send = topo_alloc(sends, sizeof *lanes->send);
    if (!lanes->position || !lanes->receive || !lanes->send)
        return TOPO_NOMEM;
    for (int i = 0, index = 0; i < levels->nodes; i++) {
        int o = here[i].origin, ranks = topo_node_ranks(levels, o);
        first[o] = index;
        if (o != node)
            lanes->receives += deal(levels, o, index, node, paths->from[o], local, lanes->receive + lanes->receives);
        for (int r = 0; r < ranks; r++)
            lanes->position[index++] = levels->start[o] + r;
    }
    for (size_t i = 0; i < leaves; i++)
        lanes->sends += deal(levels, there[i].origin, first[there[i].origin], node, there[i].node, local,
                             lanes->send + lanes->sends);
    *out = TOPO_KEPT(lanes);
    return TOPO_OK;
}

void topo_gather_lanes_free(struct topo_gather_lanes *lanes)
{
    if (!lanes)
        return;
    topo_free_all(lanes->position, lanes->receive, lanes->send, lanes);
}
