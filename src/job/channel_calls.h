/* Small collectives of the library's own among the ranks of a channel: messages on the private communicator, so that
 * nothing that is under way on the application's can meet them, not even a message that the MPI library left there.
 *
 * About log2 n steps; what a rank keeps does not grow with n. All ranks make them in one order, as all that a channel
 * carries: MPI keeps the messages of a pair in order, so ranks may be late or far ahead. */
#ifndef TOPO_JOB_CHANNEL_CALLS_H
#define TOPO_JOB_CHANNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "job/channel.h"

/* What becomes of two ranks' values. */
enum topo_channel_op { TOPO_CHANNEL_LEAST, TOPO_CHANNEL_MOST, TOPO_CHANNEL_SUM };

/* values[count], at most TOPO_CHANNEL_VALUES, become those of all ranks together. Returns an MPI error code. */
enum { TOPO_CHANNEL_VALUES = 64 };
int topo_channel_allreduce(uint64_t *values, int count, enum topo_channel_op op, const struct topo_channel *channel);

/* True when every rank says `here`; false also where MPI fails. */
bool topo_channel_all(bool here, const struct topo_channel *channel);

/* The highest of all ranks' statuses: one failure anywhere is everyone's. TOPO_MPI where MPI fails. */
enum topo_status topo_channel_worst(enum topo_status status, const struct topo_channel *channel);

/* Rank 0's bytes, to all. Returns an MPI error code. */
int topo_channel_bcast(void *bytes, size_t count, const struct topo_channel *channel);

/* No rank comes back before all have come. Returns an MPI error code. */
int topo_channel_barrier(const struct topo_channel *channel);

#endif
