/* The implementations that are compared, from the list the user gave. */
#ifndef TOPO_BENCH_VARIANTS_H
#define TOPO_BENCH_VARIANTS_H

#include "topo-bench/operation.h"

struct bench_variants {
    int count;
    struct bench_variant *variant;
};

/* Reads the list (bench_request.algorithms) for the operation; MPI need not run.
 * No communicator is made yet: the native ones have MPI_COMM_NULL. Same result on
 * all ranks. Free with bench_variants_free() in every case. Errors: TOPO_PARSE
 * naming the word and what is allowed, TOPO_NOMEM. */
enum topo_status bench_variants_read(const char *list, const struct bench_operation *operation,
                                     struct bench_variants *variants, struct topo_error *error);

/* Whether the MPI library has the components that native variants name, and grids have as many places as there are
 * ranks (0: not to be judged). Errors: TOPO_PARSE. */
enum topo_status bench_variants_check(const struct bench_variants *variants, int ranks, struct topo_error *error);

/* Collective: gives the native variants their communicators, duplicates of `comm`
 * on which Open MPI prefers the component that the name ("native:han") says. */
void bench_variants_open(struct bench_variants *variants, MPI_Comm comm);
void bench_variants_close(struct bench_variants *variants, MPI_Comm comm);

void bench_variants_free(struct bench_variants *variants);

#endif
