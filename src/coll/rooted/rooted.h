/* Blocks of all ranks to a root, or of a root to all: one call as the engine of MPI_Gather and MPI_Scatter sees it. */
#ifndef TOPO_COLL_ROOTED_ROOTED_H
#define TOPO_COLL_ROOTED_ROOTED_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "base/counts.h"
#include "catalog/algorithm.h"
#include "coll/base/datatype.h"
#include "comm/comm.h"

/* n blocks of m bytes, the root's in rank order; or blocks of any lengths, which only the rank that has one and the
 * root know, at any places of the root's buffer. */
struct topo_rooted {
    struct topo_comm *comm; /* n = comm->ranks */
    int root;
    bool gathers;
    bool in_place; /* the root's own block is where it is to be */
    size_t m;
    struct topo_data own, all; /* this rank's block; on the root the first one of all; of any lengths: an element */
    bool varies;
    struct topo_counts counts, places; /* then, on the root: elements of each block, and where it begins, in extents */
    const int64_t *lengths; /* of each block on the root, else of the own one: up to TOPO_ROOTED_SHORT bytes they do not
                               go by themselves; NULL: all do */
};

enum {
    TOPO_ROOTED_SHORT = 2048, /* longer ones of MPI_Gatherv and MPI_Scatterv always go by themselves */
    /* Taken for the bytes of those calls: ranks that know one length each may not choose by it. */
    TOPO_ROOTED_ANY_BYTES = 256
};

/* Runs a form of either operation, which may fail only as MPI calls fail; restrictions were checked before. Returns an
 * MPI error code. */
int topo_rooted_run(const struct topo_rooted *call, enum topo_algorithm_id id);

/* Its parts. The root's block of a rank; all blocks that go by themselves; the root's own block to its place among all,
 * or from there; those of different lengths by a plan of a tree and one of direct messages. */
struct topo_data topo_rooted_block(const struct topo_rooted *call, int rank);
int topo_rooted_direct(const struct topo_rooted *call, const struct topo_plan *plan);
int topo_rooted_copy_own(const struct topo_rooted *call);
int topo_rooted_varying(const struct topo_rooted *call, const struct topo_plan *tree, const struct topo_plan *direct);

#endif
