/* What each rank finds out by itself as the job starts, agreed on by all. */
#ifndef TOPO_JOB_AGREE_H
#define TOPO_JOB_AGREE_H

#include <stdbool.h>

struct topo_agreement {
    bool usable; /* on every rank */
    bool bound;  /* some rank is (job/discover.h) */
    int units;   /* of tags that all ranks have (job/channel.h) */
};

/* Collective over MPI_COMM_WORLD, one all-reduce. Where the answer is `usable`, memory for the tags is taken, which
 * topo_channels_stop() frees. */
struct topo_agreement topo_agree(bool usable);

#endif
