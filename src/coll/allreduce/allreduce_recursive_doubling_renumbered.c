/* Recursive doubling on renumbered ranks: virtual number pi(i) is played by rank i
 * (docs/REFERENCES.md, Mapping 3 and 5). n a power of two. Every rank has
 * the same number of exchanges, and the mapping keeps most of them inside the nodes.
 *
 * Cost: log2 n (alpha + m beta + m gamma). */
#include "coll/allreduce/allreduce.h"

int topo_allreduce_recursive_doubling_renumbered(const struct topo_allreduce *call)
{
    const struct topo_renumbering *renumbering =
        call->comm->renumbering[TOPO_GRAPH_RECURSIVE_DOUBLING][TOPO_RENUMBERING_WHOLE];
    return topo_allreduce_run_folded(call, topo_renumbering_pi_inverse(renumbering),
                                     topo_renumbering_number(renumbering, call->comm->rank), TOPO_DIM_EXCHANGE);
}
