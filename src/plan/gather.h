/* Plans of allgathers. By messages between all ranks the vector has a block for each rank, in the order of the ranks'
 * numbers; of `exch` in that of the ranks. */
#ifndef TOPO_PLAN_GATHER_H
#define TOPO_PLAN_GATHER_H

#include "patterns/paths.h"
#include "plan/forms.h"

/* From this size on a message a block costs less than copying them together. */
enum { TOPO_PLAN_APART_BYTES = 16384 };

topo_plan_function topo_plan_gather_ring;
topo_plan_function topo_plan_gather_bruck, topo_plan_gather_bruck_exch;
topo_plan_function topo_plan_gather_doubling, topo_plan_gather_doubling_exch;

/* Whether a form is one of these, which know nothing of nodes. */
static inline bool topo_plan_is_by_rank(topo_plan_function *form)
{
    return form == topo_plan_gather_ring || form == topo_plan_gather_bruck || form == topo_plan_gather_bruck_exch ||
           form == topo_plan_gather_doubling || form == topo_plan_gather_doubling_exch;
}

/* Between nodes in few steps. The numbers of blocks are places in the tree, and each node has them in an order of its
 * own (struct topo_plan.order). */
topo_plan_function topo_plan_gather_leader, topo_plan_gather_radix;

/* By all ranks of each node in rounds (struct topo_plan.rounds), the same. */
topo_plan_function topo_plan_gather_lanes;

/* How blocks travel by lanes, of which the longest has so many bytes: as one ring of nodes, or, on more than TOPO_RADIX
 * nodes or parts of any unit whose ranks have a processor each, by trees. In a ring each further node costs a latency.
 * By trees blocks come from several nodes at a time, the last ones together: the more ranks then read them, the shorter
 * a segment is. Of nodes with different numbers of ranks the small ones pass on more than their share by trees: those
 * carry one segment there, and rings what is longer. */
struct topo_gather_lanes_cut {
    enum topo_path_kind kind;
    size_t segment; /* bytes, at most */
};
struct topo_gather_lanes_cut topo_gather_lanes_cut(const struct topo_levels *levels, bool oversubscribed,
                                                   size_t longest);

/* Lanes between two nodes. */
int topo_gather_lanes_between(const struct topo_levels *levels, int a, int b);

/* The first of the blocks of `node` that go by lane `lane` of so many; that many further on is the next. Where lanes do
 * not divide them evenly, each node's blocks begin with another lane, so that over all nodes each lane has as many. */
int topo_gather_lane_first(const struct topo_levels *levels, int node, int lanes, int lane);

/* Such a plan bound to a call: of so many rounds, of which as many as there are windows are under way at a time;
 * `differ`: blocks may have different lengths. It owns nothing. */
struct topo_plan topo_plan_in_windows(const struct topo_plan *plan, const struct topo_levels *levels,
                                      enum topo_path_kind kind, bool oversubscribed, bool differ, int rounds,
                                      int windows);

/* Whether each block is a message by itself, straight to its place, in such a form with blocks of `bytes`: equal on all
 * ranks. */
static inline bool topo_plan_is_apart(enum topo_algorithm_id id, size_t bytes)
{
    return id == TOPO_ALGORITHM_allgather_ring || id == TOPO_ALGORITHM_allgather_ring_by_rank ||
           bytes >= TOPO_PLAN_APART_BYTES;
}

/* Begins a plan with a block for each rank. */
static inline void topo_plan_cut_ranks(const struct topo_plan_input *in, struct topo_plan *plan)
{
    plan->cut = (struct topo_pipeline){.bytes = in->bytes};
    plan->ranks = in->tree->ranks;
}

#endif
