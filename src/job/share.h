/* Rank 0's bytes to all ranks. */
#ifndef TOPO_JOB_SHARE_H
#define TOPO_JOB_SHARE_H

#include <stddef.h>

#include <mpi.h>

/* Collective over `comm`; `bytes` has room for `count` of them, the same on all ranks. A rank whose memory was out for
 * them gives NULL and takes part all the same, so that nobody asks before whether all have room. Not rank 0; one thread
 * at a time. Returns an MPI error code. */
int topo_share(void *bytes, size_t count, MPI_Comm comm);

#endif
