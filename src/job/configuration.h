/* Rank 0 reads the environment and the tuning files; all ranks have the same from it. */
#ifndef TOPO_JOB_CONFIGURATION_H
#define TOPO_JOB_CONFIGURATION_H

#include <stdbool.h>

#include "base/status.h"

/* Collective over MPI_COMM_WORLD, two broadcasts: options, learn_path, shipped and tuning of topo_job become rank 0's.
 * False where they cannot be used: on all ranks, with the message in *error of rank 0, or on a rank alone whose memory
 * is out. TOPOMPI_STRICT is rank 0's in either case. */
bool topo_configuration_share(struct topo_error *error);

/* Does TOPOMPI=off leave nothing to be done? Else all calls are native and somebody wants to hear of them. */
bool topo_configuration_off(void);

#endif
