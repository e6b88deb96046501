/* The node-shared memory of this process: what it holds, what is idle, and how much it may be. The first rank of a
 * communicator on its node makes the segments that the communicator needs there, the others take them.
 *
 * MPI libraries write to /dev/shm what they did not reserve, and die of SIGBUS where it is full. So segments are in no
 * file system where that can be had (node/segment.h), and take a quarter of what is free there where it cannot
 * (node/room.h).
 *
 * A segment that all its users have dropped stays mapped for the next communicator of the same ranks, which then meets
 * none of its pages for the first time and needs no more zeros than its counters, up to a quarter of TOPOMPI_SHARED;
 * nothing does where addresses are limited, or in /dev/shm. What live communicators give away: node/idle.h. */
#ifndef TOPO_NODE_POOL_H
#define TOPO_NODE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "node/segment.h"

/* In MPI_Init, once the job is known, and in MPI_Finalize, when nothing is held. */
void topo_pool_start(void);
void topo_pool_stop(void);

/* Bytes of a new region of `ranks` ranks, which needs `least`, that this one's part of TOPOMPI_SHARED, its limits and
 * /dev/shm, where it must be there, allow for once `replaced` goes (NULL: none does). */
uint64_t topo_pool_room(int ranks, size_t least, const struct topo_segment *replaced);

/* A segment for a region of `bytes`, held by this rank, or NULL: it cannot be had. On the rank that makes it, for the
 * `ranks` ranks of the job of which it is the first: *offer is what the others need. Of one that was used the first
 * `zeros` bytes are zero, and all ranks have it for certain: topo_pool_is_known(). */
struct topo_segment *topo_pool_make(size_t bytes, size_t zeros, const int *members, int ranks,
                                    struct topo_segment_offer *offer);

/* What is offered was used before, so all of its ranks have it mapped, until one that holds it ends it. */
static inline bool topo_pool_is_known(const struct topo_segment_offer *offer)
{
    return offer->id != 0 && offer->secret == 0 && !offer->name[0];
}

/* The same on the others, by what that rank offers. */
struct topo_segment *topo_pool_take(size_t bytes, int ranks, const struct topo_segment_offer *offer);

/* As topo_segment_prepare(): false where there is not so much memory. */
bool topo_pool_prepare(const struct topo_segment *segment, int part, int parts);

/* The users of a segment agreed that all have it, or that it is not to be had: then it is gone. NULL is harmless. */
void topo_pool_agreed(struct topo_segment *segment, bool all);

/* A rank did not receive what it was sent: from here on this one makes segments in /dev/shm. */
void topo_pool_use_names(void);

/* This rank uses it no more. NULL is harmless. */
void topo_pool_drop(struct topo_segment *segment);

/* True: memory was not to be had on this node, and the user was not told. */
bool topo_pool_complains(void);

/* The user is told, by this rank if it `speaks`. */
void topo_pool_tell(bool speaks);

#endif
