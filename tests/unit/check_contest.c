#include "unit.h"

#include <math.h>
#include <string.h>

#include "select/contest.h"
#include "lateness.h"

/* Ranks in a loop of calls, and what the contest of several algorithms makes of it. Times in ns. */
struct run {
    int arms, first;
    double takes[TOPO_CONTEST_ARMS]; /* what a call takes when all ranks arrive at once */
    double cold;                     /* the first call of each takes so many times as long; 0: as others */
    double made[TOPO_CONTEST_ARMS];  /* the first call of each takes so much longer, too */
    double rested; /* so many times, those of an arm that did not run in the RESTS calls before; 0: as others */
    double late;   /* ranks come up to so many of the fastest's calls late, by `pattern` */
    enum lateness_pattern pattern;
    double hiccups;      /* share of calls that the system makes 20 times as long */
    double agreement;    /* besides what the latest rank makes it; 0: half as long again as the fastest */
    int calls, drift_at; /* 0: CALLS; from that call on arms 0 and 1, and the others, change places */
    bool apart;          /* ranks do not wait for each other, but after every call */
    int misses;          /* this arm cannot run; 0: all can */
};

enum { RESTS = 16 };

struct outcome {
    double seconds, best; /* with the contest, and always the better one of the first two */
    int slower_calls;     /* than 1.05 of the fastest */
    int better;           /* in the end */
    int settled_at;       /* the call; 0: not */
};

static double fastest_of(const struct run *run, int arms)
{
    double least = INFINITY;
    for (int arm = 0; arm < arms; arm++)
        if (!run->misses || arm != run->misses)
            least = fmin(least, run->takes[arm]);
    return least;
}

/* One call: the sum of all ranks' times, and what the loop is longer by. */
static double call(const struct run *run, double takes, uint64_t *sum)
{
    double unit = run->late * fastest_of(run, run->arms), last = 0, arrival[RANKS];
    double exact = takes * (run->hiccups > 0 && uniform() < run->hiccups ? 20 : 1) * (0.95 + 0.1 * uniform());
    for (int rank = 0; rank < RANKS; rank++) {
        arrival[rank] = unit * lateness(run->pattern, rank);
        last = fmax(last, arrival[rank]);
    }
    *sum = 0;
    for (int rank = 0; rank < RANKS; rank++)
        *sum += (uint64_t)(last + exact - arrival[rank]);
    return last + exact;
}

/* What a call of this arm takes, its `number`th, after `rest` calls of others. */
static double takes_of(const struct run *run, int arm, int at, int number, int rest)
{
    const bool changed = run->drift_at && at >= run->drift_at;
    double takes = run->takes[changed ? arm ^ 1 : arm];
    if (number == 0)
        return (run->cold > 0 ? run->cold : 1) * takes + run->made[arm];
    return run->rested > 0 && rest > RESTS ? run->rested * takes : takes;
}

static struct outcome simulate(const struct run *run)
{
    struct topo_contest contest;
    struct outcome outcome = {0};
    uint64_t sums[TOPO_CONTEST_BLOCKS] = {0}, sum;
    int runs[TOPO_CONTEST_ARMS] = {0}, last[TOPO_CONTEST_ARMS] = {0};
    const double fastest = fastest_of(run, run->arms), better = fastest_of(run, 2);
    const double agreement = run->agreement > 0 ? run->agreement + run->late * fastest : 1.5 * fastest;
    topo_contest_begin(&contest, run->arms, run->first, run->apart, 0);
    for (int i = 0; i < (run->calls ? run->calls : CALLS); i++) {
        if (topo_contest_is_due(&contest)) {
            topo_contest_decide(&contest, sums, (uint64_t)(RANKS * agreement));
            memset(sums, 0, sizeof sums);
            outcome.seconds += agreement;
        }
        if (topo_contest_awaits(&contest)) {
            topo_contest_meet(&contest);
            outcome.seconds += agreement / 2;
        }
        int arm = topo_contest_arm(&contest), place = topo_contest_step(&contest);
        ck_assert_int_lt(arm, run->arms);
        if (run->misses && arm == run->misses) { /* native runs instead */
            topo_contest_missed(&contest, arm);
            memset(sums, 0, sizeof sums);
            arm = 0;
            place = -1;
        }
        double takes = takes_of(run, arm, i, runs[arm]++, i - last[arm]);
        last[arm] = i;
        outcome.seconds += call(run, takes, &sum);
        outcome.slower_calls += takes > 1.05 * fastest;
        if (place >= 0)
            sums[place] += sum;
        if (topo_contest_is_settled(&contest) && !outcome.settled_at)
            outcome.settled_at = i;
        outcome.best += call(run, takes_of(&(struct run){.takes = {better}, .cold = run->cold}, 0, i, i, 0), &sum);
    }
    outcome.better = contest.champion;
    return outcome;
}

static const char *told(const struct run *run)
{
    static char text[200];
    snprintf(text, sizeof text, "%d arms, %.0f, %.0f, %.0f and %.0f ns, first %d, late %.2f by %d, cold %.1f",
             run->arms, run->takes[0], run->takes[1], run->takes[2], run->takes[3], run->first, run->late,
             (int)run->pattern, run->cold);
    return text;
}

/* Over 2000 calls, beside the better one of the first two: whichever that is, whoever was said to be it, whatever the
 * others are worth and whoever comes late; also where first calls take twice as long. */
static void check_losses(double takes, double agreement, double late_by)
{
    static const double ratios[] = {1.02, 1.1, 1.3, 1.6, 2, 2.9, 5, 7, 10, 12};
    enum { RATIOS = sizeof ratios / sizeof *ratios };
    double worst[2] = {1, 1};
    for (int k = 0; k < RATIOS * 3 * TOPO_CONTEST_ARMS * 2 * 2 * 5 * 2; k++) {
        const int i = k % RATIOS, arms = 2 + k / RATIOS % 3, fastest = k / RATIOS / 3 % TOPO_CONTEST_ARMS;
        const int rest = k / RATIOS / 3 / TOPO_CONTEST_ARMS, spread = rest % 2, cold = rest / 4 % 2;
        struct run run = {.arms = arms,
                          .first = rest / 2 % 2,
                          .cold = 1 + cold,
                          .pattern = NOBODY + rest / 8,
                          .late = late_by * (cold ? 2 : 0.5),
                          .agreement = agreement};
        if (fastest >= arms)
            continue;
        for (int arm = 0; arm < arms; arm++)
            run.takes[arm] = arm == fastest ? takes : takes * ratios[spread ? (i + arm) % RATIOS : i];
        struct outcome outcome = simulate(&run);
        const double ratio = outcome.seconds / outcome.best;
        ck_assert_msg(ratio <= (cold ? 1.04 : arms == 2 ? 1.02 : 1.025), "%s: %.4f", told(&run), ratio);
        worst[cold] = fmax(worst[cold], ratio);
    }
    printf("calls of %.0f ns: worst %.4f of the better one, %.4f with cold ones\n", takes, worst[0], worst[1]);
}

START_TEST(little_is_lost)
{
    check_losses(20000, 0, 1);
    check_losses(20000, 20000, 1);
    check_losses(50000, 1000, 0.02);
    check_losses(50000, 10000, 0.2);
    check_losses(200000, 1000, 0.01);
}
END_TEST

/* Where ranks are apart blocks take as long as some agreements, and begin with a meeting of all: where both are long
 * beside a call, more is lost of 2000 calls. */
START_TEST(lost_apart)
{
    static const struct {
        double agreement; /* in calls of the fastest */
        double ratio[2], most;
    } rows[] = {{0.1, {1.1, 2.9}, 1.03}, {1, {1.1, 2.9}, 1.04}, {5, {1.1, 2.9}, 1.12}, {20, {1.1, 2.9}, 1.15},
                {0.1, {5, 12}, 1.03},    {1, {5, 12}, 1.03},    {5, {5, 12}, 1.05},    {20, {5, 12}, 1.10}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        double worst = 1;
        for (int arms = 2; arms <= TOPO_CONTEST_ARMS; arms++)
            for (int k = 0; k < 4 * arms; k++) {
                struct run run = {
                    .arms = arms, .first = k / 2 % 2, .agreement = 20000 * rows[row].agreement, .apart = true};
                for (int arm = 0; arm < arms; arm++)
                    run.takes[arm] = 20000 * (arm == k / 4 ? 1 : rows[row].ratio[k % 2]);
                struct outcome outcome = simulate(&run);
                worst = fmax(worst, outcome.seconds / outcome.best);
            }
        printf("apart, an agreement of %.1f calls, ratios %.1f and %.1f: worst %.4f of the better one\n",
               rows[row].agreement, rows[row].ratio[0], rows[row].ratio[1], worst);
        ck_assert_msg(worst <= rows[row].most, "an agreement of %.1f calls, ratios %.1f and %.1f: %.4f",
                      rows[row].agreement, rows[row].ratio[0], rows[row].ratio[1], worst);
    }
}
END_TEST

/* The fastest is found, wherever it stands, when it is a tenth faster than the next. */
START_TEST(the_fastest_is_found)
{
    for (int arms = 2; arms <= TOPO_CONTEST_ARMS; arms++)
        for (int fastest = 0; fastest < arms; fastest++)
            for (int kind = 0; kind < 3; kind++) {
                const bool long_calls = kind == 1;
                struct run run = {.arms = arms,
                                  .cold = 3,
                                  .apart = kind == 2,
                                  .agreement = long_calls ? 1000 : 0,
                                  .first = 1,
                                  .calls = long_calls ? 800 : 12000};
                for (int arm = 0; arm < arms; arm++)
                    run.takes[arm] = 20000 * (arm == fastest ? 1 : 1.1 + 0.4 * (arm % 2));
                struct outcome outcome = simulate(&run);
                ck_assert_msg(outcome.better == fastest && (outcome.settled_at || kind == 2),
                              "%s, kind %d: %d, settled at %d", told(&run), kind, outcome.better, outcome.settled_at);
                printf("%d arms, %s: settled at call %d\n", arms, (const char *[]){"short", "long", "apart"}[kind],
                       outcome.settled_at);
            }
}
END_TEST

/* At most `allowed` of the calls run slower ones. */
static void check_slower_calls(struct run run, int first, int fastest, double ratio, int allowed)
{
    run.first = first;
    for (int arm = 0; arm < run.arms; arm++)
        run.takes[arm] *= arm == fastest ? 1 : ratio;
    struct outcome outcome = simulate(&run);
    ck_assert_msg(outcome.slower_calls <= allowed, "%s: %d slower calls of %d", told(&run), outcome.slower_calls,
                  run.calls);
}

/* Of few calls, long ones beside an agreement, few run slower ones. */
START_TEST(few_long_calls)
{
    for (int first = 0; first < 2; first++)
        for (int fastest = 0; fastest < 2; fastest++) {
            const double takes = 50000;
            struct run run = {.arms = 2, .takes = {takes, takes}, .agreement = takes / 50, .calls = 20};
            check_slower_calls(run, first, fastest, 1.3, 2);
            check_slower_calls(run, first, fastest, 5, 2);
            run.agreement = takes / 5;
            run.calls = 200;
            check_slower_calls(run, first, fastest, 1.25, 16);
        }
}
END_TEST

/* Of forty calls that take 200 agreements, with four of which the first to meet are the slower ones or not. */
START_TEST(few_very_long_calls)
{
    for (int fastest = 0; fastest < 4; fastest++) {
        struct run run = {
            .arms = 4, .first = 1, .takes = {260000, 240000, 300000, 280000}, .agreement = 1000, .calls = 40};
        run.takes[fastest] = 200000;
        struct outcome outcome = simulate(&run);
        printf("very long, fastest %d: settled at call %d, %d slower ones\n", fastest, outcome.settled_at,
               outcome.slower_calls);
        ck_assert_msg(fastest > 1 || (outcome.better == fastest && outcome.slower_calls <= 12),
                      "%s: %d, %d slower calls of 40", told(&run), outcome.better, outcome.slower_calls);
        ck_assert_msg(outcome.seconds <= 1.1 * outcome.best, "%s: %.3f of the better one", told(&run),
                      outcome.seconds / outcome.best);
    }
}
END_TEST

/* Calls that the system interrupts do not decide. */
START_TEST(hiccups_do_not_decide)
{
    double total = 0, best = 0;
    for (int i = 0; i < 200; i++) {
        struct run run = {.arms = 2,
                          .first = i / 2 % 2,
                          .takes = {20000, 20000},
                          .cold = 5,
                          .hiccups = 0.02,
                          .agreement = i / 4 % 2 ? 500 : 0};
        run.takes[i % 2] *= 1.5;
        struct outcome outcome = simulate(&run);
        total += outcome.seconds;
        best += outcome.best;
    }
    printf("with hiccups: %.4f of the better one\n", total / best);
    ck_assert_msg(total <= 1.03 * best, "%.4f of the better one", total / best);
}
END_TEST

/* First calls make connections and touch pages: they take 100 times as long, whichever of them takes longer. So do,
 * less, those of an algorithm that did not run for a while. */
START_TEST(first_calls_do_not_decide)
{
    static const double made[] = {0, 2e6, 5e6, 4e7, 2e8}, ratios[] = {1.5, 2, 5};
    enum { MADE = sizeof made / sizeof *made };
    for (int which = 0; which < 4; which++)
        for (int i = 0; i <= MADE * MADE; i++)
            for (int k = 0; k < 6; k++) {
                const double takes = k < 3 ? 1e7 : 20000;
                struct run run = {.arms = 2, .takes = {takes, takes}, .agreement = 2000, .calls = CALLS};
                if (i == MADE * MADE)
                    run.rested = 20;
                else
                    run.made[0] = made[i / MADE], run.made[1] = made[i % MADE];
                check_slower_calls(run, which & 1, which / 2, ratios[k % 3], CALLS / 20);
            }
}
END_TEST

/* Ranks begin on one processor, where each takes ten times as long, and ours by chance longer: what was found then does
 * not stay. */
START_TEST(first_times_do_not_last)
{
    enum { NUMBER = 60000, TOGETHER = 300 };
    static const uint64_t times[2][2] = {{3000, 5000}, {700, 300}}, agreements[2] = {10000, 4000};
    for (int together = 5; together <= TOGETHER; together *= 2)
        for (int apart = 0; apart < 2; apart++) {
            struct topo_contest contest;
            uint64_t sums[TOPO_CONTEST_BLOCKS] = {0};
            int natively = 0;
            topo_contest_begin(&contest, 2, 0, apart, 0);
            for (int i = 0; i < NUMBER; i++) {
                const int now = i >= together;
                if (topo_contest_is_due(&contest)) {
                    topo_contest_decide(&contest, sums, agreements[now]);
                    memset(sums, 0, sizeof sums);
                }
                topo_contest_meet(&contest);
                const int arm = topo_contest_arm(&contest), place = topo_contest_step(&contest);
                if (place >= 0)
                    sums[place] += times[now][arm];
                natively += arm == 0;
            }
            ck_assert_msg(natively < NUMBER / 5, "%d together, apart %d: native in %d calls", together, apart,
                          natively);
        }
}
END_TEST

/* What was the slowest comes first: seen, and the others meet again. */
START_TEST(drift_is_seen)
{
    struct run run = {
        .arms = 4, .takes = {60000, 90000, 30000, 80000}, .agreement = 1000, .calls = 20000, .drift_at = 5000};
    ck_assert_int_eq(simulate(&run).better, 3); /* as slow as 2 was, and the other way round */
    struct run two = {.arms = 2, .first = 1, .takes = {20000, 40000}, .drift_at = 500};
    struct outcome outcome = simulate(&two);
    ck_assert_msg(outcome.better == 1 && outcome.slower_calls < 900, "%d slower calls", outcome.slower_calls);
}
END_TEST

/* An arm that cannot run costs little and keeps no other from running. */
START_TEST(one_misses)
{
    for (int missing = 1; missing < 4; missing++) {
        struct run run = {.arms = 4, .takes = {60000, 40000, 40000, 40000}, .agreement = 1000, .calls = 4000};
        const int fastest = missing < 3 ? 3 : 2;
        run.misses = missing;
        run.takes[fastest] = 30000;
        struct outcome outcome = simulate(&run);
        ck_assert_msg(outcome.better == fastest && outcome.seconds <= 1.02 * outcome.best, "%d missing: %d, %.4f",
                      missing, outcome.better, outcome.seconds / outcome.best);
    }
}
END_TEST

/* A round that began anew times as many calls as before; one that is due runs the champion. */
START_TEST(rounds)
{
    struct topo_contest contest;
    const uint64_t sums[TOPO_CONTEST_BLOCKS] = {300, 100, 300, 100};
    topo_contest_begin(&contest, 2, 1, false, 0);
    for (int again = 0; again < 2; again++) {
        ck_assert_int_eq(topo_contest_arm(&contest), 1);
        ck_assert_int_eq(topo_contest_step(&contest), 0);
        ck_assert_int_eq(topo_contest_arm(&contest), 0);
        topo_contest_continue(&contest);
        ck_assert_int_eq(topo_contest_step(&contest), 1);
        if (again == 0)
            topo_contest_missed(&contest, 1);
    }
    for (int block = 2; block < TOPO_CONTEST_BLOCKS; block++)
        ck_assert_int_eq(topo_contest_step(&contest), block);
    ck_assert(topo_contest_is_due(&contest));
    ck_assert_int_eq(topo_contest_step(&contest), -1); /* a call that no agreement went before */
    ck_assert(topo_contest_is_due(&contest));
    ck_assert_int_eq(topo_contest_arm(&contest), 1);
    topo_contest_decide(&contest, sums, 0);
    ck_assert(!topo_contest_is_due(&contest));
    ck_assert_int_eq(topo_contest_arm(&contest), 0);
}
END_TEST

/* Broadcasts: what a call takes the root and the other rank, and how many calls the root may be ahead. */
struct rooted {
    double root, leaf;
    int ahead;
};

/* Two ranks in a loop of broadcasts, each by its own clock; after every `between` of them they wait for each other
 * anyway, in a call of another kind. Returns what the loop takes over that of the better form; *better is what the
 * contest holds for that. */
static double broadcasts(const struct rooted *forms, bool apart, int between, int *better)
{
    enum { ROOT, LEAF, PAIR, DEPTH = 64, LEAVING = 10 };
    const double agreement = 30;
    double clock[PAIR] = {0}, done[DEPTH] = {0}, best = INFINITY;
    uint64_t taken[PAIR][TOPO_CONTEST_BLOCKS] = {0}, sums[TOPO_CONTEST_BLOCKS];
    struct topo_contest contest;
    topo_contest_begin(&contest, 2, 0, apart, 0);
    for (int i = 0; i < CALLS; i++) {
        if (i % between == 0 && (topo_contest_is_due(&contest) || topo_contest_awaits(&contest))) {
            clock[ROOT] = clock[LEAF] = fmax(clock[ROOT], clock[LEAF]) + agreement;
            clock[i / between % PAIR] += LEAVING * uniform();
            for (int block = 0; block < TOPO_CONTEST_BLOCKS; block++)
                sums[block] = apart ? 2 * (taken[ROOT][block] > taken[LEAF][block] ? taken[ROOT] : taken[LEAF])[block]
                                    : taken[ROOT][block] + taken[LEAF][block];
            if (topo_contest_is_due(&contest)) {
                topo_contest_decide(&contest, sums, (uint64_t)(2 * agreement));
                memset(taken, 0, sizeof taken);
            }
            topo_contest_meet(&contest);
        }
        const struct rooted *form = &forms[topo_contest_arm(&contest)];
        int block = topo_contest_step(&contest);
        double sent = fmax(clock[ROOT], i < form->ahead ? 0 : done[(i - form->ahead) % DEPTH]) + form->root;
        double received = fmax(sent, clock[LEAF]) + form->leaf;
        if (block >= 0) {
            taken[ROOT][block] += (uint64_t)(sent - clock[ROOT]);
            taken[LEAF][block] += (uint64_t)(received - clock[LEAF]);
        }
        clock[ROOT] = sent;
        clock[LEAF] = done[i % DEPTH] = received;
    }
    for (int form = 0; form < PAIR; form++)
        best = fmin(best, fmax(forms[form].root, forms[form].leaf));
    *better = contest.champion;
    return fmax(clock[ROOT], clock[LEAF]) / (CALLS * best);
}

/* Of broadcasts the form counts whose last rank is through first, not the one in which a root returns early. */
START_TEST(roots_are_ahead)
{
    static const struct rooted fast[] = {{10, 100, 60}, {70, 70, 4}}, slow[] = {{10, 100, 60}, {150, 150, 4}};
    int better;
    for (int between = 1; between <= 100; between *= 10) {
        /* Each block waits until all are together. */
        double allowed = between < 100 ? 1.05 : 1.3, loss = broadcasts(fast, true, between, &better);
        ck_assert_msg(better == 1 && loss < allowed, "%d: form %d, %.3f", between, better, loss);
        loss = broadcasts(slow, true, between, &better);
        ck_assert_msg(better == 0 && loss < allowed, "%d: form %d, %.3f", between, better, loss);
    }
    broadcasts(fast, false, 10, &better);
    ck_assert_int_eq(better, 0); /* what it takes all ranks together would mislead */
}
END_TEST

/* Whoever remembers that calls are native hears after the same call as whoever looks at each that ranks are to meet. */
START_TEST(remembered_calls_count)
{
    enum { QUIET = 5 };
    struct topo_contest remembers;
    topo_contest_begin(&remembers, 2, 0, true, QUIET);
    struct topo_contest looks = remembers;
    for (int call = 1; call <= 2 * QUIET; call++) {
        bool passes = topo_contest_is_first_untimed(&remembers);
        if (!passes)
            topo_contest_step(&remembers);
        topo_contest_step(&looks);
        ck_assert_uint_eq(remembers.quiet, looks.quiet);
        ck_assert_int_eq(topo_contest_awaits(&looks), call >= QUIET);
        ck_assert_msg(passes == (call < QUIET), "call %d", call);
    }
}
END_TEST

/* One call, and the decision where a round is through; arm a takes takes[a]. */
static void step(struct topo_contest *contest, const uint64_t *takes)
{
    int arm = topo_contest_arm(contest), place = topo_contest_step(contest);
    if (place >= 0)
        contest->taken[place] += takes[arm];
    if (topo_contest_is_due(contest))
        topo_contest_decide(contest, contest->taken, 1000);
}

/* A contest that goes on in other communicators comes to what it would have come to, and all that is equal on all ranks
 * tells two apart; what a rank took itself does not. */
START_TEST(goes_on_elsewhere)
{
    static const uint64_t takes[TOPO_CONTEST_ARMS] = {50000, 20000, 40000};
    enum { LIVES = 7, CALLS_OF_ALL = 400 };
    struct topo_contest contest;
    uint64_t saved;
    topo_contest_begin(&contest, 3, 0, false, 0);
    ck_assert_int_eq(topo_contest_verdict(&contest, &saved), -1);
    for (int call = 0; call < CALLS_OF_ALL; call++) {
        if (call % LIVES == 0) {
            topo_contest_continue(&contest);
            ck_assert_int_eq(contest.at % contest.block, 0);
        }
        struct topo_contest other = contest;
        other.taken[0]++;
        ck_assert_uint_eq(topo_contest_hash(&contest, 1), topo_contest_hash(&other, 1));
        step(&contest, takes);
        ck_assert_uint_ne(topo_contest_hash(&contest, 1), topo_contest_hash(&other, 1));
    }
    ck_assert_int_eq(topo_contest_verdict(&contest, &saved), 1);
    ck_assert_uint_eq(saved, 30000);
}
END_TEST

/* What is believed runs for a while; then all others meet it. */
START_TEST(begins_with_a_belief)
{
    static const uint64_t takes[TOPO_CONTEST_ARMS] = {50000, 20000, 40000, 30000};
    uint64_t saved;
    for (int arm = 0; arm < TOPO_CONTEST_ARMS; arm++) {
        struct topo_contest contest;
        topo_contest_begin(&contest, TOPO_CONTEST_ARMS, arm, false, 200);
        for (int call = 0; call < 200; call++) {
            ck_assert_int_eq(topo_contest_arm(&contest), arm);
            step(&contest, takes);
        }
        for (int call = 0; call < 20000; call++)
            step(&contest, takes);
        ck_assert(topo_contest_is_settled(&contest));
        ck_assert_int_eq(topo_contest_verdict(&contest, &saved), 1);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("contest");
    TCase *tcase = tcase_create("contest");
    tcase_set_timeout(tcase, 200);
    tcase_add_test(tcase, little_is_lost);
    tcase_add_test(tcase, lost_apart);
    tcase_add_test(tcase, the_fastest_is_found);
    tcase_add_test(tcase, few_long_calls);
    tcase_add_test(tcase, few_very_long_calls);
    tcase_add_test(tcase, hiccups_do_not_decide);
    tcase_add_test(tcase, first_calls_do_not_decide);
    tcase_add_test(tcase, first_times_do_not_last);
    tcase_add_test(tcase, drift_is_seen);
    tcase_add_test(tcase, one_misses);
    tcase_add_test(tcase, rounds);
    tcase_add_test(tcase, roots_are_ahead);
    tcase_add_test(tcase, remembered_calls_count);
    tcase_add_test(tcase, goes_on_elsewhere);
    tcase_add_test(tcase, begins_with_a_belief);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
