#include "unit.h"

#include <string.h>

#include "predict/mpi/traced.h"

enum { RANKS = 3, EVENTS = 3, US = 1000 };

static const int world[] = {0, 1, 2};
static struct topo_trace_group groups[RANKS];
static struct topo_trace_event events[RANKS][EVENTS];
static struct topo_trace_rank ranks[RANKS];
static struct topo_trace_run run;
static struct topo_notes notes;

/* Rank r computes 10 (r + 1) us, half of them on a CPU, in an interval; an all-reduce from there until 40 us; 1 us
 * behind it. Its clock is r s ahead of rank 0's. */
static void make_run(void)
{
    run = (struct topo_trace_run){.ranks = RANKS, .rank = ranks};
    for (int r = 0; r < RANKS; r++) {
        uint64_t work = (uint64_t)(10 * (r + 1) * US);
        groups[r] = (struct topo_trace_group){r, RANKS, world};
        events[r][0] = (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_BEGIN, .name = "sum", .line = 3};
        events[r][1] = (struct topo_trace_event){
            .kind = TOPO_TRACE_EVENT_COLLECTIVE,
            .call = {
                .gap = {work, work / 2}, .op = TOPO_TRACE_OP_ALLREDUCE, .group = 1, .nanoseconds = 40 * US - work}};
        events[r][2] = (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_END};
        ranks[r] = (struct topo_trace_rank){.path = "t",
                                            .job = {.rank = r,
                                                    .ranks = RANKS,
                                                    .clock = 5000000000u + 1000000000u * (unsigned)r,
                                                    .to_rank0 = -1000000000 * (int64_t)r},
                                            .events = events[r],
                                            .count = EVENTS,
                                            .finished = true,
                                            .tail = {US, US},
                                            .groups = &groups[r],
                                            .group_count = 1};
    }
}

static void is(double seconds, double us)
{
    ck_assert_double_eq_tol(seconds * 1e6, us, 1e-6);
}

START_TEST(by_hand)
{
    struct topo_intervals intervals;
    make_run();
    ck_assert_int_eq(topo_traced(&run, &intervals, &notes), TOPO_OK);
    const struct topo_interval *root = intervals.root, *sum = root->children[0];
    ck_assert(root->child_count == 1 && sum->entries == 1 && !strcmp(sum->name, "sum"));
    is(root->execution, 41);
    is(sum->execution, 40);
    for (int r = 0; r < RANKS; r++) {
        is(sum->times[r].cpu, 10 * (r + 1));
        is(sum->times[r].insufficient_user, 5 * (r + 1));
        is(sum->times[r].kind[TOPO_COMM_REDUCTION].synch, 20 - 10 * r);
        is(sum->times[r].kind[TOPO_COMM_REDUCTION].comm, 10);
    }
    ck_assert(root->operations[TOPO_COMM_REDUCTION] == 1);
    topo_intervals_free(&intervals);
}
END_TEST

/* Messages in front of an event count where it lies; waiting never counts as more than the call. */
START_TEST(messages_and_odd_clocks)
{
    struct topo_intervals intervals;
    make_run();
    events[1][1].traffic = (struct topo_trace_traffic){.calls = 4, .nanoseconds = 2 * US};
    ranks[2].job.to_rank0 += 1000000;
    ck_assert_int_eq(topo_traced(&run, &intervals, &notes), TOPO_OK);
    const struct topo_interval *sum = intervals.root->children[0];
    is(sum->times[1].kind[TOPO_COMM_SHADOW].comm, 2);
    ck_assert_int_eq(sum->operations[TOPO_COMM_SHADOW], 4);
    is(sum->times[0].kind[TOPO_COMM_REDUCTION].synch, 30);
    is(sum->times[0].kind[TOPO_COMM_REDUCTION].comm, 0);
    topo_intervals_free(&intervals);
}
END_TEST

START_TEST(ranks_missing)
{
    struct topo_intervals intervals;
    make_run();
    run.missing = 2;
    ck_assert_int_eq(topo_traced(&run, &intervals, &notes), TOPO_PARSE);
    ck_assert(!intervals.root && strstr(notes.list[0].text, "2 of 3 ranks are missing"));
    topo_notes_free(&notes);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_intervals intervals;
    make_run();
    UNIT_OUT_OF_MEMORY(topo_traced(&run, &intervals, &notes),
                       ck_assert((status == TOPO_OK) == (intervals.root != NULL)));
    topo_intervals_free(&intervals);
    topo_notes_free(&notes);
}
END_TEST

UNIT_MAIN("traced", {by_hand}, {messages_and_odd_clocks}, {ranks_missing}, {out_of_memory})
