/* Plays the steps of all ranks of an all-reduce without MPI: a value is an affine
 * map x -> a x + b (mod 2^64), and combining is composition, which does not commute;
 * or, where the order is free, a sum. */
#ifndef TOPO_TESTS_UNIT_MOVES_H
#define TOPO_TESTS_UNIT_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "patterns/allreduce_steps.h"

struct value {
    uint64_t a, b;
};

struct play {
    int ranks;
    size_t elements;
    bool ordered;                       /* composition; else sums */
    struct topo_allreduce_steps *steps; /* [ranks] */
    struct value *input, *result;       /* [ranks * elements] */
};

/* `lists` lists a rank are played one after the other. Seeded values; result is garbage at first. */
struct play *play_new(int ranks, size_t elements, bool ordered);
void play_free(struct play *play);

/* The value every rank must end with in an element. */
struct value play_expected(const struct play *play, size_t element);

/* Each step is one MPI_Sendrecv that waits for both sides: nothing is buffered.
 * NULL when all ranks finish, else what went wrong. */
const char *play_blocks(struct play *play);

/* Packets in a random order of events: a packet leaves as soon as `after` allows,
 * is buffered, and is combined when its receiver comes to it. */
const char *play_packets(struct play *play, size_t packet, unsigned seed);

/* NULL when every rank holds the result in every element. */
const char *play_check(const struct play *play);

#endif
