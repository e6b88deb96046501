/* Recursive doubling in the order of ranks (docs/REFERENCES.md, Reduction 7);
 * other numbers than powers of two are folded first.
 *
 * Cost: log2 n (alpha + m beta + m gamma). Keeps the operands in order. */
#include "coll/allreduce/allreduce.h"

int topo_allreduce_recursive_doubling(const struct topo_allreduce *call)
{
    return topo_allreduce_run_folded(call, NULL, call->comm->rank, TOPO_DIM_EXCHANGE);
}
