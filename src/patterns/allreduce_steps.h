/* What one rank does in an all-reduce, as a list of moves: messages out and in,
 * in elements of the vector. Pure arithmetic: coll/allreduce runs the lists,
 * tests and topo-dump read them. */
#ifndef TOPO_PATTERNS_ALLREDUCE_STEPS_H
#define TOPO_PATTERNS_ALLREDUCE_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "patterns/grid.h"

enum topo_move_flag {
    /* What arrives is combined with what is here; without it, it replaces it. */
    TOPO_MOVE_ADD = 1,
    /* Order of the operands, where it matters; neither: any that is the same on every run. */
    TOPO_MOVE_OWN_LEFT = 2,
    TOPO_MOVE_INCOMING_LEFT = 4,
    /* The sent (received) range still is this rank's input: no earlier move has touched it. */
    TOPO_MOVE_SENDS_INPUT = 8,
    TOPO_MOVE_MEETS_INPUT = 16
};

/* A message of send.count elements to rank `to` and one of receive.count from
 * rank `from`, at the same time; a peer of -1 or a count of 0 is no message.
 * What is sent is complete once the first `after` moves of the list have received
 * (and added) theirs; the last of these only as far as its block is part of the
 * message. Elements that a move both sends and receives must have left before what
 * arrives is combined with them. */
struct topo_move {
    int to, from;
    struct topo_block send, receive;
    unsigned flags;
    int after;
};

/* A growing list. Start with {0}; a failed allocation sets `failed`, so callers
 * check once at the end. topo_moves_clear() keeps the memory. */
struct topo_moves {
    struct topo_move *list;
    int count, capacity;
    bool failed;
};

void topo_moves_add(struct topo_moves *moves, struct topo_move move);
void topo_moves_clear(struct topo_moves *moves);
void topo_moves_free(struct topo_moves *moves);

/* Who works: `ranks` ranks, number v played by player[v] (NULL: by rank v). When 2^k < ranks <
 * 2^(k+1) and the algorithm wants a power of two, numbers are folded: of each of
 * the first `extra` pairs (2i, 2i+1) the second hands its vector to the first
 * and waits for the result; places are then 0 .. ranks - extra - 1, in the same
 * order as the numbers (Rabenseifner 2004). */
struct topo_crew {
    int ranks, extra;
    const int *player;
};

/* A crew of all, or one folded to a power of two. */
struct topo_crew topo_crew_of(int ranks, const int *player);
struct topo_crew topo_crew_folded(int ranks, const int *player);

/* Rank at a place, and the place of a number (-1: it hands over and waits). */
int topo_crew_rank(const struct topo_crew *crew, int place);
int topo_crew_place(const struct topo_crew *crew, int number);

/* Appends the moves of `number` for the whole all-reduce of `whole` on `grid`,
 * which has a position for every place of the crew: the hand-over of a folded
 * crew, phase 1 (addition, dimensions in order), phase 2 (distribution, in
 * reverse order). `ordered`: operands are combined in the order of the numbers,
 * which needs all sizes to be 2. EXCHANGE dimensions are always ordered, since two ranks compute
 * the same result. */
void topo_moves_grid(struct topo_moves *moves, const struct topo_crew *crew, int number, const struct topo_grid *grid,
                     struct topo_block whole, bool ordered);

/* Building blocks. A message to, or from, one rank alone, after all moves so far. */
void topo_moves_send(struct topo_moves *moves, int to, struct topo_block block, unsigned flags);
void topo_moves_receive(struct topo_moves *moves, int from, struct topo_block block, unsigned flags);

/* Phase 1 (`flags` has ADD) or phase 2 of one ring over `part`: the member at
 * `coordinate` sends block `coordinate`, then what it has just received, to `to`,
 * and ends with the full sum of block coordinate + 1, where phase 2 starts. */
void topo_moves_ring(struct topo_moves *moves, int size, int coordinate, int to, int from, struct topo_block part,
                     unsigned flags);

#endif
