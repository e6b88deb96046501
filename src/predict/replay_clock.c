#include "predict/replay_clock.h"

#include "base/memory.h"

/* Something that happens at `when`; the smallest first, of equal ones the lowest id. */
struct entry {
    double when;
    int id;
};

/* A binary heap with room for as many entries as it was made for. */
struct heap {
    struct entry *entry;
    int *place; /* [ids] where each is, -1: it is not in; NULL: nobody asks */
    int count;
};

/* Ranks that share cores. Their progress is counted in seconds of work that each
 * rank at work has done since the start: all get the same, so a rank is through
 * when this sum reaches what it was at its start plus its own work. */
struct unit {
    double done, since; /* progress at the time `since` */
    double speed;
    struct heap ranks; /* by progress at their end */
};

struct replay_clock {
    const struct topo_tree *tree;
    double now;
    int cores, level; /* level of the units that share cores; -1: all ranks are one */
    int units;        /* 0: everybody has a core */
    struct unit *unit;
    struct entry *waiting; /* [ranks] the heaps of all units */
    struct heap events;    /* id < ranks: that rank is through; else unit id - ranks has a rank that is */
};

static bool before(const struct entry *a, const struct entry *b)
{
    return a->when < b->when || (a->when == b->when && a->id < b->id);
}

static void put(struct heap *heap, int at, struct entry entry)
{
    heap->entry[at] = entry;
    if (heap->place)
        heap->place[entry.id] = at;
}

/* Puts `entry` where it belongs, from the free place `at` on. */
static void settle(struct heap *heap, int at, struct entry entry)
{
    for (; at > 0 && before(&entry, &heap->entry[(at - 1) / 2]); at = (at - 1) / 2)
        put(heap, at, heap->entry[(at - 1) / 2]);
    for (int child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && before(&heap->entry[child + 1], &heap->entry[child]))
            child++;
        if (!before(&heap->entry[child], &entry))
            break;
        put(heap, at, heap->entry[child]);
    }
    put(heap, at, entry);
}

static void heap_add(struct heap *heap, double when, int id)
{
    heap->count++;
    settle(heap, heap->count - 1, (struct entry){when, id});
}

static struct entry heap_remove(struct heap *heap, int at)
{
    struct entry removed = heap->entry[at], last = heap->entry[--heap->count];
    if (heap->place)
        heap->place[removed.id] = -1;
    if (at < heap->count)
        settle(heap, at, last);
    return removed;
}

static int unit_of(const struct replay_clock *clock, int rank)
{
    return clock->level < 0 ? 0 : clock->tree->unit[(size_t)clock->level * (size_t)clock->tree->ranks + (size_t)rank];
}

struct replay_clock *replay_clock_new(const struct topo_tree *tree, const struct topo_params *params)
{
    struct replay_clock *clock = topo_calloc(1, sizeof *clock);
    int n = tree->ranks;
    if (!clock)
        return NULL;
    clock->tree = tree;
    clock->cores = params->cores;
    clock->level = -1;
    if (params->cores > 0) {
        for (int level = 0; level < tree->levels; level++)
            if (params->cores_kind != TOPO_LEVEL_KINDS && tree->kind[level] == params->cores_kind)
                clock->level = level;
        clock->units = clock->level >= 0 ? tree->units[clock->level] : 1;
    }
    int events = n + clock->units;
    clock->unit = topo_calloc((size_t)clock->units + 1, sizeof *clock->unit);
    clock->events.entry = topo_alloc((size_t)events, sizeof *clock->events.entry);
    clock->events.place = topo_alloc((size_t)events, sizeof *clock->events.place);
    clock->waiting = topo_alloc((size_t)n, sizeof *clock->waiting);
    if (!clock->unit || !clock->events.entry || !clock->events.place || !clock->waiting) {
        replay_clock_free(clock);
        return NULL;
    }
    for (int id = 0; id < events; id++)
        clock->events.place[id] = -1;
    for (int rank = 0; rank < n && clock->units; rank++)
        clock->unit[unit_of(clock, rank)].ranks.count++;
    for (int u = 0, at = 0; u < clock->units; u++) {
        struct heap *ranks = &clock->unit[u].ranks;
        ranks->entry = clock->waiting + at;
        at += ranks->count;
        ranks->count = 0;
    }
    return clock;
}

void replay_clock_free(struct replay_clock *clock)
{
    if (!clock)
        return;
    topo_free(clock->unit);
    topo_free(clock->waiting);
    topo_free(clock->events.entry);
    topo_free(clock->events.place);
    topo_free(clock);
}

double replay_clock_now(const struct replay_clock *clock)
{
    return clock->now;
}

static void bring_up_to_date(struct replay_clock *clock, struct unit *unit)
{
    unit->done += (clock->now - unit->since) * unit->speed;
    unit->since = clock->now;
}

/* The unit's next rank to get through, as an event. */
static void requeue(struct replay_clock *clock, struct unit *unit)
{
    int id = clock->tree->ranks + (int)(unit - clock->unit), place = clock->events.place[id];
    if (place >= 0)
        heap_remove(&clock->events, place);
    if (unit->ranks.count == 0)
        return;
    unit->speed = unit->ranks.count > clock->cores ? (double)clock->cores / unit->ranks.count : 1;
    double left = (unit->ranks.entry[0].when - unit->done) / unit->speed;
    heap_add(&clock->events, clock->now + (left > 0 ? left : 0), id);
}

void replay_clock_work(struct replay_clock *clock, int rank, double seconds)
{
    if (clock->units == 0) {
        replay_clock_rest(clock, rank, seconds);
        return;
    }
    struct unit *unit = &clock->unit[unit_of(clock, rank)];
    bring_up_to_date(clock, unit);
    heap_add(&unit->ranks, unit->done + seconds, rank);
    requeue(clock, unit);
}

void replay_clock_rest(struct replay_clock *clock, int rank, double seconds)
{
    heap_add(&clock->events, clock->now + seconds, rank);
}

int replay_clock_next(struct replay_clock *clock)
{
    struct entry entry;
    if (!clock->events.count)
        return -1;
    entry = heap_remove(&clock->events, 0);
    clock->now = entry.when > clock->now ? entry.when : clock->now;
    if (entry.id < clock->tree->ranks)
        return entry.id;
    struct unit *unit = &clock->unit[entry.id - clock->tree->ranks];
    bring_up_to_date(clock, unit);
    int rank = heap_remove(&unit->ranks, 0).id;
    requeue(clock, unit);
    return rank;
}
