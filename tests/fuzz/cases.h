/* A case: one call on one communicator, made by the library and natively, repeated, compared byte by byte. */
#ifndef TOPO_TESTS_FUZZ_CASES_H
#define TOPO_TESTS_FUZZ_CASES_H

#include "fuzz/areas.h"
#include "fuzz/arithmetic.h"
#include "fuzz/calls.h"
#include "fuzz/job.h"

struct fuzz_case {
    struct fuzz_comm *comm;
    struct fuzz_call ours, native;
    struct fuzz_area send, sent;                        /* sent: as it was */
    struct fuzz_area got, expected, fresh;              /* fresh: as the first two were */
    struct fuzz_type send_type, type;                   /* as elements lie in the areas */
    struct fuzz_type send_there, there, there_natively; /* the same at absolute addresses */
    bool in_place, send_bottom, bottom;
    bool adds;  /* one type describes both buffers */
    bool clean; /* padding is not compared */
    bool part;  /* the first `own` elements are the result, the others are undefined */
    int own;
    size_t weight; /* bytes that a rank has about, equal on all */
    int rows;
    int numbers[4][FUZZ_RANKS_MOST]; /* counts and places */
    char what[300];
};

/* Chooses and prepares one of the operations on a communicator of which this rank is a member. */
void fuzz_case_make(struct fuzz_case *c, struct fuzz_worker *worker, struct fuzz_comm *comm);
void fuzz_case_move(struct fuzz_case *c, struct fuzz_worker *worker);   /* operations that move */
void fuzz_case_reduce(struct fuzz_case *c, struct fuzz_worker *worker); /* operations that add up */

/* Makes both calls, compares, and frees what the case holds. */
void fuzz_case_run(struct fuzz_case *c, struct fuzz_worker *worker);

/* A count of elements of `bytes` bytes each, of which there are `blocks`. */
int fuzz_count_any(struct fuzz_random *random, size_t bytes, int blocks);

#endif
