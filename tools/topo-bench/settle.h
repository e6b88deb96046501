/* What `auto` finds out in the calls before the samples, and what it takes then. */
#ifndef TOPO_BENCH_SETTLE_H
#define TOPO_BENCH_SETTLE_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "catalog/algorithm.h"

/* Calls of one operation in the hands of `auto`. */
struct bench_settling {
    MPI_Comm comm;
    enum topo_operation operation;
    size_t bytes;               /* in the operation's sense, as the library has it */
    bool one_form;              /* the bits of its result depend on the form */
    double batch;               /* seconds of a sample */
    int (*call)(void *context); /* an MPI error code, which is left to those who check */
    void *context;
};

/* What MPI_Bcast and MPI_Reduce asked for without waiting is made here, as in a program's next call in which all ranks
 * wait. Collective over the communicator. */
void bench_grant(MPI_Comm comm);

/* What `auto` runs in calls of `bytes`, by what it found out in its calls so far (coll/call/guard.h). */
const struct topo_algorithm *bench_taken(const struct bench_settling *of, bool *settled);

/* Calls until `auto` has found out what is faster, as in a program that calls often: for 5 seconds and 32 calls, for
 * 32 with TOPOMPI_GUARD=off, and no more than 200,000. They come in rows that all ranks begin together, as a sample's
 * do: in longer ones broadcasts and reductions overlap more, and another form may be the fastest. Collective over the
 * communicator. */
void bench_settle(const struct bench_settling *settling);

#endif
