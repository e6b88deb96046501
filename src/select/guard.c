#include "select/guard.h"

#include <string.h>

/* Trust in what runs, each with its windows. */
enum stage {
    COLD,    /* one call of each: the first, in which ours may have to make things; only a large difference counts */
    DOUBT,   /* COLD found one of them far slower; once more, after a call that warms caches and pages; of long calls,
              * and apart, without */
    WARM,    /* two of each, one measured; where ranks are apart both */
    COMPARE, /* two blocks of each */
    CLOSE,   /* two longer ones of each, until it is certain or the last TOPO_GUARD_KEPT blocks of each are known */
    SETTLED  /* looked at again after each quiet time, by as many calls as the difference allows */
};

/* The last is a block's calls where they are long. Where ranks are apart and calls are not long, blocks of COMPARE and
 * of CLOSE are a row (struct topo_guard). */
static const struct {
    unsigned char blocks, block, of_long;
} windows[] = {
    [COLD] = {2, 1, 1}, [DOUBT] = {2, 2, 1}, [WARM] = {2, 2, 2}, [COMPARE] = {4, 4, 2}, [CLOSE] = {4, 12, 3}};

/* A call of so many agreements is long, and very long; or of one part in so many of what a first call has to take to
 * tell: after calls of 100 ms agreements took 14 to 55, as ranks came out of these at different times. */
enum { LONG = 10, VERY_LONG = 100, LONG_OF_TELLING = 16 };
/* Where ranks are apart, calls of a block. */
enum { LEAST_ROW = 4, LONGEST_ROW = 60 };
/* A look's part of the calls; it comes later by so many times, and one whose time fell by so many times doubts. */
enum { LOOK_SHARE = 1600, NEXT_LOOK = 4, FELL = 2, MOST_DOUBTS = 10 };
enum { FAR = 8, CLEAR = 3, HINT = 2, FIRST_CALM = 32, RETRY = 64, RETRY_LONG = 8, LONGEST_CALM = 1 << 16, SHARE = 200 };

static void note_length(struct topo_guard *guard, uint64_t call, uint64_t agreement)
{
    const bool slow = guard->telling > 0 && call >= guard->telling / LONG_OF_TELLING;
    guard->is_long = agreement > 0 && (slow || call >= LONG * agreement);
    guard->is_very_long = agreement > 0 && call >= VERY_LONG * agreement;
}

static void begin_window(struct topo_guard *guard, unsigned char blocks, unsigned char block)
{
    guard->blocks = blocks;
    guard->block = block;
    topo_guard_again(guard);
}

static unsigned char block_of(const struct topo_guard *guard, enum stage stage)
{
    if (guard->apart && stage >= COMPARE && !guard->is_long)
        return guard->row;
    if (guard->apart && stage == DOUBT) /* which decides little there */
        return 1;
    return guard->is_long ? windows[stage].of_long : windows[stage].block;
}

static void enter(struct topo_guard *guard, enum stage stage)
{
    guard->stage = (unsigned char)stage;
    begin_window(guard, windows[stage].blocks, block_of(guard, stage));
}

void topo_guard_again(struct topo_guard *guard)
{
    guard->at = 0;
    guard->together = false;
    memset(guard->taken, 0, sizeof guard->taken);
}

void topo_guard_meet(struct topo_guard *guard)
{
    guard->together = guard->apart && !guard->quiet;
}

void topo_guard_begin(struct topo_guard *guard, enum topo_guard_arm better, bool apart, uint64_t telling)
{
    *guard = (struct topo_guard){.better = (unsigned char)better, .apart = apart, .telling = telling};
    enter(guard, COLD);
}

void topo_guard_trust(struct topo_guard *guard)
{
    guard->trusted = true;
    enter(guard, WARM);
}

static enum topo_guard_arm other(enum topo_guard_arm arm)
{
    return arm == TOPO_GUARD_NATIVE ? TOPO_GUARD_OURS : TOPO_GUARD_NATIVE;
}

/* The better one's block comes first, as it ran before. */
static enum topo_guard_arm arm_of_block(const struct topo_guard *guard, int block)
{
    return block % 2 ? other(guard->better) : guard->better;
}

enum topo_guard_arm topo_guard_arm(const struct topo_guard *guard)
{
    return guard->quiet || topo_guard_is_due(guard) || topo_guard_awaits(guard)
               ? guard->better
               : arm_of_block(guard, guard->at / guard->block);
}

int topo_guard_step(struct topo_guard *guard)
{
    if (guard->quiet) {
        guard->quiet--;
        return -1;
    }
    if (topo_guard_is_due(guard) || topo_guard_awaits(guard))
        return -1;
    int at = guard->at++;
    if (guard->at % guard->block == 0)
        guard->together = false;
    return at % guard->block < guard->block - topo_guard_timed(guard) ? -1 : at / guard->block;
}

bool topo_guard_is_settled(const struct topo_guard *guard)
{
    return guard->stage == SETTLED;
}

uint64_t topo_guard_median(const struct topo_guard *guard, enum topo_guard_arm arm)
{
    uint64_t sorted[TOPO_GUARD_KEPT];
    int count = guard->kept[arm];
    for (int i = 0; i < count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > guard->known[arm][i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = guard->known[arm][i];
    }
    return count ? (sorted[(count - 1) / 2] + sorted[count / 2]) / 2 : 0;
}

static enum topo_guard_arm faster_of(uint64_t native, uint64_t ours)
{
    return native <= ours ? TOPO_GUARD_NATIVE : TOPO_GUARD_OURS;
}

static enum topo_guard_arm faster_by_median(const struct topo_guard *guard)
{
    return faster_of(topo_guard_median(guard, TOPO_GUARD_NATIVE), topo_guard_median(guard, TOPO_GUARD_OURS));
}

/* What stays where it is not certain: ours is to be faster by 1 part in 32. */
static enum topo_guard_arm faster_by_more(const struct topo_guard *guard)
{
    uint64_t ours = topo_guard_median(guard, TOPO_GUARD_OURS);
    return faster_of(topo_guard_median(guard, TOPO_GUARD_NATIVE), ours + ours / 32);
}

/* So much longer that few blocks tell it: by more than a half, of long calls by more than a tenth. */
static bool is_much_longer(const struct topo_guard *guard, uint64_t longer, uint64_t shorter)
{
    return guard->is_long ? 10 * longer > 11 * shorter : 2 * longer > 3 * shorter;
}

/* By more than noise is likely to make of so few: no two blocks of one arm differ by half as much as the nearest two of
 * both. */
static bool are_well_apart(const struct topo_guard *guard)
{
    uint64_t least[TOPO_GUARD_ARMS], most[TOPO_GUARD_ARMS];
    for (int arm = 0; arm < TOPO_GUARD_ARMS; arm++) {
        least[arm] = UINT64_MAX, most[arm] = 0;
        for (int i = 0; i < guard->kept[arm]; i++) {
            least[arm] = guard->known[arm][i] < least[arm] ? guard->known[arm][i] : least[arm];
            most[arm] = guard->known[arm][i] > most[arm] ? guard->known[arm][i] : most[arm];
        }
    }
    int upper = least[TOPO_GUARD_OURS] > most[TOPO_GUARD_NATIVE] ? TOPO_GUARD_OURS : TOPO_GUARD_NATIVE, lower = !upper;
    uint64_t gap = least[upper] > most[lower] ? least[upper] - most[lower] : 0;
    return gap > 2 * (most[upper] - least[upper]) && gap > 2 * (most[lower] - least[lower]);
}

/* Of all pairs of a block of each arm nine in ten say the same; and enough of them, fewer where one takes much longer
 * or they are well apart. */
static bool is_certain(const struct topo_guard *guard)
{
    uint64_t native = topo_guard_median(guard, TOPO_GUARD_NATIVE), ours = topo_guard_median(guard, TOPO_GUARD_OURS);
    bool clear = is_much_longer(guard, native, ours) || is_much_longer(guard, ours, native) || are_well_apart(guard);
    int enough = clear ? 2 : 4, wins = 0; /* of native; equal ones count half */
    int pairs = guard->kept[TOPO_GUARD_NATIVE] * guard->kept[TOPO_GUARD_OURS];
    for (int i = 0; i < guard->kept[TOPO_GUARD_NATIVE]; i++)
        for (int j = 0; j < guard->kept[TOPO_GUARD_OURS]; j++) {
            uint64_t a = guard->known[TOPO_GUARD_NATIVE][i], b = guard->known[TOPO_GUARD_OURS][j];
            wins += a < b ? 2 : a == b;
        }
    return guard->kept[TOPO_GUARD_NATIVE] >= enough && guard->kept[TOPO_GUARD_OURS] >= enough &&
           (10 * wins >= 18 * pairs || 10 * wins <= 2 * pairs);
}

static void forget(struct topo_guard *guard)
{
    memset(guard->kept, 0, sizeof guard->kept);
    memset(guard->next, 0, sizeof guard->next);
}

/* The window's blocks as means of a call. */
static void keep(struct topo_guard *guard, const uint64_t *means)
{
    for (int block = 0; block < guard->blocks; block++) {
        enum topo_guard_arm arm = arm_of_block(guard, block);
        guard->known[arm][guard->next[arm]] = means[block];
        guard->next[arm] = (unsigned char)((guard->next[arm] + 1) % TOPO_GUARD_KEPT);
        if (guard->kept[arm] < TOPO_GUARD_KEPT)
            guard->kept[arm]++;
    }
}

/* The quiet time that is left goes on until a look after `calls`, or to its end. */
static void be_quiet(struct topo_guard *guard, uint64_t quiet, uint64_t calls)
{
    guard->look = calls < LONGEST_CALM ? (unsigned)calls : LONGEST_CALM;
    const bool looks = guard->look < quiet;
    guard->quiet = looks ? guard->look : (unsigned)quiet;
    guard->left = (unsigned)quiet - guard->quiet;
    begin_window(guard, looks ? 1 : 2, looks ? block_of(guard, COMPARE) : guard->after);
}

/* Settled on the better one: the quiet time that pays for the next window and the agreement after it. */
static void settle(struct topo_guard *guard, uint64_t agreement)
{
    uint64_t best = topo_guard_median(guard, guard->better), worst = topo_guard_median(guard, other(guard->better));
    bool confirmed = guard->stage == SETTLED;
    bool one_tells = guard->is_long ? is_much_longer(guard, worst, best) : worst / CLEAR >= best;
    guard->stage = SETTLED;
    enum stage like = one_tells && !guard->apart ? DOUBT : is_much_longer(guard, worst, best) ? COMPARE : CLOSE;
    guard->after = block_of(guard, like);
    uint64_t price = agreement + (worst > best ? guard->after * (worst - best) : 0);
    uint64_t calm = !confirmed ? FIRST_CALM : 2 * (uint64_t)guard->calm;
    if (best && calm < price * SHARE / best)
        calm = price * SHARE / best;
    guard->calm = calm < LONGEST_CALM ? (unsigned)calm : LONGEST_CALM;
    uint64_t look = LOOK_SHARE * agreement / (best ? best : 1);
    be_quiet(guard, guard->calm, (look < FIRST_CALM ? FIRST_CALM : look) << guard->doubts);
}

static void decide_look(struct topo_guard *guard, uint64_t now)
{
    if (FELL * now >= topo_guard_median(guard, guard->better)) {
        be_quiet(guard, guard->left, (uint64_t)NEXT_LOOK * guard->look);
        return;
    }
    guard->doubts += guard->doubts < MOST_DOUBTS;
    guard->left = 0;
    forget(guard);
    enter(guard, COMPARE);
}

void topo_guard_resume(struct topo_guard *guard, enum topo_guard_arm better, uint64_t native, uint64_t ours,
                       uint64_t agreement, unsigned calm)
{
    uint64_t best = native < ours ? native : ours;
    *guard = (struct topo_guard){.better = (unsigned char)better,
                                 .stage = calm ? SETTLED : CLOSE,
                                 .calm = calm,
                                 .apart = guard->apart,
                                 .telling = guard->telling,
                                 .row = guard->row,
                                 .doubts = guard->doubts,
                                 .kept = {1, 1},
                                 .next = {1, 1},
                                 .known = {{native}, {ours}}};
    note_length(guard, best, agreement);
    settle(guard, agreement);
}

/* The first window: of each arm its first call, in which connections are made and pages touched. It is kept of neither,
 * but where that is little beside the call. */
static void decide_cold(struct topo_guard *guard, enum topo_guard_arm faster, const uint64_t *means, uint64_t agreement)
{
    uint64_t native = means[guard->better != TOPO_GUARD_NATIVE], ours = means[guard->better == TOPO_GUARD_NATIVE];
    uint64_t shorter = native < ours ? native : ours, longer = native < ours ? ours : native;
    uint64_t factor = longer / (shorter ? shorter : 1);
    bool differ = guard->is_long && is_much_longer(guard, longer, shorter);
    if (differ && shorter >= guard->telling) {
        keep(guard, means);
        guard->better = (unsigned char)faster;
        settle(guard, agreement);
        return;
    }
    enter(guard, differ || factor >= FAR ? DOUBT : WARM);
    guard->better = (unsigned char)faster;
    guard->hinted = factor >= HINT;
    guard->quiet = factor < FAR ? 0 : guard->is_long ? RETRY_LONG : RETRY;
}

/* The first window where an earlier job said which is the better one. If it is several times slower its word is old, or
 * the window was disturbed: it is tried once more, later, so that it costs no more than one of which nobody spoke. */
static void decide_trusted(struct topo_guard *guard, enum topo_guard_arm faster, uint64_t factor, const uint64_t *means,
                           uint64_t agreement)
{
    guard->trusted = false;
    if (faster == guard->better || 4 * means[0] <= 5 * means[1]) {
        const uint64_t soon = 4 * agreement / (means[0] ? means[0] : 1); /* when a quarter of the calls is an agreement */
        keep(guard, means);
        settle(guard, agreement);
        if (faster == guard->better && factor >= CLEAR)
            return;
        guard->calm = soon > FIRST_CALM && soon < guard->calm ? (unsigned)soon : FIRST_CALM;
        be_quiet(guard, guard->calm, guard->calm);
        return;
    }
    guard->better = (unsigned char)faster;
    guard->hinted = factor >= HINT;
    enter(guard, factor >= CLEAR ? DOUBT : COMPARE);
    guard->quiet = factor < CLEAR ? 0 : guard->is_long ? RETRY_LONG : RETRY;
}

static void decide(struct topo_guard *guard, const uint64_t *sums, uint64_t agreement)
{
    uint64_t means[TOPO_GUARD_BLOCKS] = {0}, times[TOPO_GUARD_ARMS] = {0};
    if (topo_guard_is_looking(guard)) {
        decide_look(guard, sums[0] / (uint64_t)topo_guard_timed(guard));
        return;
    }
    for (int block = 0; block < guard->blocks; block++) {
        means[block] = sums[block] / (uint64_t)topo_guard_timed(guard);
        times[arm_of_block(guard, block)] += means[block];
    }
    enum topo_guard_arm faster = faster_of(times[TOPO_GUARD_NATIVE], times[TOPO_GUARD_OURS]), before = guard->better;
    uint64_t shorter = times[faster], longer = times[other(faster)], factor = longer / (shorter ? shorter : 1);
    note_length(guard, 2 * shorter / guard->blocks, agreement);
    uint64_t slower = 2 * longer / guard->blocks, row = (LONG * agreement + slower) / (slower ? slower : 1);
    guard->row = (unsigned char)(row < LEAST_ROW ? LEAST_ROW : row < LONGEST_ROW ? row : LONGEST_ROW);
    if (guard->trusted) {
        decide_trusted(guard, faster, factor, means, agreement);
        return;
    }
    switch ((enum stage)guard->stage) {
    case COLD: decide_cold(guard, faster, means, agreement); return;
    case DOUBT:
    case WARM:
        if (faster == before && (!guard->apart || guard->is_very_long) &&
            (guard->is_long ? is_much_longer(guard, longer, shorter) : factor >= CLEAR && guard->hinted)) {
            keep(guard, means);
            settle(guard, agreement);
        } else {
            guard->better = (unsigned char)faster;
            enter(guard, COMPARE);
        }
        return;
    case COMPARE:
    case CLOSE:
        keep(guard, means);
        guard->better = (unsigned char)faster_by_median(guard);
        if (is_certain(guard) && (guard->stage == CLOSE || guard->better == before)) {
            settle(guard, agreement);
        } else if (guard->kept[TOPO_GUARD_NATIVE] == TOPO_GUARD_KEPT) {
            guard->better = (unsigned char)faster_by_more(guard);
            settle(guard, agreement);
        } else {
            if (guard->stage == COMPARE) /* means of short blocks */
                forget(guard);
            enter(guard, CLOSE);
        }
        return;
    case SETTLED:
        if (guard->block < block_of(guard, CLOSE) && faster != before) { /* things changed, or one block was unlucky */
            forget(guard);
            enter(guard, COMPARE);
            return;
        }
        keep(guard, means);
        if (guard->apart && faster_by_median(guard) != before) {
            enter(guard, CLOSE); /* until that is certain: a row or two may be unlucky, too */
            return;
        }
        if (guard->block >= block_of(guard, CLOSE))
            guard->better = (unsigned char)faster_by_median(guard);
        settle(guard, agreement);
    }
}

void topo_guard_decide(struct topo_guard *guard, const uint64_t sums[TOPO_GUARD_BLOCKS], uint64_t agreement)
{
    decide(guard, sums, agreement);
    topo_guard_meet(guard);
}
