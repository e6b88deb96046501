/* Reduce for short vectors: the sum through node-shared memory (reduction/node_sum.h),
 * sent to one rank of another node, level by level, until the root's node has it. Only
 * the root waits for the sum; another rank leaves when its operands are in place and
 * what it drives was sent.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) (o + m beta + m gamma)), o the processor's time for
 * a message, plus two hand-overs, p m gamma and two copies inside the node. */
#include "coll/reduction/node_sum.h"
#include "coll/reduce/reduce.h"

/* The rounds of this rank's node; those of the last root are kept. NULL when memory is out. */
static const struct topo_rounds *rounds_to(struct topo_comm *comm, int root)
{
    struct topo_shared *shared = comm->shared;
    struct topo_rounds **kept = &shared->rounds[TOPO_ROUNDS_COLLECT];
    const struct topo_levels *levels = topo_shared_few(comm);
    int node = topo_tree_node_of(comm->tree, root);
    if (*kept && shared->collect_root != node) {
        topo_rounds_free(*kept);
        *kept = NULL;
    }
    shared->collect_root = node;
    return *kept || (levels && topo_rounds_collect(levels, node, shared->node, kept) == TOPO_OK) ? *kept : NULL;
}

int topo_reduce_leader(const struct topo_reduce *call)
{
    struct topo_comm *comm = call->comm;
    const struct topo_vector *vector = &call->vector;
    const struct topo_rounds *rounds = topo_shared_of(comm) ? rounds_to(comm, call->root) : NULL;
    bool there;
    if (!rounds)
        return MPI_ERR_NO_MEM;
    const struct topo_share share = {.end = comm->rank == call->root ? vector->count : 0};
    int code = topo_node_sum(comm, vector, rounds, &share, &there);
    if (there)
        return code;
    return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_by_messages(call);
}
