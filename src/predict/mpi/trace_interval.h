/* Events of a trace as parts of the tree of intervals. */
#ifndef TOPO_PREDICT_MPI_TRACE_INTERVAL_H
#define TOPO_PREDICT_MPI_TRACE_INTERVAL_H

#include "predict/interval.h"
#include "trace/read.h"

/* Kind of communication that a collective is shown as; REMOTE for numbers that are none. */
enum topo_comm_kind topo_trace_comm_kind(unsigned op);

/* Adds a collective of a trace to the table of calls; what it took, in seconds, of all ranks or of some. Calls of
 * operations that no table knows are left out. False: out of memory. */
bool topo_trace_add_call(struct topo_call_times *times, const struct topo_trace_collective *call, long calls,
                         double communication, double synchronization);

/* The interval that `rank` enters with this BEGIN event inside `outer`; entries are those of rank 0. NULL: out of
 * memory. */
struct topo_interval *topo_trace_open_interval(struct topo_intervals *intervals, struct topo_interval *outer, int rank,
                                               const struct topo_trace_event *event);

#endif
