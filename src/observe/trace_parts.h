/* Between the files of the trace writer. Everything here is used with topo_trace_lock held. */
#ifndef TOPO_OBSERVE_TRACE_PARTS_H
#define TOPO_OBSERVE_TRACE_PARTS_H

#include <pthread.h>

#include "observe/trace.h"
#include "trace/write.h"

extern pthread_mutex_t topo_trace_lock;
extern struct topo_trace_writer topo_trace_out;

/* -- trace_gap.c: the time between events, and the messages in it -- */

/* `short_of_cores`: the rank has not a core of its own, so time that passes is not all computation. */
void topo_trace_gap_start(bool short_of_cores);

/* What was computed from the last event to `entered`; writes the messages between. */
struct topo_trace_gap topo_trace_gap_until(uint64_t entered);

/* An event ended. `site` tells it from other events of the program: what comes
 * after equal ones is taken to be alike. */
void topo_trace_event_ended(uint64_t when, uint64_t site);

/* -- trace_comm.c: communicators and vectors, told to the file at their first use -- */

/* What is known of a communicator, as an attribute of it. */
struct topo_trace_members {
    unsigned id; /* in the file */
    int world[]; /* ranks of MPI_COMM_WORLD */
};

void topo_trace_comm_start(void);
void topo_trace_comm_stop(void);

/* NULL when memory is out or some members are of another job. */
const struct topo_trace_members *topo_trace_members_of(MPI_Comm comm);

/* The id of these bytes, told to the file unless they are among the newest ones; 0 when memory is out. */
unsigned topo_trace_vector_of(const struct topo_trace_counts *counts, int count);

#endif
