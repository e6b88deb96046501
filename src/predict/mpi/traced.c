#include "predict/mpi/traced.h"

#include "base/memory.h"
#include "predict/mpi/replay_group.h"
#include "predict/mpi/trace_interval.h"

/* When the last member entered each collective of a group, in order of the calls; ns on rank 0's clock. */
struct entries {
    int64_t *last;
    size_t count;
};

struct traced {
    const struct topo_trace_run *run;
    struct topo_intervals *intervals;
    struct replay_groups groups;
    struct entries *entries; /* [groups] */
};

/* One rank on its way through its events. */
struct walk {
    int rank;
    const struct topo_trace_rank *trace;
    int64_t clock; /* ns on rank 0's clock */
    size_t *calls; /* [group ids] collectives so far */
    struct topo_interval *interval;
};

/* What a walk does at each collective, which it enters at walk->clock; false: out of memory. */
typedef bool at_collective(struct traced *traced, struct walk *walk, const struct topo_trace_event *event);

/* Traced clocks may be nonsense: they go round rather than over. */
static void pass(struct walk *walk, uint64_t nanoseconds)
{
    walk->clock = (int64_t)((uint64_t)walk->clock + nanoseconds);
}

/* The group of a collective and the number of the call in it; NULL: of one rank. Several
 * communicators of the same members count as one. */
static struct entries *call_of(const struct traced *traced, const struct walk *walk,
                               const struct topo_trace_event *event, size_t *call)
{
    const int *numbers = traced->groups.of[walk->rank];
    int number = numbers[event->call.group - 1];
    unsigned first = 0;
    if (number < 0)
        return NULL;
    while (numbers[first] != number)
        first++;
    *call = walk->calls[first]++;
    return &traced->entries[number];
}

static bool note_entry(struct traced *traced, struct walk *walk, const struct topo_trace_event *event)
{
    size_t call;
    struct entries *entries = call_of(traced, walk, event, &call);
    if (!entries)
        return true;
    if (call == entries->count) {
        if (!topo_grow(&entries->last, call, sizeof *entries->last))
            return false;
        entries->count++;
        entries->last[call] = walk->clock;
    } else if (walk->clock > entries->last[call]) {
        entries->last[call] = walk->clock;
    }
    return true;
}

static bool add_collective(struct traced *traced, struct walk *walk, const struct topo_trace_event *event)
{
    struct topo_times *times = &walk->interval->times[walk->rank];
    enum topo_comm_kind kind = topo_trace_comm_kind(event->call.op);
    double all = (double)event->call.nanoseconds * 1e-9, waited = 0;
    size_t call;
    const struct entries *entries = call_of(traced, walk, event, &call);
    if (entries)
        waited = ((double)entries->last[call] - (double)walk->clock) * 1e-9;
    waited = waited < all ? waited : all;
    times->execution += all;
    times->kind[kind].synch += waited;
    times->kind[kind].comm += all - waited;
    walk->interval->operations[kind] += walk->rank == 0;
    bool first = topo_trace_group(walk->trace, event->call.group)->own == 0;
    return !entries || topo_trace_add_call(&traced->intervals->calls, &event->call, first, all - waited, waited);
}

/* The time in front of an event, or of the end. */
static void add_gap(struct walk *walk, struct topo_trace_gap gap, const struct topo_trace_traffic *traffic)
{
    struct topo_times *times = &walk->interval->times[walk->rank];
    double wall = (double)gap.wall * 1e-9, sent = (double)traffic->nanoseconds * 1e-9;
    times->execution += wall + sent;
    times->cpu += wall;
    times->insufficient_user += gap.cpu < gap.wall ? (double)(gap.wall - gap.cpu) * 1e-9 : 0;
    times->kind[TOPO_COMM_SHADOW].comm += sent;
    walk->interval->operations[TOPO_COMM_SHADOW] += (long)traffic->calls;
}

/* With `fills` all times go into the intervals. False: out of memory. */
static bool walk_rank(struct traced *traced, int rank, bool fills, at_collective *collective)
{
    const struct topo_trace_rank *trace = &traced->run->rank[rank];
    struct walk walk = {.rank = rank, .trace = trace, .interval = traced->intervals->root};
    bool good = true;
    walk.calls = topo_calloc((size_t)trace->group_count + 1, sizeof *walk.calls);
    walk.clock = (int64_t)(trace->job.clock + (uint64_t)trace->job.to_rank0);
    walk.interval->times[rank].took_part = true;
    for (size_t i = 0; walk.calls && good && i < trace->count; i++) {
        const struct topo_trace_event *event = &trace->events[i];
        if (fills)
            add_gap(&walk, event->call.gap, &event->traffic);
        pass(&walk, event->call.gap.wall);
        pass(&walk, event->traffic.nanoseconds);
        if (event->kind == TOPO_TRACE_EVENT_COLLECTIVE) {
            good = collective(traced, &walk, event);
            pass(&walk, event->call.nanoseconds);
        } else if (fills && event->kind == TOPO_TRACE_EVENT_BEGIN) {
            struct topo_interval *inner = topo_trace_open_interval(traced->intervals, walk.interval, rank, event);
            good = inner != NULL;
            walk.interval = inner ? inner : walk.interval;
        } else if (fills && walk.interval->parent) {
            walk.interval = walk.interval->parent;
        }
    }
    if (fills && trace->finished)
        add_gap(&walk, trace->tail, &trace->tail_traffic);
    good = good && walk.calls;
    topo_free(walk.calls);
    return good;
}

enum topo_status topo_traced(const struct topo_trace_run *run, struct topo_intervals *intervals,
                             struct topo_notes *notes)
{
    struct traced traced = {.run = run, .intervals = intervals};
    *intervals = (struct topo_intervals){0};
    if (run->missing) {
        topo_note_error(notes, "%d of %d ranks are missing: the traced run cannot be shown", run->missing, run->ranks);
        return TOPO_PARSE;
    }
    bool good = replay_groups_new(run, run->ranks, &traced.groups) == TOPO_OK &&
                topo_intervals_new(run->ranks, intervals, NULL) == TOPO_OK;
    if (good)
        traced.entries = topo_calloc((size_t)traced.groups.count + 1, sizeof *traced.entries);
    good = good && traced.entries;
    for (int r = 0; good && r < run->ranks; r++)
        good = walk_rank(&traced, r, false, note_entry);
    for (int r = 0; good && r < run->ranks; r++)
        good = walk_rank(&traced, r, true, add_collective);
    for (int g = 0; traced.entries && g < traced.groups.count; g++)
        topo_free(traced.entries[g].last);
    topo_free(traced.entries);
    replay_groups_free(&traced.groups);
    if (good) {
        topo_intervals_integrate(intervals);
        topo_call_times_sort(&intervals->calls);
        return TOPO_OK;
    }
    topo_intervals_free(intervals);
    topo_note_error(notes, "out of memory");
    return TOPO_NOMEM;
}
