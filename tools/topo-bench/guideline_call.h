/* One side of a guideline as a rank calls it: its buffers, and the steps one after the other. */
#ifndef TOPO_BENCH_GUIDELINE_CALL_H
#define TOPO_BENCH_GUIDELINE_CALL_H

#include <stdint.h>

#include <mpi.h>

#include "topo-bench/guideline.h"

/* Buffers of this rank, several sets of each: calls go round them, as buffers that stay in a cache flatter what passes
 * through shared memory. */
struct bench_buffers {
    int sets, next; /* next: the set of the next call */
    size_t extent[BENCH_BUFFERS];
    double *memory[BENCH_BUFFERS]; /* [sets * extent] */
};

struct bench_caller {
    const struct bench_form *form;
    bool library;  /* what TopoMPI has is called as auto has it, else natively; the rest is native */
    MPI_Comm comm; /* MPI_COMM_NULL: this rank has no part in it */
    int rank, ranks, root;
    enum bench_outcome outcome;
    size_t count;         /* elements of 8 bytes */
    int *counts, *places; /* [ranks] of operations with vectors of counts */
    struct bench_buffers *buffers;
};

/* What a caller is made of. */
struct bench_calling {
    const struct bench_form *form;
    enum bench_outcome outcome;
    bool library;
    MPI_Comm comm;
    size_t count; /* of the size */
};

/* Free with bench_caller_close() in any case. False: no memory, or counts beyond int. */
bool bench_caller_open(const struct bench_calling *calling, struct bench_buffers *buffers, struct bench_caller *caller);
void bench_caller_close(struct bench_caller *caller);

/* Makes buffers for the two callers of a comparison: eight sets, fewer where they take more than 16 MiB, two at least.
 * Free with bench_buffers_close() in any case. False: no memory. */
bool bench_buffers_open(const struct bench_caller callers[2], size_t count, struct bench_buffers *buffers);
void bench_buffers_close(struct bench_buffers *buffers);

/* All sets are 0: sums of sums stay finite however often they are taken. */
void bench_buffers_clear(struct bench_buffers *buffers);

/* All steps. An MPI error code. */
int bench_caller_run(struct bench_caller *caller);

struct bench_settled_call {
    MPI_Comm comm;
    int operation;
    size_t bytes;
};

/* What `auto` was given time to find out of; equal on all ranks of a communicator. */
struct bench_settled {
    int count;
    struct bench_settled_call *call; /* [count]; topo_free() */
};

/* `auto` calls each step that TopoMPI has, in rows of `batch` seconds, until it has found out what is faster
 * (topo-bench/settle.h), once for all callers. Collective over the communicator; nothing where this rank has no part in
 * it. */
void bench_caller_settle(struct bench_caller *caller, double batch, struct bench_settled *settled);

/* Writes what the next call sends in this round, spoils what it receives; how many elements are then wrong. The values
 * are small whole numbers, so that sums have the same bits in every order. */
void bench_caller_fill(struct bench_caller *caller, uint64_t round);
size_t bench_caller_wrong(const struct bench_caller *caller, uint64_t round);

#endif
