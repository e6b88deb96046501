/* Who the ranks of a communicator are and where they run; one for all communicators of the same ranks in one order. */
#ifndef TOPO_COMM_COMM_GROUP_H
#define TOPO_COMM_COMM_GROUP_H

#include <stdatomic.h>
#include <stdint.h>

#include <mpi.h>

#include "machine/tree.h"
#include "catalog/algorithm.h"
#include "catalog/size_class.h"
#include "select/select.h"

/* Read-only but for the last two members, reference counted. Every process keeps some and drops others as it likes, so
 * nothing may be kept here that another process could not find out again, or that time changes. */
struct topo_comm_group {
    int users, ranks;
    MPI_Group group;           /* of the first communicator */
    struct topo_numbers world; /* [ranks] in MPI_COMM_WORLD; empty: all of it, by their numbers there */
    struct topo_tree *tree;    /* of these ranks */
    struct topo_layout layout; /* `shares` as TOPOMPI_SHARED says */
    uint64_t members;          /* a number that stands for the ranks in their order */
    /* Of coll/call/choose.c; 0: not looked at yet. */
    _Atomic signed char native_anyway[TOPO_OPERATION_COUNT];
    _Atomic short by_model[TOPO_OPERATION_COUNT][TOPO_SIZE_CLASSES]; /* id + 1, or -1: as the rules say */
    /* What the guard may try: id + 1 of the first candidate by the model, of the next, ..., a byte each; the last byte:
     * 1 */
    _Atomic uint32_t candidates[TOPO_OPERATION_COUNT][TOPO_SIZE_CLASSES];
};

/* The members of an intracommunicator of `ranks` ranks, without any message; in
 * *members, or NULL there when a rank of another job is among them, or who so many are would take too long to find out
 * (job/world_ranks.h), which every rank sees alike. Release with topo_comm_group_release(). Returns an MPI error code.
 */
int topo_comm_group_of(MPI_Comm comm, int ranks, struct topo_comm_group **comm_group);

/* The rank in MPI_COMM_WORLD of one of them. */
static inline int topo_comm_group_world(const struct topo_comm_group *comm_group, int rank)
{
    return comm_group->world.count ? topo_numbers_at(&comm_group->world, rank) : rank;
}

/* All of them; NULL: their numbers there. */
static inline const struct topo_numbers *topo_comm_group_numbers(const struct topo_comm_group *comm_group)
{
    return comm_group->world.count ? &comm_group->world : NULL;
}

/* NULL is harmless. */
void topo_comm_group_release(struct topo_comm_group *comm_group);

/* Drops those that are kept for communicators to come; before the job's tree goes. */
void topo_comm_group_forget(void);

#endif
