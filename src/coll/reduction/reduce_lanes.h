/* Reductions of long vectors through node-shared memory, in iterations: how a vector is cut
 * (reduce_lanes_layout.c), who sends what to whom, and the iterations of one call (reduce_lanes.c). */
#ifndef TOPO_COLL_REDUCTION_REDUCE_LANES_H
#define TOPO_COLL_REDUCTION_REDUCE_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "patterns/limits.h"
#include "patterns/reduce_cut.h"
#include "patterns/reduce_plan.h"

/* How the vector is cut and lies in the region. An iteration takes `segments` segments of
 * the vector, one after the other; it has a window in the region, with a row of
 * places for the operands of each rank of the node and a row for the results. */
struct topo_reduce_lanes_layout {
    int stripes, segments; /* in an iteration; segments = blocks * stripes */
    int iterations, windows;
    uint64_t first;      /* number of this call's iteration 0 among all of the communicator */
    size_t count;        /* elements of the vector */
    const size_t *block; /* as in struct topo_reduce_lanes_cut */
    int ahead;
    bool leads;     /* as in struct topo_reduce_lanes_cut */
    int lead;       /* how many shorter iterations come first: 1, 2, .. shares long; others have lead + 1 of these */
    size_t longest; /* elements of a segment at most */
    size_t stride;  /* bytes of a place */
    int rows;       /* of operands: ranks of the largest node, groups where they are added in turn */
    bool pipelined; /* every rank adds its operands to the sum of the ranks before it in its group */
    struct topo_reduce_parts parts;
    uint64_t first_part;       /* as `first`, of the parts handed on */
    struct topo_flag *handed;  /* [ranks of the node] parts that this rank has handed on */
    struct topo_flag *written; /* [ranks of the node] iterations whose operands are in place */
    /* [ranks of the node] iterations that this rank has done with. */
    struct topo_flag *finished;
    _Atomic uint64_t *filled; /* [windows][segments] number of the iteration whose result is in place + 1 */
    char *places;
};

/* How a vector is to be cut: equal on all ranks. */
struct topo_reduce_lanes_cut {
    int blocks, stripes; /* a segment of an iteration for each stripe of each block */
    size_t segment;      /* bytes, at most, unless an element has more */
    int ahead;           /* iterations whose partial sums are received at a time; 0: all that have begun */
    int windows;         /* wanted, where memory allows: 2 .. TOPO_REDUCE_WINDOWS_MOST */
    bool leads;          /* the first iterations are shorter, so that those which are received at a time end in turn */
    bool pipelined;      /* where the vector is long enough for it: not where ranks share processors */
    /* [blocks + 1] first element of each block, then the vector's count; NULL: every iteration takes one segment of the
     * vector and cuts that into blocks. Must outlive the layout. */
    const size_t *block;
};

/* Elements that lie in the input in another order than they have in the vector: those of run i, from first[i] on, lie
 * one after the other from element from[i] of the input on. */
struct topo_reduce_lanes_order {
    int runs;
    const size_t *first; /* [runs + 1] ends with the vector's count; runs may be empty */
    const size_t *from;  /* [runs] */
};

/* What a rank hands in and gets. */
struct topo_reduce_lanes_io {
    struct topo_result_range range;              /* ranks of a node without results must not have any */
    bool returns;                                /* equal on all ranks: results go back to all nodes */
    const struct topo_reduce_lanes_order *order; /* NULL: the input has the vector's */
};

/* Chooses and finds memory, for fewer stripes and shorter segments where it is scarce; collective over the
 * channel. topo_comm_node() was called before. False, on all ranks alike: there is no shared memory to use. */
bool topo_reduce_lanes_lay_out(struct topo_comm *comm, const struct topo_vector *vector,
                               const struct topo_reduce_lanes_cut *cut, struct topo_reduce_lanes_layout *layout);

/* Runs all iterations of one call after topo_reduce_lanes_lay_out(): `sums` is this rank's part in a vector of so many
 * blocks and stripes. What lies in the input may be overwritten by results only where the order is the vector's and all
 * ranks get all of it. Returns an MPI error code. */
int topo_reduce_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_reduce_plan *plan,
                          const struct topo_reduce_lanes_layout *layout, const struct topo_reduce_lanes_io *io);

/* Whether the segments of a vector of `bytes`, with a block for each node, travel as topo_reduce_cut_direct() says: the
 * same on all ranks. topo_comm_node() was called before. False when memory is out. */
bool topo_reduce_lanes_find_direct(const struct topo_comm *comm, size_t bytes, bool *direct);

/* This rank's part in such a vector, cut into so many stripes, after topo_reduce_lanes_find_direct(); kept for the next
 * call. NULL when memory is out. */
const struct topo_reduce_plan *topo_reduce_lanes_plan(const struct topo_comm *comm, int stripes, bool direct);

/* Turn numbers start at 0 with a call. */
static inline size_t topo_reduce_lanes_window(const struct topo_reduce_lanes_layout *layout, int iteration)
{
    return (layout->first + (uint64_t)iteration) % (uint64_t)layout->windows;
}

/* First element of a segment of an iteration. */
size_t topo_reduce_lanes_start(const struct topo_reduce_lanes_layout *layout, int iteration, int segment);

/* How many it has. */
int topo_reduce_lanes_count(const struct topo_reduce_lanes_layout *layout, int iteration, int segment);

/* The first element of a segment that a rank gets of which this is the range, and where they end. */
size_t topo_reduce_lanes_wanted(const struct topo_reduce_lanes_layout *layout, const struct topo_result_range *range,
                                int iteration, int segment, size_t *end);

/* Where the operands of local rank `row` are; row layout->rows are the results. */
static inline char *topo_reduce_lanes_place(const struct topo_reduce_lanes_layout *layout, int iteration, int row,
                                            int segment)
{
    size_t rows = (size_t)layout->rows + 1, at = topo_reduce_lanes_window(layout, iteration) * rows + (size_t)row;
    return layout->places + (at * (size_t)layout->segments + (size_t)segment) * layout->stride;
}

/* Where a node adds up its operands: in the place of rank 0's, or, where the sum ends up there, in that of the
 * result. */
static inline char *topo_reduce_lanes_own_place(const struct topo_reduce_lanes_layout *layout,
                                                const struct topo_reduce_plan *plan, int iteration, int segment)
{
    return topo_reduce_lanes_place(layout, iteration, segment < plan->in_place ? layout->rows : 0, segment);
}

/* True when all `ranks` of the node whose flags these are have set theirs to `iterations`, modulo 2^32, or later. */
bool topo_reduce_lanes_reached(const struct topo_flag *flag, int ranks, uint32_t iterations);

/* Whether the result of a segment is in place, and to say so. */
bool topo_reduce_lanes_is_filled(const struct topo_reduce_lanes_layout *layout, int iteration, int segment);
void topo_reduce_lanes_fill(const struct topo_reduce_lanes_layout *layout, int iteration, int segment);

#endif
