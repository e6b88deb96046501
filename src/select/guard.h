/* Which of two ways to run a kind of call is the faster one, found out in the program's own calls.
 *
 * The native algorithm and ours run in turn in blocks of calls; two or four blocks are a window. After a window the
 * ranks agree on what each block took, added up over the ranks, so that all of them decide alike. The faster one then
 * runs, untimed, for a quiet time; a window follows, and the quiet time doubles while nothing changed. What is measured
 * costs little by construction:
 *
 *   - the first window has one call of each; one that is 8 times slower is tried once more after 64 calls, then seldom,
 * each time by its second call: the first after a while takes 20 us where the next ones take 1;
 *   - one that is 3 times slower in the first two windows is believed; long blocks come where both are close;
 *   - calls of 10 agreements and more vary little by how ranks come and go, so fewer of them say as much: a program
 * that makes twenty of them in all must not lose half of them to the slower one. The second call of each decides where
 * they differ by a tenth; the first only where it takes longer than what a first call may have to make: the first
 * broadcasts of 64 KiB of eight ranks took 1.7 ms natively and 4.4 by ours, for touching pages, the next ones 34 us and
 * 6;
 *   - a quiet time is so long that the window after it, and the agreement, take 1 part in 200 of it. A long one is cut
 * by looks at the better one alone, an agreement each, 1 part in 1600: where it takes less than half of what was known
 * of it, that is forgotten, and both are compared anew. The first calls of ranks that begin on one processor take ten
 * times as long as later ones, whichever runs.
 *
 * Where a block has several calls, the first is not measured: a rank that left the last call of the other algorithm
 * late arrives late in it. A block's mean counts, and of the blocks the median: where ranks share cores a part of the
 * calls is always slow, but one interruption by the system is not to decide.
 *
 * In broadcasts and reductions ranks do not wait for each other: a root may be many calls ahead, so what a rank spends
 * in a call says little of what the call takes, and the calls of one block overlap with those of the next. There each
 * block begins when all ranks are together, takes as long as some agreements if it is of the slower one, all its calls
 * are measured, and the rank that spends most in them counts.
 *
 * Pure arithmetic on integers that are equal on all ranks: no messages here, no clock. */
#ifndef TOPO_SELECT_GUARD_H
#define TOPO_SELECT_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum topo_guard_arm { TOPO_GUARD_NATIVE, TOPO_GUARD_OURS, TOPO_GUARD_ARMS };

/* Blocks of a window at most, and of each arm those that are kept. */
enum { TOPO_GUARD_BLOCKS = 4, TOPO_GUARD_KEPT = 8 };

/* One kind of call; topo_guard_begin() fills it. Every member but `taken` is equal on all ranks that call in the same
 * order. */
struct topo_guard {
    unsigned quiet;              /* calls left that run `better` untimed */
    unsigned calm;               /* the last quiet time */
    unsigned left, look;         /* of it, behind a look; from a look to the next */
    unsigned char after, doubts; /* calls of a block of the window behind it; looks that found something else */
    unsigned char better;        /* enum topo_guard_arm: what runs when nothing is tried */
    unsigned char stage;         /* of trust in `better`, see guard.c */
    bool trusted;                /* `better` is the word of an earlier job, which is looked at in this window */
    bool hinted;                 /* the first calls said the same by a factor of 2 */
    bool is_long, is_very_long;  /* a call takes as long as 10 agreements, or as a part of `telling`; as 100 */
    uint64_t telling;            /* a first call as long, all ranks together, says what the next ones take */
    bool apart;                  /* ranks do not wait for each other in these calls */
    bool together;               /* where they are apart: they were together since the last of these calls */
    unsigned char row;           /* where ranks are apart: calls of the slower one that take some agreements */
    unsigned char blocks, block; /* blocks of the window, calls of a block */
    unsigned char at;            /* calls of the window so far */
    unsigned char kept[TOPO_GUARD_ARMS], next[TOPO_GUARD_ARMS];
    uint64_t taken[TOPO_GUARD_BLOCKS];                /* by this rank in the measured calls of each block, in ns */
    uint64_t known[TOPO_GUARD_ARMS][TOPO_GUARD_KEPT]; /* means of a call, all ranks together; the latest blocks */
};

/* `apart`: in these calls ranks do not wait for each other; `telling`: a first call that takes as long, all ranks
 * together, says what the next ones take. */
void topo_guard_begin(struct topo_guard *guard, enum topo_guard_arm better, bool apart, uint64_t telling);

/* Right after it: `better` was found by an earlier job. It meets the other one at once, by the second call of each;
 * where it takes no more than a quarter longer it is believed, else both begin anew. */
void topo_guard_trust(struct topo_guard *guard);

/* As if both had been compared before, `better` found to be that, and taken so long a call, all ranks together. What
 * follows is a quiet time, twice `calm` or more; 0: the first. */
void topo_guard_resume(struct topo_guard *guard, enum topo_guard_arm better, uint64_t native, uint64_t ours,
                       uint64_t agreement, unsigned calm);

/* What runs in the next call. */
enum topo_guard_arm topo_guard_arm(const struct topo_guard *guard);

/* Counts the next call, which is about to run what topo_guard_arm() says. Returns the entry of guard->taken that the
 * time that it takes on this rank is to be added to; -1: it need not be timed. */
int topo_guard_step(struct topo_guard *guard);

/* The window is full: until topo_guard_decide(), topo_guard_arm() is the better one so far. */
static inline bool topo_guard_is_due(const struct topo_guard *guard)
{
    return !guard->quiet && guard->at == guard->blocks * guard->block;
}

/* The window is a look at the better one alone (guard.c), which does not say what is faster, but may raise doubts. */
static inline bool topo_guard_is_looking(const struct topo_guard *guard)
{
    return guard->blocks == 1;
}

/* Calls of a block that are measured. */
static inline int topo_guard_timed(const struct topo_guard *guard)
{
    return guard->block > 1 && !guard->apart ? guard->block - 1 : guard->block;
}

/* The next block cannot begin before all ranks were together, of which topo_guard_meet() tells; until then
 * topo_guard_arm() is the better one so far. */
static inline bool topo_guard_awaits(const struct topo_guard *guard)
{
    return guard->apart && !guard->together && !guard->quiet && !topo_guard_is_due(guard);
}

/* All ranks are together, after a call of each and before the next one. */
void topo_guard_meet(struct topo_guard *guard);

/* True when it was decided which is faster, until that is doubted again. */
bool topo_guard_is_settled(const struct topo_guard *guard);

/* Begins the window anew: a call of it ran something else. */
void topo_guard_again(struct topo_guard *guard);

/* `sums` are guard->taken added up over the ranks, where they are apart the largest times the ranks; `agreement` (same
 * unit) what the last agreement cost. All ranks are together. */
void topo_guard_decide(struct topo_guard *guard, const uint64_t sums[TOPO_GUARD_BLOCKS], uint64_t agreement);

/* The median of what a call of that arm took, in the unit of the sums; 0: none was measured yet. */
uint64_t topo_guard_median(const struct topo_guard *guard, enum topo_guard_arm arm);

#endif
