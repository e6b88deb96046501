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
#include "patterns/limits.h"
#include "patterns/trees.h"

struct topo_channel {
    MPI_Comm comm;                    /* the private one; its errors return. MPI_COMM_NULL: not opened */
    const struct topo_numbers *world; /* [ranks] the rank there of each rank of `user`; NULL: the same numbers */
    int tag;                          /* what is added to every tag */
    int rank, ranks;                  /* of `user` */
    MPI_Comm user; /* the application's, for the one collective of ours that opens, and for its own operations */
};

/* The tags of a channel, from 0 on: as many as there are streams of messages between two ranks that may overtake each
 * other. MPI keeps those of one tag in order, and both ends send and await them in one. */
enum topo_tag {
    TOPO_TAG_NONE,   /* for questions alone, nobody sends it */
    TOPO_TAG,        /* of most messages: a communicator carries one collective at a time */
    TOPO_TAG_GATHER, /* job/collect.h, where regions are */
    TOPO_TAG_PAIR,   /* what a rank sends itself in an exchange */
    TOPO_TAG_CALL,   /* job/channel_calls.h */
    TOPO_TAG_TREE,   /* of the first of several trees (patterns/trees.h), which may have edges between the same two */
    TOPO_TAG_STREAM = TOPO_TAG_TREE + TOPO_TREES_MOST, /* of the first of two sets (patterns/limits.h) */
    TOPO_TAGS = TOPO_TAG_STREAM + 2 * TOPO_STREAMS
};

/* In MPI_Init: takes memory for what says which tags are taken. How many channels this rank has tags for, as far as
 * MPI_TAG_UB allows and no more than MPI libraries have communicators; 0: memory is out. */
int topo_channels_reserve(void);

/* Then, collective over MPI_COMM_WORLD: makes the private communicator. `least` is the least of all ranks' numbers of
 * channels (job/agree.h). False, on all ranks alike: it cannot be had. topo_channels_stop() frees what either took, if
 * there is something. */
bool topo_channels_start(int least);
void topo_channels_stop(void);

/* Between the two, a channel of all ranks for what is done before MPI_Init returns, and once in a call of
 * MPI_COMM_WORLD (measure/measure.h); not opened before and after. */
extern struct topo_channel topo_channel_job;

enum topo_opening {
    TOPO_OPENED,
    TOPO_UNWANTED, /* some rank was reluctant */
    TOPO_UNTAGGED, /* no tags are left */
    TOPO_UNABLE    /* a rank has the driver of a device, or the MPI library failed */
};

/* Numbers of each rank's that are agreed on as well. */
enum { TOPO_CHANNEL_LEASTS = 22 };

/* Collective over `user`, inside a call of all its ranks that may wait for them: takes tags that are free on all,
 * unless a rank is `reluctant`. One all-reduce; more where threads open channels at the same time, or ranks have so
 * many that none of the 512 tags that were looked at is free on all. `world` must outlive the channel. least[] becomes
 * the least of all ranks' where the answer is TOPO_OPENED. All ranks get the same answer. */
enum topo_opening topo_channel_open(struct topo_channel *channel, MPI_Comm user, const struct topo_numbers *world,
                                    bool reluctant, uint64_t least[TOPO_CHANNEL_LEASTS]);

/* Channels that there can be at a time, the job's own besides. */
int topo_channels_most(void);

/* No message; a channel that was never opened is harmless. Where ranks may be lost (job/recovery.h) its tags stay taken:
 * one that left a call, or never came to it, did not receive what others sent. */
void topo_channel_close(struct topo_channel *channel);

/* The rank of the private communicator; MPI_PROC_NULL, which is negative, stays itself. */
static inline int topo_channel_peer(const struct topo_channel *channel, int rank)
{
    return rank < 0 || !channel->world ? rank : topo_numbers_at(channel->world, rank);
}

#endif
