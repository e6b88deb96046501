/* What one rank does in an all-reduce, as a list of steps: messages out and in,
 * in elements of the vector. Pure arithmetic: coll/allreduce runs the lists,
 * tests and topo-dump read them. */
#ifndef TOPO_PATTERNS_ALLREDUCE_STEPS_H
#define TOPO_PATTERNS_ALLREDUCE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/numbers.h"
#include "base/status.h"
#include "patterns/grid.h"

enum topo_allreduce_step_flag {
    /* What arrives is combined with what is here; without it, it replaces it. */
    TOPO_ALLREDUCE_STEP_ADD = 1,
    /* Order of the operands, where it matters; neither: any that is the same on every run. */
    TOPO_ALLREDUCE_STEP_OWN_LEFT = 2,
    TOPO_ALLREDUCE_STEP_INCOMING_LEFT = 4,
    /* The sent (received) range still is this rank's input: no earlier step has touched it. */
    TOPO_ALLREDUCE_STEP_SENDS_INPUT = 8,
    TOPO_ALLREDUCE_STEP_MEETS_INPUT = 16
};

/* A message of send.count elements to rank `to` and one of receive.count from
 * rank `from`, at the same time; a peer of -1 or a count of 0 is no message.
 * What is sent is complete once the first `after` steps of the list have received
 * (and added) theirs; the last of these only as far as its block is part of the
 * message. Elements that a step both sends and receives must have left before what
 * arrives is combined with them. */
struct topo_allreduce_step {
    int to, from;
    struct topo_block send, receive;
    unsigned flags;
    int after;
};

/* A growing list. Start with {0}; a failed allocation sets `failed`, so callers
 * check once at the end. topo_allreduce_steps_clear() keeps the memory. */
struct topo_allreduce_steps {
    struct topo_allreduce_step *list;
    int count;
    bool failed;
};

void topo_allreduce_steps_add(struct topo_allreduce_steps *steps, struct topo_allreduce_step step);
void topo_allreduce_steps_clear(struct topo_allreduce_steps *steps);
void topo_allreduce_steps_free(struct topo_allreduce_steps *steps);

/* Who works: `ranks` ranks, number v played by rank rank_at[v], or, where that is empty, by rank v. When 2^k < ranks <
 * 2^(k+1) and the algorithm wants a power of two, numbers are folded: of each of
 * the first `extra` pairs (2i, 2i+1) the second hands its vector to the first
 * and waits for the result; places are then 0 .. ranks - extra - 1, in the same
 * order as the numbers (docs/REFERENCES.md, Reduction 7). */
struct topo_rank_group {
    int ranks, extra;
    struct topo_numbers rank_at; /* a view of them */
};

/* A group of all, or one folded to a power of two. `rank_at` must outlive it; NULL: by rank. */
struct topo_rank_group topo_rank_group_of(int ranks, const struct topo_numbers *rank_at);
struct topo_rank_group topo_rank_group_folded(int ranks, const struct topo_numbers *rank_at);

/* Rank at a place, and the place of a number (-1: it hands over and waits). */
int topo_rank_group_rank(const struct topo_rank_group *group, int place);
int topo_rank_group_place(const struct topo_rank_group *group, int number);

/* Appends the steps of `number` for the whole all-reduce of `whole` on `grid`,
 * which has a position for every place of the group: the hand-over of a folded
 * group, phase 1 (addition, dimensions in order), phase 2 (distribution, in
 * reverse order). `ordered`: operands are combined in the order of the numbers,
 * which needs all sizes to be 2. EXCHANGE dimensions are always ordered, since two ranks compute
 * the same result. */
void topo_allreduce_steps_grid(struct topo_allreduce_steps *steps, const struct topo_rank_group *group, int number,
                               const struct topo_grid *grid, struct topo_block whole, bool ordered);

/* Building blocks. A message to, or from, one rank alone, after all steps so far. */
void topo_allreduce_steps_send(struct topo_allreduce_steps *steps, int to, struct topo_block block, unsigned flags);
void topo_allreduce_steps_receive(struct topo_allreduce_steps *steps, int from, struct topo_block block,
                                  unsigned flags);

/* Phase 1 (`flags` has ADD) or phase 2 of one ring over `part`: the member at
 * `coordinate` sends block `coordinate`, then what it has just received, to `to`,
 * and ends with the full sum of block coordinate + 1, where phase 2 starts. */
void topo_allreduce_steps_ring(struct topo_allreduce_steps *steps, int size, int coordinate, int to, int from,
                               struct topo_block part, unsigned flags);

#endif
