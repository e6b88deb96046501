#include "select/contest.h"

#include <string.h>

#include "base/hash.h"

/* Evidence is counted in parts of 1/UNIT. */
enum { UNIT = 256, DECIDED = 3 * UNIT, LEAD = UNIT / 4, ROUNDS = 8 };
/* What disturbs a call: a part of an agreement or of the call itself; and of a block's time. */
enum { OF_CALL = 4, OF_BLOCK = 16 };
/* Calls of a block at most; where ranks are apart, also agreements that one takes at least. */
enum { LONGEST_BLOCK = 12, LONGEST_APART = 60, AGREEMENTS_APART = 10 };
/* A call of an algorithm that did not run yet is taken to be longer by so many of the champion's. */
enum { UNKNOWN = 4 };
enum { FIRST_QUIET = 32, LONGEST_QUIET = 1 << 16, PAUSE = 16, MOST_MISSES = 10 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void begin_round(struct topo_contest *contest)
{
    contest->at = 0;
    contest->together = false;
    memset(contest->taken, 0, sizeof contest->taken);
}

void topo_contest_begin(struct topo_contest *contest, int arms, int champion, bool apart, unsigned quiet)
{
    *contest = (struct topo_contest){.quiet = quiet,
                                     .arms = (unsigned char)arms,
                                     .champion = (unsigned char)champion,
                                     .challenger = champion == 0,
                                     .block = 1,
                                     .apart = apart,
                                     .epoch = topo_hash_add(TOPO_HASH_START, (uint64_t)arms << 8 | (uint64_t)champion),
                                     .calls = quiet};
    for (int arm = 0; arm < arms; arm++)
        contest->score[arm] = LEAD;
}

int topo_contest_step(struct topo_contest *contest)
{
    if (contest->quiet) {
        contest->quiet--;
        return -1;
    }
    if (topo_contest_is_due(contest) || topo_contest_awaits(contest))
        return -1;
    const int at = contest->at++;
    if (contest->at % contest->block == 0)
        contest->together = false;
    return at % contest->block < contest->block - topo_contest_timed(contest) ? -1 : at / contest->block;
}

void topo_contest_meet(struct topo_contest *contest)
{
    contest->together = contest->apart && !contest->quiet;
}

static bool is_decided(const struct topo_contest *contest, int arm)
{
    return arm == contest->champion || contest->score[arm] >= DECIDED || contest->rounds[arm] >= ROUNDS;
}

bool topo_contest_is_settled(const struct topo_contest *contest)
{
    for (int arm = 0; arm < contest->arms; arm++)
        if (!is_decided(contest, arm))
            return false;
    return true;
}

/* The first of those that are undecided, else the one after the last challenger. */
static unsigned char next_challenger(const struct topo_contest *contest)
{
    for (int arm = 0; arm < contest->arms; arm++)
        if (!is_decided(contest, arm))
            return (unsigned char)arm;
    const int next = (contest->challenger + 1) % contest->arms;
    return (unsigned char)(next == contest->champion ? (next + 1) % contest->arms : next);
}

/* What the ranks wait for each other in a round: to agree, and half as long before each block, where they are apart. */
static uint64_t overhead(const struct topo_contest *contest, uint64_t agreement)
{
    return contest->apart ? agreement + TOPO_CONTEST_BLOCKS * agreement / 2 : agreement;
}

/* The next round, and the calls before it, of `pause` at least. */
static void plan(struct topo_contest *contest, uint64_t agreement, uint64_t pause)
{
    enum { PARTS = 8, LONGEST = 1 << 20 };
    const bool settled = topo_contest_is_settled(contest);
    contest->challenger = next_challenger(contest);
    const uint64_t best = most(contest->time[contest->champion], 1), its = contest->time[contest->challenger];
    const uint64_t gap = !its ? UNKNOWN * best : most(its, best) - least(its, best);
    uint64_t block = !its ? 1 : gap ? least(agreement / (2 * gap) + 1, LONGEST_BLOCK) : LONGEST_BLOCK;
    if (contest->apart && its)
        block = least(most(block, AGREEMENTS_APART * agreement / most(its, best) + 1), LONGEST_APART);
    const uint64_t costs = 2 * block * gap + overhead(contest, agreement);
    const uint64_t parts = least(PARTS * (contest->lost + costs) / best, LONGEST);
    const uint64_t due = 2 * parts * parts / (PARTS * PARTS);
    uint64_t quiet = due > contest->calls ? due - contest->calls : 0;
    if (settled)
        quiet = most(quiet, most(FIRST_QUIET, 2 * contest->calls / (contest->arms - 1U)));
    contest->block = (unsigned char)block;
    contest->quiet = (unsigned)least(most(quiet, pause), LONGEST_QUIET);
    contest->calls += contest->quiet;
    begin_round(contest);
}

/* value * to / from, of numbers whose product may have more than 64 bits. */
static uint64_t scaled(uint64_t value, uint64_t to, uint64_t from)
{
    for (; (to | from) >> 31; to >>= 1)
        from >>= 1;
    return from ? value / from * to + value % from * to / from : value;
}

/* What a call of both takes. All algorithms became slower, or faster, by as much as the champion. */
static void note_times(struct topo_contest *contest, uint64_t champions, uint64_t challengers)
{
    const uint64_t before = contest->time[contest->champion], now = before ? (before + champions) / 2 : champions;
    for (int arm = 0; before && arm < contest->arms; arm++)
        contest->time[arm] = scaled(contest->time[arm], now, before);
    uint64_t *its = &contest->time[contest->challenger];
    contest->time[contest->champion] = now;
    *its = *its ? (*its + challengers) / 2 : challengers;
}

/* The challenger is the champion. Where all was decided things have changed, and all meet it. */
static void crown(struct topo_contest *contest, bool settled)
{
    const int old = contest->champion, new = contest->challenger;
    for (int arm = 0; settled && arm < contest->arms; arm++) {
        contest->score[arm] = LEAD;
        contest->rounds[arm] = 0;
    }
    contest->score[old] = (short)least((uint64_t)(LEAD - contest->score[new]), DECIDED);
    contest->score[new] = LEAD;
    contest->rounds[old] = contest->rounds[new];
    contest->champion = (unsigned char)new;
    contest->challenger = (unsigned char)old;
}

void topo_contest_decide(struct topo_contest *contest, const uint64_t sums[TOPO_CONTEST_BLOCKS], uint64_t agreement)
{
    const uint64_t timed = (uint64_t)topo_contest_timed(contest);
    const uint64_t champions = least(sums[0], sums[2]) / timed, challengers = least(sums[1], sums[3]) / timed;
    const uint64_t shorter = least(champions, challengers), more = most(champions, challengers) - shorter;
    const uint64_t unit = least(agreement, shorter) / (OF_CALL * timed) + shorter / OF_BLOCK + 1;
    const short evidence = (short)(more / unit < DECIDED / UNIT ? more * UNIT / unit : DECIDED);
    const bool settled = topo_contest_is_settled(contest);
    contest->epoch =
        topo_hash_bytes(topo_hash_add(contest->epoch, agreement), sums, TOPO_CONTEST_BLOCKS * sizeof *sums);
    short *score = &contest->score[contest->challenger];
    note_times(contest, champions, challengers);
    contest->lost += 2 * contest->block * more + overhead(contest, agreement);
    contest->calls += (uint64_t)TOPO_CONTEST_BLOCKS * contest->block;
    contest->misses = 0;
    contest->rounds[contest->challenger] += contest->rounds[contest->challenger] < ROUNDS;
    *score = (short)(challengers < champions ? *score - evidence : *score + evidence);
    if (*score > DECIDED)
        *score = DECIDED;
    else if (*score < 0)
        crown(contest, settled);
    plan(contest, agreement, 0);
}

void topo_contest_missed(struct topo_contest *contest, int arm)
{
    begin_round(contest);
    if (arm == contest->champion)
        return;
    contest->misses += contest->misses < MOST_MISSES;
    contest->score[arm] = DECIDED;
    plan(contest, 0, (uint64_t)PAUSE << contest->misses);
}

int topo_contest_verdict(const struct topo_contest *contest, uint64_t *saved)
{
    const uint64_t best = contest->time[contest->champion], native = contest->time[0];
    *saved = best && native > best ? native - best : 0;
    for (int arm = 0; arm < contest->arms; arm++)
        if (contest->time[arm] && !is_decided(contest, arm))
            return -1;
    return best ? contest->champion : -1;
}

void topo_contest_continue(struct topo_contest *contest)
{
    contest->together = false;
    if (contest->apart) {
        begin_round(contest);
    } else if (!topo_contest_is_due(contest)) {
        contest->taken[contest->at / contest->block] = 0;
        contest->at = (unsigned char)(contest->at - contest->at % contest->block);
    }
}

uint64_t topo_contest_hash(const struct topo_contest *contest, uint64_t hash)
{
    return topo_hash_add(topo_hash_add(hash, contest->epoch), (uint64_t)contest->quiet << 8 | contest->at);
}
