/* Rank 0 gathers what every rank has, or scatters it: by messages along a binomial tree, because Open MPI 4.1.4's
 * `han` component, when switched on, gives zeros in MPI_Gather for cyclic placement. */
#ifndef TOPO_JOB_COLLECT_H
#define TOPO_JOB_COLLECT_H

#include <stddef.h>

#include "job/channel.h"

/* Collective over the channel. `all` holds a record of `bytes` for every rank; rank 0 alone reads or writes it. Return
 * MPI error codes; MPI_ERR_NO_MEM on all ranks alike where memory is out on one of them or rank 0's `all` is NULL. */
int topo_collect(const void *own, void *all, size_t bytes, const struct topo_channel *channel);
int topo_deal(const void *all, void *own, size_t bytes, const struct topo_channel *channel);

/* Collective over the channel, one thread at a time, for bytes, one at least, of which only the rank itself knows how
 * many. `own` is the rank's, which becomes a part of what is handed on and freed; NULL: its memory is out. Rank 0's
 * *all becomes those of all ranks, one behind the other, *length in all; free with topo_free(). NULL: memory was out on
 * some rank. All others get NULL. A rank whose memory is out takes part all the same. */
void topo_collect_all(char *own, size_t bytes, char **all, size_t *length, const struct topo_channel *channel);

#endif
