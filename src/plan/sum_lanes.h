/* Who adds up what in long sums that all ranks of a node drive (plan/sum_lanes.c). */
#ifndef TOPO_PLAN_SUM_LANES_H
#define TOPO_PLAN_SUM_LANES_H

#include "patterns/trees.h"
#include "plan/forms.h"

/* How a sum by lanes of a vector of `bytes` is cut, or, `scatters`, a reduce-scatter: stripes of each node's block;
 * whether it travels along `levels`, the tree's own, else along `few`, of at most TOPO_RADIX parts; bytes of a segment,
 * at most. Errors: TOPO_NOMEM. */
struct topo_sum_cut {
    int stripes;
    bool direct;
    size_t segment;
};
enum topo_status topo_sum_lanes_cut(const struct topo_levels *levels, const struct topo_levels *few, size_t bytes,
                                    bool scatters, bool oversubscribed, struct topo_sum_cut *cut);

/* How stripes of blocks are dealt out to the ranks of a node: of each block by their numbers in it, or across all. */
struct topo_stripes_dealt {
    const struct topo_levels *levels;
    int stripes; /* of a block */
    bool across;
};
struct topo_stripes_dealt topo_stripes_deal(const struct topo_levels *levels, int stripes, bool oversubscribed);

/* The place in tree order of the rank of a node that drives a stripe, by its number among those of all blocks. */
int topo_stripe_driver(const struct topo_stripes_dealt *dealt, int node, int stripe);

/* Where a node stands in the tree that a stripe goes up to `root`, of so many trees as struct topo_plan_input has it:
 * the nodes next to it. Errors: TOPO_NOMEM. */
struct topo_stripe_place {
    int parent, children, child[TOPO_TREES_MOST]; /* parent -1: none */
};
enum topo_status topo_stripe_place(const struct topo_levels *levels, int root, int node, int trees, int stripe,
                                   struct topo_stripe_place *place);

#endif
