/* Reduce-scatter and allgather by recursive halving, nearest ranks first
 * (docs/REFERENCES.md, Reduction 7), other numbers than powers of two folded first.
 * The first halves are exchanged inside the nodes, where the vector is long; a link
 * carries 2m(1 - 1/nodes) where nodes are even.
 *
 * Cost: 2 log2 n alpha + 2m(1 - 1/n) beta + m(1 - 1/n) gamma. An operation that
 * does not commute runs in the order of ranks, whatever the placement. */
#include "coll/allreduce/allreduce.h"

int topo_allreduce_recursive_halving(const struct topo_allreduce *call)
{
    const struct topo_comm *comm = call->comm;
    if (call->commutative)
        return topo_allreduce_run_folded(call, &comm->tree->order, comm->position, TOPO_DIM_RING);
    return topo_allreduce_run_folded(call, NULL, comm->rank, TOPO_DIM_RING);
}
