/* Where the messages of the library travel: one private communicator for the whole job, made in MPI_Init, and a range
 * of its tags for each communicator of the application.
 *
 * No communicator is ever made inside a call of the application. A creation is collective over process-wide state (MPI
 * libraries agree on context identifiers in some order of their own), so it would wait for one that the application
 * has begun elsewhere: by MPI_Comm_idup(), or in another thread. Agreeing on a range of tags waits for nothing but the
 * ranks of the communicator, which are all in the same collective call.
 *
 * Two communicators that have a process in common never have a tag in common: each process counts a range as taken from
 * before the ranks agree until its own end of the communicator is freed. Messages of a communicator that was freed
 * cannot meet those of a later one with its tags: MPI keeps messages of one pair and tag in order, and all of the
 * earlier one were received before its last call ended at the receiver. */
#ifndef TOPO_JOB_CHANNEL_H
#define TOPO_JOB_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/numbers.h"

struct topo_channel {
    MPI_Comm comm;                    /* the private one; its errors return. MPI_COMM_NULL: not opened */
    const struct topo_numbers *world; /* [ranks] the rank there of each rank of `user`; NULL: the same numbers */
    int tag;                          /* what is added to every tag */
    int first, units;                 /* the range it was taken from */
    int rank, ranks;                  /* of `user` */
    MPI_Comm user; /* the application's, for the one collective of ours that opens, and for its own operations */
};

/* Tags of a channel, from 0 on; lists and segments have theirs from 16 on. */
enum topo_tag {
    TOPO_TAG_NONE,   /* for questions alone, nobody sends it */
    TOPO_TAG,        /* of most messages: a communicator carries one collective at a time */
    TOPO_TAG_GATHER, /* job/collect.h, where regions are */
    TOPO_TAG_PAIR,   /* between pairs: aggregates of the node-aware form have TOPO_TAG */
    TOPO_TAG_TREE,   /* of the first of several trees (patterns/trees.h), which may have edges between the same two */
    TOPO_TAG_CALL = TOPO_TAG_TREE + 8 /* job/channel_calls.h */
};

/* In MPI_Init: takes memory for the tags. How many units of them this rank has; 0: memory is out. */
int topo_channels_reserve(void);

/* Then, collective over MPI_COMM_WORLD: makes the private communicator. `least` is the least of all ranks' units
 * (job/agree.h). False, on all ranks alike: it cannot be had. topo_channels_stop() frees what either took, if there is
 * something. */
bool topo_channels_start(int least);
void topo_channels_stop(void);

/* Between the two, a channel of all ranks for what is done before MPI_Init returns, and once in a call of MPI_COMM_WORLD
 * (measure/measure.h); not opened before and after. */
extern struct topo_channel topo_channel_job;

enum topo_opening {
    TOPO_OPENED,
    TOPO_UNWANTED, /* some rank was reluctant */
    TOPO_UNABLE    /* a rank has the driver of a device, no tags are left, or the MPI library failed */
};

/* Numbers of each rank's that are agreed on as well. */
enum { TOPO_CHANNEL_LEASTS = 20 };

/* Collective over `user`, inside a call of all its ranks that may wait for them: takes the lowest tags that are free on
 * all, as many as algorithms of `tags` different tags need, unless a rank is `reluctant`. One all-reduce, two where the
 * ranks have different tags free. `world` must outlive the channel. least[] becomes the least of all ranks' where the
 * answer is TOPO_OPENED. All ranks get the same answer, a reluctant one whatever `tags` it gives; safe with
 * MPI_THREAD_MULTIPLE. */
enum topo_opening topo_channel_open(struct topo_channel *channel, MPI_Comm user, const struct topo_numbers *world,
                                    size_t tags, bool reluctant, uint64_t least[TOPO_CHANNEL_LEASTS]);

/* No message; a channel that was never opened is harmless. */
void topo_channel_close(struct topo_channel *channel);

/* The rank of the private communicator; MPI_PROC_NULL, which is negative, stays itself. */
static inline int topo_channel_peer(const struct topo_channel *channel, int rank)
{
    return rank < 0 || !channel->world ? rank : topo_numbers_at(channel->world, rank);
}

#endif
