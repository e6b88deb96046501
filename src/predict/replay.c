#include "predict/replay.h"

#include <string.h>

#include "base/memory.h"
#include "model/cost.h"

struct one {
    const struct topo_trace_rank *trace;
    size_t next; /* event */
    double clock;
    struct topo_interval *interval;
    bool waits; /* at collective `next` */
    bool ended; /* what follows the last event is counted */
};

struct replay {
    const struct topo_trace_run *run;
    const struct topo_replay_machine *machine;
    struct topo_intervals *intervals;
    struct one *ranks;
    bool out_of_memory;
};

static void add(struct replay *replay, int r, double seconds, double *part)
{
    struct one *one = &replay->ranks[r];
    one->clock += seconds;
    one->interval->times[r].took_part = true;
    one->interval->times[r].execution += seconds;
    *part += seconds;
}

/* What lies in front of an event: computation, then messages. */
static void before(struct replay *replay, int r, struct topo_trace_gap gap, const struct topo_trace_traffic *traffic)
{
    struct topo_times *times = &replay->ranks[r].interval->times[r];
    add(replay, r, (double)gap.cpu * 1e-9 / replay->machine->speed, &times->cpu);
    if (traffic->calls) {
        add(replay, r, (double)traffic->nanoseconds * 1e-9, &times->kind[TOPO_COMM_SHADOW].comm);
        replay->ranks[r].interval->operations[TOPO_COMM_SHADOW] += (long)traffic->calls;
    }
}

/* Goes on to the next collective or to the end. True when something was done. */
static bool advance(struct replay *replay, int r)
{
    struct one *one = &replay->ranks[r];
    bool done = false;
    while (!one->waits && one->next < one->trace->count && !replay->out_of_memory) {
        const struct topo_trace_event *event = &one->trace->events[one->next];
        before(replay, r, event->call.gap, &event->traffic);
        done = true;
        if (event->kind == TOPO_TRACE_EVENT_COLLECTIVE) {
            one->waits = true;
            break;
        }
        one->next++;
        if (event->kind == TOPO_TRACE_EVENT_END) {
            one->interval = one->interval->parent ? one->interval->parent : one->interval;
            continue;
        }
        struct topo_interval_key key = {
            .kind = TOPO_INTERVAL_USER, .name = event->name, .file = event->file, .line = (long)event->line};
        struct topo_interval *inner = topo_interval_find(replay->intervals, one->interval, &key);
        if (!inner) {
            replay->out_of_memory = true;
            break;
        }
        inner->entries += r == 0;
        one->interval = inner;
    }
    if (!one->waits && !one->ended && one->next == one->trace->count) {
        one->ended = true;
        if (one->trace->finished)
            before(replay, r, one->trace->tail, &one->trace->tail_traffic);
    }
    return done;
}

static const struct topo_trace_event *event_of(const struct replay *replay, int r)
{
    return &replay->ranks[r].trace->events[replay->ranks[r].next];
}

/* The group when all its members wait in the same operation on it, else NULL. */
static const struct topo_trace_group *all_here(const struct replay *replay, int r)
{
    const struct topo_trace_event *event = event_of(replay, r);
    const struct topo_trace_group *group = topo_trace_group(replay->ranks[r].trace, event->call.group);
    for (int i = 0; i < group->count; i++) {
        int m = group->world[i];
        const struct topo_trace_group *other;
        if (!replay->ranks[m].waits || event_of(replay, m)->call.op != event->call.op)
            return NULL;
        other = topo_trace_group(replay->ranks[m].trace, event_of(replay, m)->call.group);
        if (other->count != group->count || memcmp(other->world, group->world, sizeof(int) * (size_t)group->count) != 0)
            return NULL;
    }
    return group;
}

/* Seconds of the call by the model, negative when there is none. */
static double modelled(struct replay *replay, const struct topo_trace_event *event,
                       const struct topo_trace_group *group)
{
    const struct topo_replay_machine *machine = replay->machine;
    struct topo_cost_call call = {.bytes = event->call.bytes};
    struct topo_tree *part = NULL;
    double seconds;
    if (event->call.op != TOPO_TRACE_OP_ALLGATHER)
        return -1;
    if (group->count == 1)
        return 0;
    if (topo_tree_restrict(machine->tree, group->world, group->count, &part, NULL) != TOPO_OK) {
        replay->out_of_memory = true;
        return -1;
    }
    seconds = topo_cost(machine->algorithm[TOPO_OPERATION_allgather], part, machine->params, &call);
    if (seconds < 0) /* where it does not apply the library runs native */
        seconds = topo_cost(TOPO_ALGORITHM_allgather_native, part, machine->params, &call);
    topo_tree_free(part);
    return seconds;
}

static enum topo_comm_kind kind_of(unsigned op)
{
    static const enum topo_comm_kind kinds[TOPO_TRACE_OPS] = {
#define X(id, number, word, kind) [number] = TOPO_COMM_##kind,
        TOPO_TRACE_OP_MAP(X)
#undef X
    };
    return op < TOPO_TRACE_OPS ? kinds[op] : TOPO_COMM_REMOTE;
}

static void collective(struct replay *replay, int r, const struct topo_trace_group *group)
{
    const struct topo_trace_event *event = event_of(replay, r);
    enum topo_comm_kind kind = kind_of(event->call.op);
    double latest = 0, seconds = modelled(replay, event, group), shortest = -1;
    for (int i = 0; i < group->count; i++) {
        const struct one *one = &replay->ranks[group->world[i]];
        double traced = (double)event_of(replay, group->world[i])->call.nanoseconds * 1e-9;
        latest = one->clock > latest ? one->clock : latest;
        shortest = shortest < 0 || traced < shortest ? traced : shortest;
    }
    for (int i = 0; i < group->count; i++) {
        int m = group->world[i];
        struct one *one = &replay->ranks[m];
        struct topo_comm_time *times = &one->interval->times[m].kind[kind];
        add(replay, m, latest - one->clock, &times->synch);
        add(replay, m, seconds >= 0 ? seconds : shortest, &times->comm);
        one->interval->operations[kind] += m == group->world[0];
        one->waits = false;
        one->next++;
    }
}

enum topo_status topo_replay(const struct topo_trace_run *run, const struct topo_replay_machine *machine,
                             struct topo_intervals *intervals, struct topo_notes *notes)
{
    struct replay replay = {.run = run, .machine = machine, .intervals = intervals};
    bool moved = true;
    int stuck = -1;
    *intervals = (struct topo_intervals){0};
    if (run->missing) {
        topo_note_error(notes, "%d of %d ranks are missing: no prediction", run->missing, run->ranks);
        return TOPO_PARSE;
    }
    if (machine->tree->ranks != run->ranks) {
        topo_note_error(notes, "the machine has %d slots, the trace %d ranks; allowed: as many", machine->tree->ranks,
                        run->ranks);
        return TOPO_INVALID;
    }
    replay.ranks = topo_calloc((size_t)run->ranks, sizeof *replay.ranks);
    replay.out_of_memory = !replay.ranks || topo_intervals_new(run->ranks, intervals, NULL) != TOPO_OK;
    for (int r = 0; r < run->ranks && !replay.out_of_memory; r++) {
        replay.ranks[r].trace = &run->rank[r];
        replay.ranks[r].interval = intervals->root;
        intervals->root->times[r].took_part = true;
    }
    while (moved && !replay.out_of_memory) {
        moved = false;
        for (int r = 0; r < run->ranks; r++)
            moved = advance(&replay, r) || moved;
        for (int r = 0; r < run->ranks && !replay.out_of_memory; r++) {
            const struct topo_trace_group *group = replay.ranks[r].waits ? all_here(&replay, r) : NULL;
            if (group) {
                collective(&replay, r, group);
                moved = true;
            }
        }
    }
    for (int r = run->ranks - 1; r >= 0 && !replay.out_of_memory; r--)
        stuck = replay.ranks[r].waits ? r : stuck;
    topo_free(replay.ranks);
    if (replay.out_of_memory) {
        topo_intervals_free(intervals);
        topo_note_error(notes, "out of memory");
        return TOPO_NOMEM;
    }
    topo_intervals_integrate(intervals);
    if (stuck >= 0)
        topo_note_error(notes,
                        "rank %d waits in a collective that not all members reach in the trace; predicted up to there",
                        stuck);
    return stuck >= 0 ? TOPO_PARSE : TOPO_OK;
}
