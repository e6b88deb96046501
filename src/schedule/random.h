/* Random communication matrices (docs/REFERENCES.md, Schedule 6). */
#ifndef TOPO_SCHEDULE_RANDOM_H
#define TOPO_SCHEDULE_RANDOM_H

#include "schedule/matrix.h"

/* splitmix64: the next number of a sequence that is the same everywhere. */
uint64_t topo_random_next(uint64_t *state);

/* A number of 0 .. limit-1; limit > 0. */
uint64_t topo_random_below(uint64_t *state, uint64_t limit);

struct topo_random_spec {
    int n;            /* N senders and receivers */
    int64_t messages; /* |E|, 1 .. N*N, pairs chosen with equal chance, (i, i) too */
    int64_t total;    /* sum of the weights, at least `messages` */
    uint64_t seed;
};

/* Reads "N=64,E=4N,total=512M,seed=1", keys in any order. E is a number, or a
 * multiple or fraction of N or N^2: "4N", "N^2/4", "3N^2". Defaults: E=4N,
 * total=512M, seed=1. Errors: TOPO_PARSE saying what is wrong and allowed. */
enum topo_status topo_random_parse(const char *text, struct topo_random_spec *spec, struct topo_error *error);

/* Distinct random pairs, weights uniform and then scaled so that their sum is
 * exactly `total`. The same spec gives the same matrix everywhere. Errors:
 * TOPO_INVALID (a number outside what is said above), TOPO_NOMEM. */
enum topo_status topo_matrix_random(const struct topo_random_spec *spec, struct topo_matrix **matrix,
                                    struct topo_error *error);

#endif
