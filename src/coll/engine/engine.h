/* The engine: runs a rank's part of a plan (plan/plan.h) by messages of the communicator's channel and through the
 * memory that its node shares. */
#ifndef TOPO_COLL_ENGINE_ENGINE_H
#define TOPO_COLL_ENGINE_ENGINE_H

#include "comm/comm.h"
#include "plan/plan.h"

/* Runs all of it on a vector that lies in one piece at `data`. Where the plan hands over in node memory its FIFO is
 * open (node/shm_fifo.h). After an error everything is still sent, received and handed over, as others wait for it.
 * Returns the first error, an MPI error code. */
int topo_engine_run(const struct topo_comm *comm, const struct topo_plan *plan, char *data);

#endif
