/* Which of several forms of a kind of call is the fastest, found out in the program's own calls: two of them meet at a
 * time (select/guard.h), the faster one meets the next.
 *
 * The first two are native and what auto names, or two forms that auto would take anyway; they meet at once. The others
 * follow when what all windows have cost so far, and the next two are likely to cost, is 1 part in SHARE of the calls:
 * over 2000 calls little is lost, whatever the others are worth. Where calls are long, windows cost little else than
 * the calls that the slower one takes longer; there ALLOWANCE calls are lost beforehand. Once all have met the fastest,
 * it and the others in turn are looked at again after quiet times; when another is the fastest then, all meet it.
 *
 * Pure arithmetic on integers that are equal on all ranks. */
#ifndef TOPO_SELECT_CONTEST_H
#define TOPO_SELECT_CONTEST_H

#include "select/guard.h"

enum { TOPO_CONTEST_ARMS = 4 };

/* One kind of call; topo_contest_begin() fills it. Equal on all ranks but for guard.taken. */
struct topo_contest {
    struct topo_guard guard;            /* of the two that meet */
    unsigned char who[TOPO_GUARD_ARMS]; /* the arms that they are */
    unsigned char arms;
    unsigned char met;     /* by arm, a bit: is the fastest or has met it */
    unsigned char fastest; /* when the last two were through */
    unsigned char misses;  /* of the other one of the two, one after the other */
    bool rests;            /* all had met the fastest */
    /* Of a call, all ranks together, where ranks are apart as if it were measured with the last two; 0: not yet. */
    uint64_t median[TOPO_CONTEST_ARMS];
    uint64_t calls;   /* until the next window, those of the quiet time before it included */
    uint64_t longest; /* a call of one took longer than of the other at most by this */
    uint64_t lost;    /* to slower arms and agreements, in the unit of the sums */
};

/* 2 to TOPO_CONTEST_ARMS arms, of which 0 and 1 begin; `better`, one of these, runs when nothing is tried. `apart` and
 * `telling` as in topo_guard_begin(). */
void topo_contest_begin(struct topo_contest *contest, int arms, int better, bool apart, uint64_t telling);

/* The arm that runs in the next call. */
static inline int topo_contest_arm(const struct topo_contest *contest)
{
    return contest->who[topo_guard_arm(&contest->guard)];
}

/* The arm that is the better one so far. */
static inline int topo_contest_better(const struct topo_contest *contest)
{
    return contest->who[contest->guard.better];
}

/* True when the next call runs arm 0 untimed, and counts it then: what topo_guard_step() and topo_contest_arm() say of
 * such a call in one, for whoever knows no more of it. False for the last one of a quiet time, after which
 * topo_guard_awaits() may be true: all ranks are to see that after the same call, who asks here or not. */
static inline bool topo_contest_is_first_untimed(struct topo_contest *contest)
{
    return topo_contest_better(contest) == 0 && contest->guard.quiet > 1 && contest->guard.quiet--;
}

/* True when every arm has met the fastest and that is certain, until it is doubted again. */
bool topo_contest_is_settled(const struct topo_contest *contest);

/* The arm that topo_contest_arm() named could not run, on all ranks alike. The window begins anew; an arm that misses
 * again and again is left out. */
void topo_contest_missed(struct topo_contest *contest, int arm);

/* The arm that is the better one as far as windows were decided, and in *saved what a call of it takes less than one of
 * arm 0, in the unit of the sums; 0 where it is arm 0. -1: none was yet. */
int topo_contest_verdict(const struct topo_contest *contest, uint64_t *saved);

/* Begins where `arm` is believed to be the fastest: it runs for a quiet time, then meets the others; where it is only
 * `said` to be that, at once (topo_guard_trust()). The rest as in topo_contest_begin(). */
void topo_contest_believe(struct topo_contest *contest, int arms, int arm, bool said, bool apart, uint64_t telling);

/* A copy of one of another communicator: what of a block is not through begins anew, as first calls of a communicator
 * make connections and memory. */
void topo_contest_continue(struct topo_contest *contest);

/* `hash` (base/hash.h) with all that is equal on all ranks. */
uint64_t topo_contest_hash(const struct topo_contest *contest, uint64_t hash);

/* As topo_guard_decide(). */
void topo_contest_decide(struct topo_contest *contest, const uint64_t sums[TOPO_GUARD_BLOCKS], uint64_t agreement);

#endif
