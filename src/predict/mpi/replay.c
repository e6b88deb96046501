#include "predict/mpi/replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "predict/mpi/replay_clock.h"
#include "predict/mpi/replay_cost.h"
#include "predict/mpi/replay_group.h"
#include "predict/mpi/trace_interval.h"

/* What a rank does next with the event at `next`. */
enum phase { WORKS, SENDS, ARRIVES, WAITS, LEAVES, ENDED };

enum { TELL_STEPS = 1 << 16 }; /* some milliseconds */

struct one {
    const struct topo_trace_rank *trace;
    int source;  /* the traced rank */
    size_t next; /* event; behind the last one: what follows it */
    enum phase phase;
    double since;   /* when the phase began */
    double planned; /* seconds of work, or of the collective */
    struct topo_interval *interval;
};

struct replay {
    const struct topo_trace_run *run;
    const struct topo_replay_machine *machine;
    struct topo_intervals *intervals;
    struct replay_clock *clock;
    struct replay_groups groups;
    struct replay_costs *costs;
    struct one *rank;
    int ranks;
    const struct topo_trace_event **event; /* [ranks] of the members of a call */
    const struct topo_trace_rank **trace;  /* [ranks] */
    double *entered;                       /* [ranks] seconds */
    int forbidden;                         /* a rank with a communicator that cannot be carried over, -1: none */
    bool out_of_memory;
    unsigned long steps; /* of the loop over all ranks */
};

static struct topo_times *times_of(struct replay *replay, int r)
{
    return &replay->rank[r].interval->times[r];
}

/* What lies in front of the event at `next`. */
static struct topo_trace_gap gap_of(const struct one *one)
{
    return one->next < one->trace->count ? one->trace->events[one->next].call.gap : one->trace->tail;
}

static const struct topo_trace_traffic *traffic_of(const struct one *one)
{
    return one->next < one->trace->count ? &one->trace->events[one->next].traffic : &one->trace->tail_traffic;
}

static struct replay_factors factors_of(const struct replay *replay, enum replay_scaling scaling)
{
    return replay_factors_of(scaling, replay->run->ranks, replay->ranks);
}

/* The rule of the innermost interval that has one. */
static enum replay_scaling scaling_of(const struct replay *replay, const struct topo_interval *interval)
{
    const struct replay_scaling_rules *rules = &replay->machine->scaling;
    for (; interval; interval = interval->parent)
        for (int i = 0; i < rules->count; i++)
            if (interval->name && !strcmp(interval->name, rules->list[i].interval))
                return rules->list[i].scaling;
    return rules->otherwise;
}

/* Starts with what lies in front of the next event. */
static void start_work(struct replay *replay, int r)
{
    struct one *one = &replay->rank[r];
    if (one->next == one->trace->count && !one->trace->finished) {
        one->phase = ENDED; /* what came after the last event is not known */
        replay_clock_release(replay->clock, r);
        return;
    }
    double factor = factors_of(replay, scaling_of(replay, one->interval)).work;
    one->phase = WORKS;
    one->since = replay_clock_now(replay->clock);
    one->planned = (double)gap_of(one).cpu * 1e-9 / replay->machine->speed * factor;
    replay_clock_work(replay->clock, r, one->planned);
}

/* The work is done; what it took longer is for want of cores. */
static void end_work(struct replay *replay, int r)
{
    struct one *one = &replay->rank[r];
    struct topo_times *times = times_of(replay, r);
    double taken = replay_clock_now(replay->clock) - one->since;
    times->execution += taken;
    times->cpu += taken;
    times->insufficient_user += taken > one->planned ? taken - one->planned : 0;
    const struct topo_trace_traffic *traffic = traffic_of(one);
    one->phase = SENDS;
    one->planned = (double)traffic->nanoseconds * 1e-9;
    if (traffic->calls)
        replay_clock_release(replay->clock, r);
    replay_clock_rest(replay->clock, r, traffic->calls ? one->planned : 0);
}

static void end_sends(struct replay *replay, int r)
{
    struct one *one = &replay->rank[r];
    const struct topo_trace_traffic *traffic = traffic_of(one);
    if (traffic->calls) {
        times_of(replay, r)->execution += one->planned;
        times_of(replay, r)->kind[TOPO_COMM_SHADOW].comm += one->planned;
        one->interval->operations[TOPO_COMM_SHADOW] += (long)traffic->calls;
    }
    one->phase = one->next < one->trace->count ? ARRIVES : ENDED;
    if (one->phase == ENDED)
        replay_clock_release(replay->clock, r);
}

static void enter(struct replay *replay, int r, const struct topo_trace_event *event)
{
    struct one *one = &replay->rank[r];
    struct topo_interval *inner = topo_trace_open_interval(replay->intervals, one->interval, r, event);
    replay->out_of_memory = replay->out_of_memory || !inner;
    one->interval = inner ? inner : one->interval;
}

static int earlier(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds from now, when the last of n members has entered, to the end. Each one's share of the work
 * starts when it enters and the earlier ones' shares are done. */
static double rest_of(double *entered, int n, double now, struct replay_seconds seconds)
{
    double rest = seconds.last;
    if (seconds.last >= seconds.all)
        return seconds.all;
    qsort(entered, (size_t)n, sizeof *entered, earlier);
    for (int k = 0; k < n; k++) {
        double end = entered[k] - now + seconds.all * (n - k) / n;
        rest = end > rest ? end : rest;
    }
    return rest;
}

/* All members are there: what they waited, and how long it takes. */
static void start_collective(struct replay *replay, struct replay_group *group)
{
    double now = replay_clock_now(replay->clock), seconds;
    const struct one *first = &replay->rank[group->world[0]];
    const struct topo_trace_event *event = &first->trace->events[first->next];
    struct replay_call call = {
        .group = group,
        .event = replay->event,
        .trace = replay->trace,
        .traced_count = topo_trace_group(first->trace, event->call.group)->count,
        .factors = factors_of(replay, scaling_of(replay, first->interval)),
    };
    for (int i = 0; i < group->count; i++) {
        const struct one *one = &replay->rank[group->world[i]];
        replay->event[i] = &one->trace->events[one->next];
        replay->trace[i] = one->trace;
        replay->entered[i] = one->since;
    }
    struct replay_seconds cost = replay_cost(replay->costs, &call);
    replay->out_of_memory = replay->out_of_memory || cost.all < 0;
    seconds = rest_of(replay->entered, group->count, now, cost);
    first->interval->operations[topo_trace_comm_kind(event->call.op)]++;
    double waited = 0;
    for (int i = 0; i < group->count; i++) {
        int member = group->world[i];
        struct one *one = &replay->rank[member];
        struct topo_times *times = times_of(replay, member);
        struct topo_comm_time *kind = &times->kind[topo_trace_comm_kind(event->call.op)];
        waited += now - one->since;
        times->execution += now - one->since + seconds;
        kind->synch += now - one->since;
        kind->comm += seconds;
        one->phase = LEAVES;
        replay_clock_rest(replay->clock, member, seconds);
    }
    if (!topo_trace_add_call(&replay->intervals->calls, &event->call, 1, seconds * group->count, waited))
        replay->out_of_memory = true;
    group->arrived = 0;
}

static void arrive(struct replay *replay, int r)
{
    struct one *one = &replay->rank[r];
    const struct topo_trace_event *event = &one->trace->events[one->next];
    int number = replay->groups.of[one->source][event->call.group - 1];
    one->since = replay_clock_now(replay->clock);
    if (number == REPLAY_GROUP_SELF) { /* nobody to talk to */
        one->phase = LEAVES;
        replay_clock_rest(replay->clock, r, 0);
        return;
    }
    one->phase = WAITS;
    replay_clock_release(replay->clock, r);
    if (number == REPLAY_GROUP_NONE) {
        replay->forbidden = replay->forbidden < 0 ? one->source : replay->forbidden;
        return;
    }
    struct replay_group *group = replay->groups.list[number];
    if (group->arrived && group->op != event->call.op)
        return; /* the others are elsewhere: nobody goes on */
    group->op = event->call.op;
    if (++group->arrived == group->count)
        start_collective(replay, group);
}

/* Goes on with rank r, which is through with its phase, until it takes time again. */
static void go_on(struct replay *replay, int r)
{
    struct one *one = &replay->rank[r];
    if (one->phase == WORKS) {
        end_work(replay, r);
        return;
    }
    if (one->phase == SENDS)
        end_sends(replay, r);
    if (one->phase == ARRIVES) {
        const struct topo_trace_event *event = &one->trace->events[one->next];
        if (event->kind == TOPO_TRACE_EVENT_COLLECTIVE) {
            arrive(replay, r);
            return;
        }
        if (event->kind == TOPO_TRACE_EVENT_BEGIN)
            enter(replay, r, event);
        else if (one->interval->parent)
            one->interval = one->interval->parent;
        one->phase = LEAVES;
    }
    if (one->phase == LEAVES) {
        one->next++;
        start_work(replay, r);
    }
}

static bool prepare(struct replay *replay)
{
    size_t n = (size_t)replay->ranks;
    replay->rank = topo_calloc(n, sizeof *replay->rank);
    replay->event = topo_calloc(n, sizeof *replay->event);
    replay->trace = topo_calloc(n, sizeof *replay->trace);
    replay->entered = topo_alloc(n, sizeof *replay->entered);
    replay->clock = replay_clock_new(replay->machine->tree, replay->machine->params);
    replay->costs = replay_costs_new(replay->machine);
    if (!replay->rank || !replay->event || !replay->trace || !replay->entered || !replay->clock || !replay->costs ||
        replay_groups_new(replay->run, replay->ranks, &replay->groups) != TOPO_OK ||
        topo_intervals_new(replay->ranks, replay->intervals, NULL) != TOPO_OK)
        return false;
    for (int r = 0; r < replay->ranks; r++) {
        struct one *one = &replay->rank[r];
        one->source = replay_source(r, replay->run->ranks, replay->ranks);
        one->trace = &replay->run->rank[one->source];
        one->interval = replay->intervals->root;
        one->interval->times[r].took_part = true;
    }
    return true;
}

/* Of the events of all ranks. */
static double share_through(const struct replay *replay)
{
    double through = 0, all = 1;
    for (int r = 0; r < replay->ranks; r++) {
        through += (double)replay->rank[r].next;
        all += (double)replay->rank[r].trace->count;
    }
    return through / all;
}

/* What could not be played to its end. */
static enum topo_status complain(const struct replay *replay, struct topo_notes *notes)
{
    if (replay->forbidden >= 0) {
        topo_note_error(notes,
                        "rank %d calls a collective on a part of the ranks; a prediction for %d instead of %d ranks "
                        "needs communicators of all of them",
                        replay->forbidden, replay->ranks, replay->run->ranks);
        return TOPO_INVALID;
    }
    for (int r = 0; r < replay->ranks; r++)
        if (replay->rank[r].phase == WAITS) {
            topo_note_error(
                notes, "rank %d waits in a collective that not all members reach in the trace; predicted up to there",
                r);
            return TOPO_PARSE;
        }
    return TOPO_OK;
}

static void release(struct replay *replay)
{
    replay_clock_free(replay->clock);
    replay_costs_free(replay->costs);
    replay_groups_free(&replay->groups);
    topo_free_all(replay->rank, (void *)replay->event, (void *)replay->trace, replay->entered);
}

enum topo_status topo_replay(const struct topo_trace_run *run, const struct topo_replay_machine *machine,
                             struct topo_intervals *intervals, struct topo_notes *notes)
{
    struct replay replay = {
        .run = run, .machine = machine, .intervals = intervals, .ranks = machine->tree->ranks, .forbidden = -1};
    enum topo_status status = TOPO_NOMEM;
    *intervals = (struct topo_intervals){0};
    if (run->missing) {
        topo_note_error(notes, "%d of %d ranks are missing: no prediction", run->missing, run->ranks);
        return TOPO_PARSE;
    }
    replay.out_of_memory = !prepare(&replay);
    for (int r = 0; r < replay.ranks && !replay.out_of_memory; r++)
        start_work(&replay, r);
    for (int r; !replay.out_of_memory && (r = replay_clock_next(replay.clock)) >= 0;) {
        go_on(&replay, r);
        if (++replay.steps % TELL_STEPS == 0)
            topo_tell(machine->watch, share_through(&replay));
    }
    if (replay.out_of_memory)
        topo_note_error(notes, "out of memory");
    else
        status = complain(&replay, notes);
    release(&replay);
    if (status == TOPO_OK || status == TOPO_PARSE) {
        topo_intervals_integrate(intervals);
        topo_call_times_sort(&intervals->calls);
    } else {
        topo_intervals_free(intervals);
    }
    return status;
}
