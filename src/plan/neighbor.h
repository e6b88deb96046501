/* Plans of neighbourhood collectives, whose blocks travel along the edges of a graph. A rank's vector has what it
 * receives, then what it sends; a block's number, in struct topo_plan.order, says which one of all it is: that of the
 * rank that it comes from, or of the edge, as topo_neighbor_number() says. */
#ifndef TOPO_PLAN_NEIGHBOR_H
#define TOPO_PLAN_NEIGHBOR_H

#include "plan/forms.h"

/* The tasks in their order. Between two nodes one bundle goes ACROSS with all blocks that travel from the one to the
 * other; it is made of bundles that go UP to its sender, and its receiver sends bundles DOWN. */
enum topo_neighbor_task {
    TOPO_NEIGHBOR_UP_IN,
    TOPO_NEIGHBOR_ACROSS_IN,
    TOPO_NEIGHBOR_DOWN_IN,
    TOPO_NEIGHBOR_DIRECT_IN, /* blocks by themselves, in the order of their edges */
    TOPO_NEIGHBOR_DIRECT_OUT,
    TOPO_NEIGHBOR_UP_OUT,
    TOPO_NEIGHBOR_ACROSS_OUT,
    TOPO_NEIGHBOR_DOWN_OUT,
    TOPO_NEIGHBOR_TASKS
};

/* Among more ranks numbers of edges are no int. */
enum { TOPO_NEIGHBOR_RANKS_MOST = 46340 };

/* One block goes along all edges of a rank; another one along each, where of several between the same two ranks each
 * goes by itself; the same, and all go by themselves. */
enum topo_neighbor_form { TOPO_NEIGHBOR_ONE_BLOCK, TOPO_NEIGHBOR_BLOCKS, TOPO_NEIGHBOR_DIRECT };

/* Of a graph, sorted by topo_edges_sort(); as often as there are several from one rank to another. */
struct topo_edge {
    int from, to;
};
struct topo_edges {
    struct topo_edge *edge;
    int count;
};

/* The plan of in->rank. `edges` are all that begin or end on its node; others do not matter, nor do those from a rank
 * to itself. Of *in tree, levels, rank and bytes, those of a block, are looked at. Errors: TOPO_NOMEM. */
enum topo_status topo_plan_neighbor(const struct topo_plan_input *in, const struct topo_edges *edges,
                                    enum topo_neighbor_form form, struct topo_plan *plan);

static inline int topo_neighbor_number(struct topo_edge edge, int ranks, bool gathers)
{
    return gathers ? edge.from : edge.from * ranks + edge.to;
}

/* Puts edges in the order in which plans take them: by where they come from, then by where they go. */
void topo_edges_sort(struct topo_edge *edge, int count);

/* Of a plan with bundles: source[block] for each that is sent in one, the block by which it came, or -1 as it is this
 * rank's own; arrives[i] for each of so many numbers the block by which it came in a bundle ACROSS or DOWN, or -1.
 * Errors: TOPO_NOMEM. */
enum topo_status topo_neighbor_sources(const struct topo_plan *plan, int *source, const int *number, int count,
                                       int *arrives);

#endif
