/* Allgather for short blocks: the ranks of a node put their blocks into shared
 * memory, one of them exchanges with one rank of every other node, level by
 * level, and all copy the result out.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) o) + (N-1) p m beta, o the processor's time for a
 * message, plus two hand-overs and n m bytes copied inside the node. */
#include "coll/allgather/allgather.h"
#include "coll/gather/gather_node_steps.h"

int topo_allgather_leader(const struct topo_allgather *call)
{
    return topo_gather_node_steps(call, TOPO_NODE_STEPS_LEADER, TOPO_RADIX, 1);
}
