/* Which of several algorithms of a kind of call is the fastest, found out in the program's own calls: a race
 * (docs/REFERENCES.md, Methods 5) between the champion, which runs when nothing is tried, and one challenger after the
 * other.
 *
 * In a round both run in turn, two blocks of calls each. Then the ranks agree on what the blocks took, added up over
 * the ranks, so that all of them decide alike. One thing is assumed of them: what disturbs a block (first calls, late
 * ranks, interruptions) makes it longer, seldom both blocks of an algorithm, and the shorter one by no more than
 *
 *   a quarter of a call, or of an agreement if that is less, divided by the block's calls, and a 16th of its time.
 *
 * So the shorter block of each counts. Their difference, in this unit, is evidence: it is added up over the rounds
 * (Wald's sequential test), a round counting 3 at most, so that one that was disturbed overrides no others (Huber's).
 * At 3 the challenger has lost, below 0 it is the champion. What is not decided in 8 rounds is nearly equal.
 *
 * What rounds cost is bounded: the calls that the slower one takes longer, and the agreements, are to be no more than
 * the square root of half the calls so far; so the next round comes when its cost, as far as it is known, fits
 * in there. Where all is decided each challenger comes again when there were three times as many calls. A block is so
 * long that it costs about half an agreement: where calls are long beside that, or one is far slower, it is one call.
 *
 * In broadcasts and reductions ranks are apart: they do not wait for each other, so that what a rank spends in a call
 * says little of it. There each block begins when all ranks are together and takes as long as 10 agreements, and the
 * rank that spends most in it counts.
 *
 * Pure arithmetic on integers that are equal on all ranks: no messages here, no clock. */
#ifndef TOPO_SELECT_CONTEST_H
#define TOPO_SELECT_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

/* Algorithms at most; blocks of a round: the champion's, the challenger's, and both once more. */
enum { TOPO_CONTEST_ARMS = 4, TOPO_CONTEST_BLOCKS = 4 };

/* One kind of call; topo_contest_begin() fills it. Every member but `taken` is equal on all ranks that call in the same
 * order. */
struct topo_contest {
    unsigned quiet; /* calls until the next round */
    unsigned char arms, champion, challenger;
    unsigned char block, at;                 /* calls of a block; of the round so far */
    unsigned char misses;                    /* of challengers, one after the other */
    bool apart, together;                    /* the ranks; and were together since the last of these calls */
    unsigned char rounds[TOPO_CONTEST_ARMS]; /* against this champion, or as long as it was champion */
    short score[TOPO_CONTEST_ARMS];          /* evidence that it is slower than the champion */
    uint64_t time[TOPO_CONTEST_ARMS];        /* of a call, all ranks together, as things were last; 0: unknown */
    uint64_t calls;                          /* until the next round */
    uint64_t lost;                           /* to slower ones and agreements, in the unit of the sums */
    uint64_t epoch;                          /* stands for all that was decided on */
    uint64_t taken[TOPO_CONTEST_BLOCKS];     /* by this rank in the timed calls of each block, in ns */
};

/* 2 to TOPO_CONTEST_ARMS arms, of which 0 and 1, or 0 and the champion, meet first, after `quiet` calls. `apart`: in
 * these calls ranks do not wait for each other. */
void topo_contest_begin(struct topo_contest *contest, int arms, int champion, bool apart, unsigned quiet);

/* The round is through: until topo_contest_decide() the champion runs. */
static inline bool topo_contest_is_due(const struct topo_contest *contest)
{
    return !contest->quiet && contest->at == TOPO_CONTEST_BLOCKS * contest->block;
}

/* The next block cannot begin before all ranks were together, of which topo_contest_meet() tells; until then the
 * champion runs. */
static inline bool topo_contest_awaits(const struct topo_contest *contest)
{
    return contest->apart && !contest->together && !contest->quiet && !topo_contest_is_due(contest);
}

/* What runs in the next call. */
static inline int topo_contest_arm(const struct topo_contest *contest)
{
    const bool rests = contest->quiet || topo_contest_is_due(contest) || topo_contest_awaits(contest);
    return rests || contest->at / contest->block % 2 == 0 ? contest->champion : contest->challenger;
}

/* True when the next call runs arm 0 untimed, and counts it then: what topo_contest_step() and topo_contest_arm() say
 * of such a call in one, for whoever knows no more of it. False for the last one before a round, after which
 * topo_contest_awaits() may be true: all ranks are to see that after the same call, who asks here or not. */
static inline bool topo_contest_is_first_untimed(struct topo_contest *contest)
{
    return contest->champion == 0 && contest->quiet > 1 && contest->quiet--;
}

/* Calls of a block that are timed: ranks come late to the first one, from the other algorithm. */
static inline int topo_contest_timed(const struct topo_contest *contest)
{
    return contest->block > 1 && !contest->apart ? contest->block - 1 : contest->block;
}

/* Counts the next call, which is about to run what topo_contest_arm() says. Returns the entry of contest->taken that
 * the time that it takes on this rank is to be added to; -1: it need not be timed. */
int topo_contest_step(struct topo_contest *contest);

/* All ranks are together, after a call of each and before the next one. */
void topo_contest_meet(struct topo_contest *contest);

/* `sums` are contest->taken added up over the ranks, where they are apart the largest times the ranks; `agreement`
 * (same unit) what the last agreement cost. All ranks are together. */
void topo_contest_decide(struct topo_contest *contest, const uint64_t sums[TOPO_CONTEST_BLOCKS], uint64_t agreement);

/* The arm that topo_contest_arm() named could not run, on all ranks alike: the round begins anew, later if it was the
 * challenger, with the next one if there is one. */
void topo_contest_missed(struct topo_contest *contest, int arm);

/* True when it is decided which is the fastest, until that is doubted again. */
bool topo_contest_is_settled(const struct topo_contest *contest);

/* The champion, and in *saved what a call of it takes less than one of arm 0, in the unit of the sums; 0 where it is
 * arm 0. -1: it is not yet decided between those that met. */
int topo_contest_verdict(const struct topo_contest *contest, uint64_t *saved);

/* A copy of one of another communicator: what of a block is not through begins anew, as first calls of a communicator
 * make connections and memory. */
void topo_contest_continue(struct topo_contest *contest);

/* `hash` (base/hash.h) with what was decided, and how many calls were made since. */
uint64_t topo_contest_hash(const struct topo_contest *contest, uint64_t hash);

#endif
