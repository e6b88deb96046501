#include "unit.h"

#include <math.h>
#include <string.h>

#include "select/contest.h"
#include "lateness.h"

/* Ranks in a loop of calls, and what the contest of several forms makes of it. Times in ns. */
struct run {
    int arms, first;
    double takes[TOPO_CONTEST_ARMS]; /* what a call takes when all ranks arrive at once */
    double cold;                     /* the first call of each takes so many times as long */
    double late;                     /* ranks come up to so many of the fastest's calls late, by `pattern` */
    enum lateness_pattern pattern;
    double agreement;    /* besides what the latest rank makes it; 0: half as long again as the fastest */
    int calls, drift_at; /* from that call on arms 0 and 1, and the others, change places */
    bool apart;          /* ranks do not wait for each other, but after every call */
    uint64_t telling;    /* a first call of so many ns tells; 0: none does */
    int misses;          /* this arm cannot run; -1: all can */
    double beside; /* calls that are measured against the last arm take so many times as long; 0: as long as ever */
};

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
        if (arm != run->misses)
            least = fmin(least, run->takes[arm]);
    return least;
}

/* One call: the sum of all ranks' times, and what the loop is longer by. */
static double call(const struct run *run, double takes, uint64_t *sum)
{
    double unit = run->late * fastest_of(run, run->arms), last = 0, arrival[RANKS];
    double exact = takes * (0.95 + 0.1 * uniform());
    for (int rank = 0; rank < RANKS; rank++) {
        arrival[rank] = unit * lateness(run->pattern, rank);
        last = fmax(last, arrival[rank]);
    }
    *sum = 0;
    for (int rank = 0; rank < RANKS; rank++)
        *sum += (uint64_t)(last + exact - arrival[rank]);
    return last + exact;
}

static struct outcome simulate(const struct run *run)
{
    struct topo_contest contest;
    struct outcome outcome = {0};
    uint64_t sums[TOPO_GUARD_BLOCKS] = {0}, sum;
    int runs[TOPO_CONTEST_ARMS] = {0};
    double fastest = fastest_of(run, run->arms), late = run->late * fastest, better = fastest_of(run, 2);
    double agreement = run->agreement > 0 ? run->agreement + late : 1.5 * fastest;
    lateness_state = LATENESS_SEED;
    topo_contest_begin(&contest, run->arms, run->first, run->apart, run->telling ? RANKS * run->telling : UINT64_MAX);
    for (int i = 0; i < (run->calls ? run->calls : CALLS); i++) {
        if (topo_guard_is_due(&contest.guard)) {
            topo_contest_decide(&contest, sums, (uint64_t)(RANKS * agreement));
            memset(sums, 0, sizeof sums);
            outcome.seconds += agreement;
        }
        if (topo_guard_awaits(&contest.guard)) {
            topo_guard_meet(&contest.guard);
            outcome.seconds += agreement / 2;
        }
        int arm = topo_contest_arm(&contest), place = topo_guard_step(&contest.guard);
        ck_assert_int_lt(arm, run->arms);
        if (arm == run->misses) { /* native runs instead */
            topo_contest_missed(&contest, arm);
            memset(sums, 0, sizeof sums);
            arm = 0;
            place = -1;
        }
        bool changed = run->drift_at && i >= run->drift_at;
        double takes = run->takes[changed ? arm ^ 1 : arm] * (runs[arm]++ ? 1 : run->cold);
        if (run->beside > 0 && place >= 0 && (contest.who[0] == run->arms - 1 || contest.who[1] == run->arms - 1))
            takes *= run->beside;
        outcome.seconds += call(run, takes, &sum);
        outcome.slower_calls += takes > 1.05 * fastest;
        if (place >= 0)
            sums[place] += sum;
        if (topo_contest_is_settled(&contest) && !outcome.settled_at)
            outcome.settled_at = i;
        outcome.best += call(run, better * (i ? 1 : run->cold), &sum);
    }
    outcome.better = topo_contest_better(&contest);
    return outcome;
}

/* Over 2000 calls at most 2.1 % above the better one of the first two, 2.6 % where first calls take twice as long:
 * whichever that is, whatever the others are worth and whoever comes late. */
static void check_losses(double takes, double agreement, double late_by)
{
    static const double ratios[] = {1.02, 1.1, 1.6, 2.9, 5, 9, 12};
    enum { RATIOS = sizeof ratios / sizeof *ratios };
    static const double delays[] = {0.5, 2};
    double worst = 1;
    for (int arms = 2; arms <= TOPO_CONTEST_ARMS; arms++)
        for (int fastest = 0; fastest < arms; fastest++)
            for (int i = 0; i < RATIOS; i++)
                for (int spread = 0; spread < 2; spread++)
                    for (int first = 0; first < 2; first++)
                        for (int pattern = NOBODY; pattern <= RANDOM; pattern++)
                            for (int delay = 0; delay < 2; delay++) {
                                struct run run = {.arms = arms,
                                                  .first = first,
                                                  .cold = delay < 1 ? 1 : 2,
                                                  .pattern = pattern,
                                                  .late = late_by * delays[delay],
                                                  .agreement = agreement,
                                                  .misses = -1};
                                for (int arm = 0, k = i; arm < arms; arm++)
                                    run.takes[arm] = arm == fastest ? takes : takes * ratios[spread ? k++ % RATIOS : k];
                                struct outcome outcome = simulate(&run);
                                double ratio = outcome.seconds / outcome.best;
                                ck_assert_msg(
                                    ratio <= (delay < 1 ? 1.021 : 1.026),
                                    "%d arms, fastest %d, ratio %.2f %d, first %d, pattern %d, delay %d: %.4f", arms,
                                    fastest, ratios[i], spread, first, pattern, delay, ratio);
                                worst = fmax(worst, ratio);
                            }
    printf("calls of %.0f ns: worst %.4f of the better one\n", takes, worst);
}

START_TEST(little_is_lost)
{
    check_losses(20000, 0, 1);
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
    } rows[] = {{0.1, {1.1, 2.9}, 1.02}, {1, {1.1, 2.9}, 1.021}, {5, {1.1, 2.9}, 1.055}, {20, {1.1, 2.9}, 1.18},
                {0.1, {5, 12}, 1.06},    {1, {5, 12}, 1.065},    {5, {5, 12}, 1.085},    {20, {5, 12}, 1.28}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        double worst = 1;
        for (int arms = 2; arms <= TOPO_CONTEST_ARMS; arms++)
            for (int k = 0; k < 4 * arms; k++) {
                struct run run = {.arms = arms,
                                  .first = k / 2 % 2,
                                  .cold = 1,
                                  .agreement = 20000 * rows[row].agreement,
                                  .apart = true,
                                  .misses = -1};
                for (int arm = 0; arm < arms; arm++)
                    run.takes[arm] = 20000 * (arm == k / 4 ? 1 : rows[row].ratio[k % 2]);
                struct outcome outcome = simulate(&run);
                worst = fmax(worst, outcome.seconds / outcome.best);
            }
        ck_assert_msg(worst <= rows[row].most, "an agreement of %.1f calls, ratios %.1f and %.1f: %.4f",
                      rows[row].agreement, rows[row].ratio[0], rows[row].ratio[1], worst);
        printf("apart, an agreement of %.1f calls, ratios %.1f and %.1f: worst %.4f of the better one\n",
               rows[row].agreement, rows[row].ratio[0], rows[row].ratio[1], worst);
    }
}
END_TEST

/* What a call takes beside the slowest form says nothing of one that it did not meet there: the fastest, once found,
 * runs in nearly all calls. */
START_TEST(slow_ones_do_not_mislead)
{
    for (int fastest = 0; fastest < 2; fastest++)
        for (int calls = 5000; calls <= 50000; calls += 5000) {
            struct run run = {.arms = 3,
                              .cold = 1,
                              .apart = true,
                              .agreement = 20000,
                              .misses = -1,
                              .calls = calls,
                              .beside = 1.4,
                              .takes = {20000, 20000, 40000}};
            run.takes[!fastest] *= 1.15;
            struct outcome outcome = simulate(&run);
            ck_assert_msg(outcome.better == fastest && 20 * outcome.slower_calls < calls,
                          "%d of 2 after %d calls: %d, %d slower", fastest, calls, outcome.better,
                          outcome.slower_calls);
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
                                  .misses = -1,
                                  .calls = long_calls ? 400 : 12000};
                for (int arm = 0; arm < arms; arm++)
                    run.takes[arm] = 20000 * (arm == fastest ? 1 : 1.1 + 0.4 * (arm % 2));
                struct outcome outcome = simulate(&run);
                ck_assert_msg(outcome.better == fastest && outcome.settled_at,
                              "%d arms, the fastest is %d, kind %d: %d, settled at %d", arms, fastest, kind,
                              outcome.better, outcome.settled_at);
                printf("%d arms, %s: settled at call %d\n", arms, (const char *[]){"short", "long", "apart"}[kind],
                       outcome.settled_at);
            }
}
END_TEST

/* Of twenty long calls no more run slower forms than with two. */
START_TEST(few_long_calls)
{
    for (int fastest = 0; fastest < 2; fastest++) {
        struct run run = {.arms = 4,
                          .first = 1,
                          .takes = {80000, 80000, 80000, 80000},
                          .cold = 1,
                          .agreement = 1000,
                          .calls = 20,
                          .misses = -1};
        run.takes[fastest] = 50000;
        struct outcome outcome = simulate(&run);
        ck_assert_msg(outcome.slower_calls <= 3, "fastest %d: %d slower calls of 20", fastest, outcome.slower_calls);
    }
}
END_TEST

/* Of forty calls that take 200 agreements all four forms meet, and the fastest runs the rest, first calls twice as long
 * or not; by one call of each where first calls tell, else by two. */
START_TEST(few_very_long_calls)
{
    for (int fastest = 0; fastest < 4; fastest++)
        for (int kind = 0; kind < 4; kind++) {
            const bool cold = kind % 2, telling = kind / 2;
            struct run run = {.arms = 4,
                              .first = 1,
                              .takes = {260000, 240000, 300000, 280000},
                              .cold = 1 + 0.02 * cold,
                              .agreement = 1000,
                              .calls = 40,
                              .telling = telling,
                              .misses = -1};
            run.takes[fastest] = 200000;
            struct outcome outcome = simulate(&run);
            ck_assert_msg(outcome.better == fastest && outcome.settled_at && outcome.settled_at < 30 &&
                              outcome.slower_calls <= (telling ? 15 : 18),
                          "the fastest is %d, kind %d: %d, settled at %d, %d slower calls of 40", fastest, kind,
                          outcome.better, outcome.settled_at, outcome.slower_calls);
            printf("fastest %d, first calls %s: settled at call %d, %d slower ones\n", fastest,
                   telling ? "tell" : "do not tell", outcome.settled_at, outcome.slower_calls);
        }
}
END_TEST

/* The second comes first: seen, and the others meet again. */
START_TEST(drift_is_seen)
{
    struct run run = {.arms = 4,
                      .first = 0,
                      .takes = {60000, 90000, 30000, 80000},
                      .cold = 1,
                      .agreement = 1000,
                      .calls = 20000,
                      .drift_at = 5000,
                      .misses = -1};
    struct outcome outcome = simulate(&run);
    ck_assert_int_eq(outcome.better, 3); /* as slow as 2 was, and the other way round */
}
END_TEST

/* An arm that cannot run costs little and keeps no other from running. */
START_TEST(one_misses)
{
    for (int missing = 1; missing < 4; missing++) {
        struct run run = {.arms = 4,
                          .first = 0,
                          .takes = {60000, 40000, 40000, 40000},
                          .cold = 1,
                          .agreement = 1000,
                          .calls = 4000,
                          .misses = missing};
        run.takes[3 - missing ? 3 : 2] = 30000;
        struct outcome outcome = simulate(&run);
        ck_assert_msg(outcome.better == (3 - missing ? 3 : 2), "%d missing: %d", missing, outcome.better);
        ck_assert_msg(outcome.seconds <= 1.02 * outcome.best, "%d missing: %.4f", missing,
                      outcome.seconds / outcome.best);
    }
}
END_TEST

/* Whoever remembers that calls are native hears after the same call as whoever looks at each that ranks are to meet. */
START_TEST(remembered_calls_count)
{
    enum { QUIET = 5 };
    struct topo_contest remembers;
    topo_contest_begin(&remembers, 2, 0, true, 0);
    remembers.guard.quiet = QUIET;
    struct topo_contest looks = remembers;
    for (int call = 1; call <= 2 * QUIET; call++) {
        bool passes = topo_contest_is_first_untimed(&remembers);
        if (!passes)
            topo_guard_step(&remembers.guard);
        topo_guard_step(&looks.guard);
        ck_assert_uint_eq(remembers.guard.quiet, looks.guard.quiet);
        ck_assert_int_eq(topo_guard_awaits(&looks.guard), call >= QUIET);
        ck_assert_msg(passes == (call < QUIET), "call %d", call);
    }
}
END_TEST

/* One call, and the decision where it fills a window; arm a takes takes[a]. */
static void step(struct topo_contest *contest, const uint64_t *takes)
{
    int arm = topo_contest_arm(contest), place = topo_guard_step(&contest->guard);
    if (place >= 0)
        contest->guard.taken[place] += takes[arm];
    if (topo_guard_is_due(&contest->guard))
        topo_contest_decide(contest, contest->guard.taken, 1000);
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
            ck_assert_int_eq(contest.guard.at % contest.guard.block, 0);
        }
        struct topo_contest other = contest;
        other.guard.taken[0]++;
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
        topo_contest_believe(&contest, TOPO_CONTEST_ARMS, arm, false, false, 0);
        for (int call = 0; call < 200; call++) {
            ck_assert_int_eq(topo_contest_arm(&contest), arm);
            step(&contest, takes);
        }
        for (int call = 0; call < 20000; call++)
            step(&contest, takes);
        ck_assert_int_eq(topo_contest_better(&contest), 1);
        ck_assert_int_eq(contest.met, (1 << TOPO_CONTEST_ARMS) - 1);
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
    tcase_add_test(tcase, slow_ones_do_not_mislead);
    tcase_add_test(tcase, the_fastest_is_found);
    tcase_add_test(tcase, few_long_calls);
    tcase_add_test(tcase, few_very_long_calls);
    tcase_add_test(tcase, drift_is_seen);
    tcase_add_test(tcase, one_misses);
    tcase_add_test(tcase, remembered_calls_count);
    tcase_add_test(tcase, goes_on_elsewhere);
    tcase_add_test(tcase, begins_with_a_belief);
    suite_add_tcase(suite, tcase);
    return unit_main(suite);
}
