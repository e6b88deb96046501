/* Reductions of long vectors through windows of node-shared memory: how a vector is cut (reduce_lanes_layout.c), and
 * one call, by a plan in rounds (reduce_lanes.c). */
#ifndef TOPO_COLL_REDUCTION_REDUCE_LANES_H
#define TOPO_COLL_REDUCTION_REDUCE_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "node/shm_windows.h"
#include "patterns/limits.h"
#include "patterns/reduce_cut.h"
#include "plan/forms.h"

/* How the vector is cut and lies in the region. A round takes `blocks` segments of the vector, one after the other; its
 * window has a row of slots for the operands of each rank of the node and a last row for the totals. */
struct topo_reduce_lanes_layout {
    struct topo_shm_windows windows; /* blocks = stripes times those of the cut */
    int stripes;
    size_t count;        /* elements of the vector */
    const size_t *block; /* as in struct topo_reduce_lanes_cut */
    int ahead;
    bool leads;     /* as in struct topo_reduce_lanes_cut */
    int lead;       /* how many shorter rounds come first: 1, 2, .. shares long; others have lead + 1 of these */
    size_t longest; /* elements of a segment at most */
    int rows;       /* of operands: ranks of the largest node, groups where they are added in turn */
    bool pipelined; /* every rank adds its operands to the sum of the ranks before it in its group */
    struct topo_reduce_parts parts;
    struct topo_flag *handed;  /* [ranks of the node] parts that this rank has handed on */
    struct topo_flag *written; /* [ranks of the node] rounds whose operands are in place */
};

/* How a vector is to be cut: equal on all ranks. */
struct topo_reduce_lanes_cut {
    int blocks, stripes; /* a segment of a round for each stripe of each block */
    size_t segment;      /* bytes, at most, unless an element has more */
    int ahead;           /* rounds whose partial sums are received at a time; 0: all that have begun */
    int windows;         /* wanted, where memory allows: 2 .. TOPO_REDUCE_WINDOWS_MOST */
    bool leads;          /* the first rounds are shorter, so that those which are received at a time end in turn */
    bool pipelined;      /* where the vector is long enough for it: not where ranks share processors */
    /* [blocks + 1] first element of each block, then the vector's count; NULL: every round takes one segment of the
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
    const struct topo_reduce_lanes_order *order; /* NULL: the input has the vector's */
};

/* Chooses and finds memory, for fewer stripes and shorter segments where it is scarce; collective over the
 * channel. topo_comm_node() was called before. False, on all ranks alike: there is no shared memory to use. */
bool topo_reduce_lanes_lay_out(struct topo_comm *comm, const struct topo_vector *vector,
                               const struct topo_reduce_lanes_cut *cut, struct topo_reduce_lanes_layout *layout);

/* Runs all rounds of one call after topo_reduce_lanes_lay_out(), by this rank's plan for what *call says beside
 * stripes. What lies in the input may be overwritten by results only where the order is the vector's and all ranks get
 * all of it. Returns an MPI error code. */
int topo_reduce_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, topo_plan_function *form,
                          const struct topo_plan_input *call, struct topo_reduce_lanes_layout *layout,
                          const struct topo_reduce_lanes_io *io);

/* Whether the segments of a vector of `bytes`, with a block for each node, travel as topo_reduce_cut_direct() says: the
 * same on all ranks. topo_comm_node() was called before. False when memory is out. */
bool topo_reduce_lanes_find_direct(struct topo_comm *comm, size_t bytes, bool *direct);

/* First element of a segment of a round, from 0 on in a call. */
size_t topo_reduce_lanes_start(const struct topo_reduce_lanes_layout *layout, int round, int segment);

/* How many it has. */
int topo_reduce_lanes_count(const struct topo_reduce_lanes_layout *layout, int round, int segment);

/* The first element of a segment that a rank gets of which this is the range, and where they end. */
size_t topo_reduce_lanes_wanted(const struct topo_reduce_lanes_layout *layout, const struct topo_result_range *range,
                                int round, int segment, size_t *end);

#endif
