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

/* Finds the forms of the MPI library's own that native variants name, and looks whether grids have as many places as
 * there are ranks (0: not to be judged). Errors: TOPO_PARSE. */
enum topo_status bench_variants_check(struct bench_variants *variants, enum topo_operation operation, int ranks,
                                      struct topo_error *error);

/* Collective: gives the native variants their communicators, `comm` or duplicates of it (topo-bench/native_form.h). */
void bench_variants_open(struct bench_variants *variants, MPI_Comm comm);
void bench_variants_close(struct bench_variants *variants, MPI_Comm comm);

void bench_variants_free(struct bench_variants *variants);

#endif
