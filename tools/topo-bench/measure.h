/* The comparison: all variants in turn, again and again, at every size. */
#ifndef TOPO_BENCH_MEASURE_H
#define TOPO_BENCH_MEASURE_H

#include "topo-bench/report.h"
#include "topo-bench/variants.h"

struct bench_run {
    const struct bench_request *request;
    const struct bench_operation *operation;
    struct bench_variants *variants;
    const struct topo_tree *tree; /* of MPI_COMM_WORLD */
    MPI_Comm comm;                /* this rank's communicator (the split one) */
    int rank, ranks;              /* in MPI_COMM_WORLD */
    double rate[TOPO_LEVELS_MAX]; /* for the bound: bytes per second per level, 0: not known */
    /* Called on rank 0 when a size is done; what is shown and written of it is the caller's. */
    void (*size_done)(struct bench_run *run, const struct bench_report *report, int size);
    int status; /* the caller's */
};

/* Collective over MPI_COMM_WORLD. Fills algorithms and sizes of the report (valid
 * on rank 0). Errors, equal on all ranks: TOPO_NOMEM. An algorithm that
 * gives a wrong result or returns an error is marked in the report; the latter is
 * not tried at further sizes. */
enum topo_status bench_measure(struct bench_run *run, struct bench_report *report, struct topo_error *error);

#endif
