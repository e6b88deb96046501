#include "select/contest.h"

#include <string.h>

#include "base/hash.h"

/* Of all calls, what windows may cost; the calls that they may cost beforehand; calls between two windows. */
enum { SHARE = 96, ALLOWANCE = 11, PAUSE = 16, SHORT_PAUSE = 2, LONGEST_PAUSE = 1 << 16 };
/* Misses after which another arm comes first, and after which the time between them grows no more. */
enum { MISSES = 3, MOST_MISSES = 10 };
/* What two that meet are likely to cost: agreements, and calls of the better one that the other takes longer, or twice
 * the most that one took longer so far. */
enum { AGREEMENTS = 4, CALLS = 6 };
/* Calls for which one that is believed runs before it is looked at. */
enum { BELIEVED = 256 };

static unsigned char bit(int arm)
{
    return (unsigned char)(1U << arm);
}

void topo_contest_begin(struct topo_contest *contest, int arms, int better, bool apart, uint64_t telling)
{
    *contest = (struct topo_contest){
        .who = {0, 1}, .arms = (unsigned char)arms, .met = 3, .fastest = (unsigned char)better, .calls = 2};
    topo_guard_begin(&contest->guard, better ? TOPO_GUARD_OURS : TOPO_GUARD_NATIVE, apart, telling);
}

/* The first arm that has not met the fastest; -1: all have. */
static int next_arm(const struct topo_contest *contest)
{
    for (int arm = 0; arm < contest->arms; arm++)
        if (!(contest->met & bit(arm)))
            return arm;
    return -1;
}

bool topo_contest_is_settled(const struct topo_contest *contest)
{
    return topo_guard_is_settled(&contest->guard) && next_arm(contest) < 0;
}

/* The fastest and `arm` are those who meet. Where it is not certain the first one stays: arm 0, natively, else the
 * fastest. Returns which of the two the fastest is. */
static enum topo_guard_arm pair(struct topo_contest *contest, int arm)
{
    enum topo_guard_arm better = arm ? TOPO_GUARD_NATIVE : TOPO_GUARD_OURS;
    contest->who[better] = contest->fastest;
    contest->who[!better] = (unsigned char)arm;
    return better;
}

/* The fastest and `arm` begin, after a quiet time. */
static void meet(struct topo_contest *contest, int arm, uint64_t quiet)
{
    enum topo_guard_arm better = pair(contest, arm);
    contest->met |= bit(arm);
    contest->misses = 0;
    topo_guard_begin(&contest->guard, better, contest->guard.apart, contest->guard.telling);
    contest->guard.quiet = (unsigned)quiet;
}

/* Calls until as much may be lost as the next two are likely to lose. */
static uint64_t pause_before(const struct topo_contest *contest, uint64_t best, uint64_t agreement)
{
    uint64_t next = 2 * contest->longest < CALLS * best ? CALLS * best : 2 * contest->longest;
    uint64_t pause = contest->guard.is_very_long ? SHORT_PAUSE : PAUSE;
    uint64_t lost = (contest->lost + AGREEMENTS * agreement + next) / (best ? best : 1);
    if (lost > ALLOWANCE && lost > (contest->calls + PAUSE) / SHARE)
        pause = lost * SHARE - contest->calls;
    return pause < LONGEST_PAUSE ? pause : LONGEST_PAUSE;
}

/* All have met the fastest: the others are looked at again one after the other. */
static void rest(struct topo_contest *contest, uint64_t agreement)
{
    int last = contest->who[contest->who[TOPO_GUARD_NATIVE] == contest->fastest], next = last;
    unsigned calm = contest->rests ? contest->guard.calm / 2 : 0;
    enum topo_guard_arm better;
    contest->rests = true;
    do
        next = (next + 1) % contest->arms;
    while (next == contest->fastest || (!contest->median[next] && next != last));
    if (next == last)
        return;
    better = pair(contest, next);
    topo_guard_resume(&contest->guard, better, contest->median[contest->who[TOPO_GUARD_NATIVE]],
                      contest->median[contest->who[TOPO_GUARD_OURS]], agreement, calm);
}

/* value * to / from, of numbers whose product may have more than 64 bits. */
static uint64_t scaled(uint64_t value, uint64_t to, uint64_t from)
{
    for (; (to | from) >> 31; to >>= 1)
        from >>= 1;
    return from ? value / from * to + value % from * to / from : value;
}

/* The medians of the two that met. Where ranks are apart those of the other arms follow the one that met them before,
 * so that all compare: what a call takes depends there on how many make a row, and that on the slower one of the two.
 */
static void note_medians(struct topo_contest *contest)
{
    uint64_t before = contest->median[contest->fastest], now = 0;
    for (int slot = 0; slot < TOPO_GUARD_ARMS; slot++)
        if (contest->who[slot] == contest->fastest)
            now = topo_guard_median(&contest->guard, (enum topo_guard_arm)slot);
    for (int arm = 0; arm < contest->arms && contest->guard.apart && before && now; arm++)
        contest->median[arm] = scaled(contest->median[arm], now, before);
    for (int slot = 0; slot < TOPO_GUARD_ARMS; slot++)
        contest->median[contest->who[slot]] = topo_guard_median(&contest->guard, (enum topo_guard_arm)slot);
}

/* The two are through: who comes next. */
static void go_on(struct topo_contest *contest, uint64_t agreement)
{
    int better = topo_contest_better(contest);
    note_medians(contest);
    if (contest->rests && better != contest->fastest) {
        contest->met = bit(contest->who[0]) | bit(contest->who[1]);
        contest->rests = false;
    }
    contest->fastest = (unsigned char)better;
    int other = next_arm(contest);
    if (other >= 0)
        meet(contest, other, pause_before(contest, contest->median[better], agreement));
    else
        rest(contest, agreement);
}

void topo_contest_missed(struct topo_contest *contest, int arm)
{
    topo_guard_again(&contest->guard);
    if (arm == topo_contest_better(contest))
        return;
    contest->fastest = (unsigned char)topo_contest_better(contest);
    contest->misses += contest->misses < MOST_MISSES;
    int other = contest->misses >= MISSES ? next_arm(contest) : -1;
    if (other >= 0)
        meet(contest, other, PAUSE);
    else
        contest->guard.quiet = (unsigned)PAUSE << contest->misses;
    contest->calls += contest->guard.quiet;
}

/* What the window cost: the calls of one of the two take longer, whichever that is. */
static void count(struct topo_contest *contest, const uint64_t *sums, uint64_t agreement)
{
    const struct topo_guard *guard = &contest->guard;
    const bool looks = topo_guard_is_looking(guard);
    uint64_t times[2] = {0}, timed = (uint64_t)topo_guard_timed(guard);
    for (int block = 0; block < guard->blocks; block++)
        times[block % 2] += sums[block];
    uint64_t more = looks ? 0 : times[0] > times[1] ? times[0] - times[1] : times[1] - times[0];
    if (contest->longest < 2 * more / timed / guard->blocks)
        contest->longest = 2 * more / timed / guard->blocks;
    contest->lost += more / timed * guard->block + agreement;
    contest->calls += (uint64_t)guard->blocks * guard->block;
}

void topo_contest_decide(struct topo_contest *contest, const uint64_t sums[TOPO_GUARD_BLOCKS], uint64_t agreement)
{
    const bool looked = topo_guard_is_looking(&contest->guard);
    count(contest, sums, agreement);
    topo_guard_decide(&contest->guard, sums, agreement);
    if (topo_guard_is_settled(&contest->guard) && !looked)
        go_on(contest, agreement);
    contest->calls += contest->guard.quiet;
}

int topo_contest_verdict(const struct topo_contest *contest, uint64_t *saved)
{
    uint64_t median[TOPO_CONTEST_ARMS];
    const int better = topo_contest_better(contest);
    memcpy(median, contest->median, sizeof median);
    for (int slot = 0; slot < TOPO_GUARD_ARMS; slot++) {
        uint64_t now = topo_guard_median(&contest->guard, (enum topo_guard_arm)slot);
        median[contest->who[slot]] = now ? now : median[contest->who[slot]];
    }
    *saved = median[better] && median[0] > median[better] ? median[0] - median[better] : 0;
    return median[better] ? better : -1;
}

void topo_contest_believe(struct topo_contest *contest, int arms, int arm, bool said, bool apart, uint64_t telling)
{
    topo_contest_begin(contest, arms, arm > 0, apart, telling);
    if (arm > 1) {
        contest->who[TOPO_GUARD_OURS] = contest->fastest = (unsigned char)arm;
        contest->met = bit(0) | bit(arm);
    }
    if (said) {
        topo_guard_trust(&contest->guard);
    } else {
        contest->guard.quiet = BELIEVED;
        contest->calls += BELIEVED;
    }
}

void topo_contest_continue(struct topo_contest *contest)
{
    struct topo_guard *guard = &contest->guard;
    guard->together = false;
    if (guard->apart) {
        topo_guard_again(guard);
    } else if (!topo_guard_is_due(guard)) {
        guard->taken[guard->at / guard->block] = 0;
        guard->at = (unsigned char)(guard->at - guard->at % guard->block);
    }
}

uint64_t topo_contest_hash(const struct topo_contest *contest, uint64_t hash)
{
    const struct topo_guard *guard = &contest->guard;
    const uint64_t numbers[] = {guard->quiet,        guard->calm,      guard->better,   guard->stage,    guard->hinted,
                                guard->trusted,      guard->left,      guard->look,     guard->after,    guard->doubts,
                                guard->is_long,      guard->telling,   guard->apart,    guard->row,      guard->blocks,
                                guard->block,        guard->at,        contest->who[0], contest->who[1], contest->arms,
                                guard->is_very_long, contest->fastest, contest->met,    contest->misses, contest->rests,
                                contest->calls,      contest->longest, contest->lost};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        hash = topo_hash_add(hash, numbers[i]);
    hash = topo_hash_bytes(hash, contest->median, sizeof contest->median);
    hash = topo_hash_bytes(hash, guard->kept, sizeof guard->kept);
    hash = topo_hash_bytes(hash, guard->next, sizeof guard->next);
    for (int arm = 0; arm < TOPO_GUARD_ARMS; arm++)
        hash = topo_hash_bytes(hash, guard->known[arm], guard->kept[arm] * sizeof *guard->known[arm]);
    return hash;
}
