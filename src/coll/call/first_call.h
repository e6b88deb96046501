/* Calls that need no look at the communicator while it is in comm/early.h: whatever its ranks and nodes are, they are
 * native there, and count one. */
#ifndef TOPO_COLL_CALL_FIRST_CALL_H
#define TOPO_COLL_CALL_FIRST_CALL_H

#include <stdbool.h>

#include <mpi.h>

#include "comm/comm.h"
#include "comm/early.h"

struct topo_first_call {
    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op;
    bool has_type, has_op;
    bool varies; /* ranks have counts of their own */
};

/* True for one of few bytes whose result has the same bits in every form, in a communicator of `ranks` ranks. False:
 * topo_call_begin() and what follows it find out. */
bool topo_first_call_is_native(const struct topo_first_call *call, int ranks);

/* Whether and how long communicators are counted there, once the job's state is made: where they would be native, too,
 * and nobody hears of the calls. */
void topo_first_calls_start(const struct topo_comm *world);

#endif
