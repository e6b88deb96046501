#include "select/select.h"

#include "patterns/levels.h"

#include "base/memory.h"
#include "select/tuning.h"

enum topo_status topo_layout_of(const struct topo_tree *tree, struct topo_layout *layout)
{
    int level = topo_tree_node_level(tree);
    int nodes = tree->units[level];
    int *sizes = topo_alloc((size_t)nodes, sizeof *sizes);
    if (!sizes)
        return TOPO_NOMEM;
    topo_tree_unit_sizes(tree, level, sizes);
    layout->ranks = tree->ranks;
    layout->nodes = nodes;
    layout->node_ranks_min = layout->node_ranks_max = sizes[0];
    for (int node = 1; node < nodes; node++) {
        if (sizes[node] < layout->node_ranks_min)
            layout->node_ranks_min = sizes[node];
        if (sizes[node] > layout->node_ranks_max)
            layout->node_ranks_max = sizes[node];
    }
    layout->by_slot = topo_tree_is_consecutive(tree, level);
    layout->has_shm = true;
    topo_free(sizes);
    return TOPO_OK;
}

/* The rules of allgather, as measured (docs/measurements/allgather.md): on one
 * node with 2 to 16 ranks; on emulated clusters at 1 Gbit/s of 4x4, 2x8, 7/5/3/1 and
 * 2 racks x 2 x 4 ranks, and of 1 and 2 ranks a node, by slot and by node. Where ours
 * and the better of Open MPI's tuned and HAN are close the native one stays. */
enum {
    /* One node. Two ranks copy a long block faster from one another than through a third place;
     * for short blocks many ranks at one counter have not been measured. */
    PAIR_LONG = 96 << 10,
    CROWD = 32,
    CROWD_SHORT = 512,
    LEADER_TOTAL = 1 << 20, /* bytes of all blocks; above, lanes need less memory */
    /* Several nodes, bytes of the largest node's blocks: below LONG, as many as MPI sends without asking, the fewest
     * messages count (radix); from LONG on all ranks of a node drive its link. */
    LONG = 65536,
    SHORT_TWO = 1024, /* two ranks a node: below, meeting costs more than the messages it saves */
    /* One rank a node, or no memory in common. */
    LONG_SINGLE = 32768,
    LONG_MESSAGES = 32768
};

/* Even nodes, more than two, and neighbours in the numbering on different ones. */
static bool dealt_round_many(const struct topo_layout *layout)
{
    return layout->nodes > 2 && layout->node_ranks_min == layout->node_ranks_max && !layout->by_slot;
}

static enum topo_algorithm_id allgather_on_one_node(const struct topo_layout *layout, size_t bytes)
{
    size_t ranks = (size_t)layout->ranks;
    if (!layout->has_shm || (ranks == 2 && bytes >= PAIR_LONG) || (ranks > CROWD && bytes < CROWD_SHORT))
        return TOPO_ALGORITHM_allgather_native;
    return bytes <= LEADER_TOTAL / ranks ? TOPO_ALGORITHM_allgather_leader : TOPO_ALGORITHM_allgather_lanes;
}

static enum topo_algorithm_id allgather(const struct topo_layout *layout, size_t bytes)
{
    if (layout->nodes < 2)
        return allgather_on_one_node(layout, bytes);
    if (layout->node_ranks_max < 2)
        return layout->has_shm && layout->nodes > 3 && bytes >= LONG_SINGLE ? TOPO_ALGORITHM_allgather_lanes
                                                                            : TOPO_ALGORITHM_allgather_native;
    if (!layout->has_shm)
        return bytes >= LONG_MESSAGES ? TOPO_ALGORITHM_allgather_bruck_reorder : TOPO_ALGORITHM_allgather_native;
    size_t from = LONG / (size_t)layout->node_ranks_max;
    /* There native's neighbours exchange as few messages, without meeting first. */
    if (dealt_round_many(layout) && bytes >= from && bytes < 2 * from)
        return TOPO_ALGORITHM_allgather_native;
    if (bytes >= from)
        return TOPO_ALGORITHM_allgather_lanes;
    return layout->node_ranks_max > 2 || bytes >= SHORT_TWO ? TOPO_ALGORITHM_allgather_radix
                                                            : TOPO_ALGORITHM_allgather_native;
}

/* Blocks of different lengths, by their mean: the same forms. Native sends far more over the links; its not meeting
 * first makes up for that where allgather has it, and with two ranks a node (docs/measurements/allgather.md). */
enum { ALLGATHERV_SHORT_TWO = 2048 };

static enum topo_algorithm_id allgatherv(const struct topo_layout *layout, size_t bytes)
{
    if (!layout->has_shm)
        return TOPO_ALGORITHM_allgatherv_native;
    if (layout->nodes < 2)
        switch (allgather_on_one_node(layout, bytes)) {
        case TOPO_ALGORITHM_allgather_leader: return TOPO_ALGORITHM_allgatherv_leader;
        case TOPO_ALGORITHM_allgather_lanes: return TOPO_ALGORITHM_allgatherv_lanes;
        default: return TOPO_ALGORITHM_allgatherv_native;
        }
    if (layout->node_ranks_max < 2 ||
        (layout->node_ranks_max == 2 && (!layout->by_slot || bytes < ALLGATHERV_SHORT_TWO)))
        return TOPO_ALGORITHM_allgatherv_native;
    size_t from = LONG / (size_t)layout->node_ranks_max;
    if (dealt_round_many(layout) && bytes >= from && bytes < 2 * from)
        return TOPO_ALGORITHM_allgatherv_native;
    return bytes < from ? TOPO_ALGORITHM_allgatherv_radix : TOPO_ALGORITHM_allgatherv_lanes;
}

/* Measured likewise, and on one node alone with 2, 4 and 16 ranks
 * (docs/measurements/allreduce.md): below LONG, of each node's block of the vector, few messages and hand-overs
 * count, from LONG on the bytes through each node's link and memory, in which placement
 * makes no difference. */
enum {
    ALLREDUCE_LONG = 16384,
    ALLREDUCE_LONG_TWO = 20480, /* two nodes: as many bytes in one exchange as in the two of lanes */
    ALLREDUCE_SHORT_TWO = 2048
};

/* Without shared memory: with cyclic placement native sends neighbours'
 * blocks over the links; the cyclic grid follows the nodes (0.34 of the native time on
 * 4x4 by node at 128 KiB, HAN 0.70). */
enum { ALLREDUCE_LONG_DEALT = 131072 };

static enum topo_algorithm_id allreduce(const struct topo_layout *layout, size_t bytes)
{
    bool even = layout->node_ranks_min == layout->node_ranks_max;
    bool dealt_round = layout->nodes > 1 && even && !layout->by_slot;
    if (layout->node_ranks_max < 2)
        return TOPO_ALGORITHM_allreduce_native;
    if (!layout->has_shm)
        return dealt_round && bytes >= ALLREDUCE_LONG_DEALT ? TOPO_ALGORITHM_allreduce_cyclic
                                                            : TOPO_ALGORITHM_allreduce_native;
    if (layout->nodes > 1 && layout->node_ranks_max == 2 && bytes < ALLREDUCE_SHORT_TWO)
        return TOPO_ALGORITHM_allreduce_native;
    size_t from = layout->nodes == 2 ? ALLREDUCE_LONG_TWO : ALLREDUCE_LONG;
    return bytes / (size_t)layout->nodes >= from ? TOPO_ALGORITHM_allreduce_lanes : TOPO_ALGORITHM_allreduce_leader;
}

/* Mean bytes from a rank to another. On one node short messages go through memory faster than by themselves, as long as
 * all of them together stay in caches. On several, below SHORT the number of messages on a node's link counts. Above it
 * the link's bytes count, which are the same in all forms; from LONG to LONGEST, between two nodes later, it pays to
 * send in pieces, a few at once (docs/measurements/alltoall.md). */
enum {
    ALLTOALLV_NODE = 12 << 10,
    ALLTOALLV_NODE_ALL = 4 << 20,
    ALLTOALLV_SHORT = 20 << 10,
    ALLTOALLV_LONG = 64 << 10,
    ALLTOALLV_LONG_TWO = 768 << 10,
    ALLTOALLV_LONGEST = 2 << 20,
};

static bool exchanges_in_memory(const struct topo_layout *layout, size_t bytes)
{
    size_t ranks = (size_t)layout->ranks;
    if (layout->nodes < 2)
        return ranks <= CROWD && bytes <= ALLTOALLV_NODE && bytes <= ALLTOALLV_NODE_ALL / (ranks * ranks);
    return bytes < ALLTOALLV_SHORT;
}

static enum topo_algorithm_id alltoallv(const struct topo_layout *layout, size_t bytes)
{
    if (!layout->has_shm || layout->node_ranks_max < 2)
        return TOPO_ALGORITHM_alltoallv_native;
    if (exchanges_in_memory(layout, bytes))
        return TOPO_ALGORITHM_alltoallv_node_aware;
    size_t from = layout->nodes > 2 ? ALLTOALLV_LONG : ALLTOALLV_LONG_TWO;
    return layout->nodes > 1 && bytes >= from && bytes <= ALLTOALLV_LONGEST ? TOPO_ALGORITHM_alltoallv_direct
                                                                            : TOPO_ALGORITHM_alltoallv_native;
}

/* Barriers, measured likewise (docs/measurements/barrier.md). On more nodes native was as fast; one counter for very
 * many ranks of a node has not been measured. */
enum { NODES_FEW = 4 };

static bool meets_in_few_nodes(const struct topo_layout *layout)
{
    return layout->has_shm && layout->nodes <= NODES_FEW && layout->node_ranks_max > 1 &&
           layout->node_ranks_max <= CROWD;
}

static enum topo_algorithm_id barrier(const struct topo_layout *layout)
{
    return meets_in_few_nodes(layout) ? TOPO_ALGORITHM_barrier_leader : TOPO_ALGORITHM_barrier_native;
}

/* Broadcasts. Inside a node memory is faster than messages but for a few bytes. Between up to four nodes the chain was
 * the fastest of all; among three or four even ones as fast as `leader` up to SHORT, slower where the nodes are in
 * racks; below PACKED native's messages were as fast where ranks of several nodes are in order. Among more nodes the
 * bytes cross the root's link RADIX - 1 times a level with `leader`, but have only so many levels to go, and in a chain
 * once, but nodes - 2 pieces later: whichever is shorter, where `leader` was no slower. */
enum { BCAST_NODE = 512, BCAST_PACKED = 64, BCAST_SHORT = 4 << 10, BCAST_MANY = 1024, BCAST_PIECE = 32 << 10 };

static enum topo_algorithm_id bcast(const struct topo_layout *layout, size_t bytes)
{
    bool even = layout->node_ranks_min == layout->node_ranks_max;
    size_t nodes = (size_t)layout->nodes, pieces = (bytes + BCAST_PIECE - 1) / BCAST_PIECE, crossings = 0;
    if (!layout->has_shm || layout->node_ranks_max < 2 || layout->node_ranks_max > CROWD)
        return TOPO_ALGORITHM_bcast_native;
    if (nodes == 1)
        return bytes < BCAST_NODE ? TOPO_ALGORITHM_bcast_native : TOPO_ALGORITHM_bcast_leader;
    if (nodes > 2 && nodes <= NODES_FEW && even && bytes < BCAST_SHORT)
        return layout->by_slot && bytes < BCAST_PACKED ? TOPO_ALGORITHM_bcast_native : TOPO_ALGORITHM_bcast_leader;
    if (nodes <= NODES_FEW)
        return TOPO_ALGORITHM_bcast_chain;
    if (bytes < BCAST_MANY)
        return TOPO_ALGORITHM_bcast_native;
    for (size_t reached = 1; reached < nodes; reached *= TOPO_RADIX)
        crossings += TOPO_RADIX - 1;
    return pieces * crossings < pieces + nodes - 2 ? TOPO_ALGORITHM_bcast_leader : TOPO_ALGORITHM_bcast_chain;
}

/* Reductions. The very shortest messages are left to the native calls inside a node and where even nodes' ranks are
 * dealt round, so that half of the ranks hand theirs to one of their own node: a counter costs more. `leader` sends a
 * short vector to the root's node at once, the chain sends it through every node, but every link carries it once:
 * between two nodes that is the same until `leader` has to go stretch by stretch. By slot the native trees keep most
 * bytes inside a node, and between LONG and AGAIN were as fast. */
enum {
    REDUCE_SHORT = 512,
    REDUCE_LONG = 8 << 10,
    REDUCE_DEALT = 32 << 10, /* the chain from here on, on one node too */
    REDUCE_AGAIN = 64 << 10,
    REDUCE_PAIR = 256 << 10,
    REDUCE_NODES = 8 /* the chain was not measured on more */
};

/* From so many bytes on the chain; `few` says that `leader` is there for less. */
static size_t reduce_chain_from(const struct topo_layout *layout, bool even, bool few)
{
    if (layout->nodes == 2)
        return REDUCE_PAIR + 1;
    if (!few)
        return REDUCE_AGAIN;
    if (layout->nodes == 1 || (even && !layout->by_slot))
        return REDUCE_DEALT;
    return even ? REDUCE_AGAIN : REDUCE_LONG + 1;
}

static enum topo_algorithm_id reduce(const struct topo_layout *layout, size_t bytes)
{
    bool even = layout->node_ranks_min == layout->node_ranks_max, one = layout->nodes == 1;
    bool few = layout->nodes <= NODES_FEW && (one || layout->node_ranks_max > 2);
    bool dealt_round = one || (even && !layout->by_slot);
    if (!layout->has_shm || layout->node_ranks_max < 2 || layout->node_ranks_max > CROWD ||
        layout->nodes > REDUCE_NODES)
        return TOPO_ALGORITHM_reduce_native;
    if (bytes >= reduce_chain_from(layout, even, few))
        return TOPO_ALGORITHM_reduce_chain;
    if (!few || (dealt_round && bytes < REDUCE_SHORT))
        return TOPO_ALGORITHM_reduce_native;
    if (layout->nodes > 2 && even && layout->by_slot && bytes > REDUCE_LONG)
        return TOPO_ALGORITHM_reduce_native;
    return TOPO_ALGORITHM_reduce_leader;
}

/* Blocks of equal length, measured likewise (docs/measurements/alltoall.md): longer ones take as long natively between
 * nodes, whose links have no less to carry then. On one node, what fits into the memory that node_aware takes for all
 * blocks. */
enum {
    ALLTOALL_SHORT = 16 << 10,
    ALLTOALL_SHORT_PAIR = 12 << 10,
    ALLTOALL_NODE = 4 << 20,
};

static enum topo_algorithm_id alltoall(const struct topo_layout *layout, size_t bytes)
{
    size_t ranks = (size_t)layout->ranks;
    bool together = layout->has_shm && layout->node_ranks_max > 1;
    if (layout->nodes == 1)
        together &= ranks <= CROWD && bytes <= ALLTOALL_NODE / (ranks * ranks);
    else
        together &= bytes < (layout->nodes == 2 ? ALLTOALL_SHORT_PAIR : ALLTOALL_SHORT);
    return together ? TOPO_ALGORITHM_alltoall_node_aware : TOPO_ALGORITHM_alltoall_native;
}

/* Reduce-scatters, by the mean bytes of a rank's part, measured likewise (docs/measurements/reduce_scatter.md). On one
 * node a rank adds up its part by itself, as long as all parts are short. Between nodes few messages count until a
 * node's parts have LONG bytes; with two ranks a node native's are as few, and with cyclic placement its bytes are,
 * too. */
enum { SCATTER_NODE = 256 << 10, SCATTER_LONG = 512, SCATTER_PAIRS = 1 << 10, SCATTER_PAIRS_DEALT = 16 << 10 };

static enum topo_algorithm_id reduce_scatter_block(const struct topo_layout *layout, size_t bytes)
{
    size_t ranks = (size_t)layout->ranks, nodes = (size_t)layout->nodes, pairs = SCATTER_PAIRS_DEALT;
    bool lanes = nodes > 1 ? bytes >= SCATTER_LONG * nodes / ranks : bytes > SCATTER_NODE / ranks;
    if (layout->by_slot && layout->node_ranks_min == layout->node_ranks_max)
        pairs = SCATTER_PAIRS;
    if (!layout->has_shm || layout->node_ranks_max < 2 || layout->node_ranks_max > CROWD ||
        (nodes > 1 && layout->node_ranks_max == 2 && bytes < pairs))
        return TOPO_ALGORITHM_reduce_scatter_block_native;
    return lanes ? TOPO_ALGORITHM_reduce_scatter_block_lanes : TOPO_ALGORITHM_reduce_scatter_block_leader;
}

/* Open MPI uses a ring while messages are eager; with by-slot placement no node receives more than it sends, so native
 * wins on very uneven nodes between 20 and 64 KiB. `lanes` brings the largest node its part once from each other one.
 */
enum { SCATTER_AROUND = 20 << 10 };

static enum topo_algorithm_id reduce_scatter(const struct topo_layout *layout, size_t bytes)
{
    bool uneven = layout->node_ranks_max * layout->nodes > layout->ranks / 2 * 3;
    if (layout->nodes > 2 && layout->by_slot && uneven && bytes >= SCATTER_AROUND && bytes < LONG)
        return TOPO_ALGORITHM_reduce_scatter_native;
    switch (reduce_scatter_block(layout, bytes)) {
    case TOPO_ALGORITHM_reduce_scatter_block_leader: return TOPO_ALGORITHM_reduce_scatter_leader;
    case TOPO_ALGORITHM_reduce_scatter_block_lanes: return TOPO_ALGORITHM_reduce_scatter_lanes;
    default: return TOPO_ALGORITHM_reduce_scatter_native;
    }
}

const struct topo_algorithm *topo_select(const struct topo_tuning *tuning, enum topo_operation operation,
                                         const struct topo_layout *layout, size_t bytes)
{
    const struct topo_rule *rule = topo_tuning_find(tuning, operation, layout, bytes);
    if (rule)
        return rule->algorithm;
    switch (operation) {
    case TOPO_OPERATION_allgather: return topo_algorithm(allgather(layout, bytes));
    case TOPO_OPERATION_allreduce: return topo_algorithm(allreduce(layout, bytes));
    case TOPO_OPERATION_alltoallv: return topo_algorithm(alltoallv(layout, bytes));
    case TOPO_OPERATION_barrier: return topo_algorithm(barrier(layout));
    case TOPO_OPERATION_bcast: return topo_algorithm(bcast(layout, bytes));
    case TOPO_OPERATION_allgatherv: return topo_algorithm(allgatherv(layout, bytes));
    case TOPO_OPERATION_alltoall: return topo_algorithm(alltoall(layout, bytes));
    case TOPO_OPERATION_reduce: return topo_algorithm(reduce(layout, bytes));
    case TOPO_OPERATION_reduce_scatter: return topo_algorithm(reduce_scatter(layout, bytes));
    case TOPO_OPERATION_reduce_scatter_block: return topo_algorithm(reduce_scatter_block(layout, bytes));
    default: return topo_algorithm_native(operation);
    }
}
