/* Reductions of long vectors through node-shared memory, in turns: how a vector is cut
 * (reduce_lanes_layout.c), and the turns of one call (reduce_lanes.c). */
#ifndef TOPO_COLL_REDUCTION_REDUCE_LANES_H
#define TOPO_COLL_REDUCTION_REDUCE_LANES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "coll/reduction/vector.h"
#include "comm/comm.h"
#include "patterns/reduce_plan.h"

enum {
    TOPO_LANES_WINDOWS_MOST = 8,
    /* Bytes of a piece; short enough for MPI to send without asking (docs/LEVELS.md, long messages). */
    TOPO_LANES_PIECE = 32768
};

/* How the vector is cut and lies in the segment. A turn takes `pieces` pieces of
 * the vector, one after the other; it has a window in the segment, with a row of
 * places for the operands of each rank of the node and a row for the results. */
struct topo_lanes_layout {
    int slices, pieces; /* in a turn; pieces = blocks * slices */
    int turns, windows;
    uint64_t first;            /* number of this call's turn 0 among all of the communicator */
    size_t count;              /* elements of the vector */
    const size_t *block;       /* as in struct topo_lanes_cut */
    size_t longest;            /* elements of a piece at most */
    size_t stride;             /* bytes of a place */
    int rows;                  /* of operands: ranks of the largest node */
    struct topo_flag *written; /* [ranks of the node] turns whose operands are in place */
    /* [ranks of the node] turns that this rank has done with. */
    struct topo_flag *finished;
    _Atomic uint64_t *filled; /* [windows][pieces] number of the turn whose result is in place + 1 */
    char *places;
};

/* How a vector is to be cut: equal on all ranks. */
struct topo_lanes_cut {
    int blocks, slices; /* a piece of a turn for each slice of each block */
    size_t piece;       /* bytes, at most, unless an element has more */
    /* [blocks + 1] first element of each block, then the vector's count; NULL: every turn takes one stretch of the
     * vector and cuts that into blocks. Must outlive the layout. */
    const size_t *block;
};

/* Elements that lie in the input in another order than they have in the vector: those of run i, from first[i] on, lie
 * one after the other from element from[i] of the input on. */
struct topo_lanes_order {
    int runs;
    const size_t *first; /* [runs + 1] ends with the vector's count; runs may be empty */
    const size_t *from;  /* [runs] */
};

/* What a rank hands in and gets. */
struct topo_lanes_hand {
    struct topo_share share;              /* ranks of a node without results must not have any */
    bool returns;                         /* equal on all ranks: results go back to all nodes */
    const struct topo_lanes_order *order; /* NULL: the input has the vector's */
};

/* Chooses and finds memory, for fewer slices and shorter pieces where it is scarce; collective over the
 * channel. topo_shared_of() was called before. False, on all ranks alike: there is no shared memory to use. */
bool topo_lanes_lay_out(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_lanes_cut *cut,
                        struct topo_lanes_layout *layout);

/* Runs all turns of one call after topo_lanes_lay_out(): `sums` is this rank's part in a vector of so many blocks and
 * slices. What lies in the input may be overwritten by results only where the order is the vector's and all ranks get
 * all of it. Returns an MPI error code. */
int topo_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_sums *sums,
                   const struct topo_lanes_layout *layout, const struct topo_lanes_hand *hand);

/* This rank's part in a vector of a block for each node, cut into so many slices; kept for the next call. NULL when
 * memory is out. */
const struct topo_sums *topo_lanes_sums(const struct topo_comm *comm, int slices);

/* Turn numbers start at 0 with a call. */
static inline size_t topo_lanes_window(const struct topo_lanes_layout *layout, int turn)
{
    return (layout->first + (uint64_t)turn) % (uint64_t)layout->windows;
}

/* First element of a piece of a turn. */
size_t topo_lanes_start(const struct topo_lanes_layout *layout, int turn, int piece);

/* How many it has. */
int topo_lanes_count(const struct topo_lanes_layout *layout, int turn, int piece);

/* Where the operands of local rank `row` are; row layout->rows are the results. */
static inline char *topo_lanes_place(const struct topo_lanes_layout *layout, int turn, int row, int piece)
{
    size_t rows = (size_t)layout->rows + 1, at = topo_lanes_window(layout, turn) * rows + (size_t)row;
    return layout->places + (at * (size_t)layout->pieces + (size_t)piece) * layout->stride;
}

/* How many of `count` elements of the vector, from `at` on, lie one after the other in the input, and where. */
size_t topo_lanes_own(const struct topo_vector *vector, const struct topo_lanes_order *order, size_t at, size_t count,
                      const char **elements);

/* Whether the result of a piece is in place, and to say so. */
bool topo_lanes_is_filled(const struct topo_lanes_layout *layout, int turn, int piece);
void topo_lanes_fill(const struct topo_lanes_layout *layout, int turn, int piece);

#endif
