/* TOPOMPI_TRACE=DIR: every rank writes what it does in MPI, and how long it
 * computes between, into a file of its own (topompi-trace(5)) that
 * topo-predict reads. The file is mapped memory, so it is complete up to the last
 * record however the process ends; memory is bounded by one window of it. */
#ifndef TOPO_OBSERVE_TRACE_H
#define TOPO_OBSERVE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "base/counts.h"
#include "trace/format.h"
#include "catalog/algorithm.h"

/* True while this process records; false costs the wrappers one look. Always false in a child that it forks. */
extern bool topo_trace_on;

/* Collective over MPI_COMM_WORLD, after topo_job_start(); does nothing when no
 * trace is asked for. When some rank cannot write its file no rank records, and
 * the lowest such rank says why. */
void topo_trace_start(void);

/* Before MPI ends: ends the file. */
void topo_trace_stop(void);

/* The time a call was entered, for the functions below. Nonzero. */
uint64_t topo_trace_enter(void);

/* The algorithm that is running the collective in hand; the operations set it, native is never told. */
void topo_trace_ran(const struct topo_algorithm *algorithm);

/* Bytes to or from each rank: counts[i] elements of types[i], or of `type` when types is NULL. */
struct topo_trace_counts {
    struct topo_counts counts;
    MPI_Datatype type;
    const MPI_Datatype *types;
};

/* False for a collective on `comm` that leaves nothing in the trace, as its time counts as computation: those on
 * inter-communicators. Asked before any other argument is looked at. */
bool topo_trace_takes(MPI_Comm comm);

/* A collective call returned on a communicator that topo_trace_takes(). `bytes` as the format says for the operation;
 * `counts` may be NULL. */
void topo_trace_collective(uint64_t entered, enum topo_trace_op op, MPI_Comm comm, int root, uint64_t bytes,
                           const struct topo_trace_counts *counts);

/* `count` elements of `type` in bytes; 0 for what is no valid pair. */
uint64_t topo_trace_bytes(MPI_Count count, MPI_Datatype type);

/* A point-to-point call returned; `sent` tells what went out in it. */
void topo_trace_p2p(uint64_t entered);
void topo_trace_sent(MPI_Comm comm, int to, uint64_t bytes);

/* Intervals: the public functions, and MPI_Pcontrol called from `caller`. */
void topo_trace_interval_begin(const char *name, const char *file, int line);
void topo_trace_interval_end(void);
void topo_trace_pcontrol(int level, const void *caller);

#endif
