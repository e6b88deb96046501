#include "predict/mpi/replay_clock.h"

#include "base/memory.h"

/* How long a rank keeps a core that others wait for, as the usual schedulers have it. */
static const double SLICE = 3e-3;

/* A rank is through with a slice of its work, or with its rest. */
struct event {
    double when;
    int rank;
};

struct one {
    int unit; /* -1: it has a core of its own */
    bool has_core;
    double left; /* work behind the slice in hand */
};

/* Ranks that share cores: those without wait in the order in which they came. */
struct unit {
    int free_cores;
    int *queue, first, waiting, size; /* a ring */
};

struct replay_clock {
    double now;
    struct one *rank;
    struct unit *unit;
    int units, *queues; /* memory of all rings */
    struct event *heap; /* the soonest first, of equal ones the lowest rank */
    int events;
};

static bool before(const struct event *a, const struct event *b)
{
    return a->when < b->when || (a->when == b->when && a->rank < b->rank);
}

static void add_event(struct replay_clock *clock, double when, int rank)
{
    struct event event = {when, rank}, *heap = clock->heap;
    int at = clock->events++;
    for (; at > 0 && before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
}

static struct event take_event(struct replay_clock *clock)
{
    struct event *heap = clock->heap, first = heap[0], last = heap[--clock->events];
    int at = 0;
    for (int child; (child = 2 * at + 1) < clock->events; at = child) {
        if (child + 1 < clock->events && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* Which ranks share cores, if there are more of them than cores. */
static bool share(struct replay_clock *clock, const struct topo_tree *tree, const struct topo_params *params)
{
    int level = -1, at = 0, n = tree->ranks;
    for (int l = 0; l < tree->levels; l++)
        if (params->cores_kind != TOPO_LEVEL_KINDS && tree->kind[l] == params->cores_kind)
            level = l;
    clock->units = level < 0 ? 1 : tree->units[level];
    clock->unit = topo_calloc((size_t)clock->units, sizeof *clock->unit);
    clock->queues = topo_alloc((size_t)n, sizeof *clock->queues);
    if (!clock->unit || !clock->queues)
        return false;
    for (int r = 0; r < n; r++) {
        clock->rank[r].unit = level < 0 ? 0 : topo_tree_unit(tree, level, r);
        clock->unit[clock->rank[r].unit].size++;
    }
    for (int u = 0; u < clock->units; u++) {
        clock->unit[u].free_cores = params->cores;
        clock->unit[u].queue = clock->queues + at;
        at += clock->unit[u].size;
    }
    for (int r = 0; r < n; r++)
        if (clock->unit[clock->rank[r].unit].size <= params->cores)
            clock->rank[r].unit = -1;
    return true;
}

struct replay_clock *replay_clock_new(const struct topo_tree *tree, const struct topo_params *params)
{
    struct replay_clock *clock = topo_calloc(1, sizeof *clock);
    if (!clock)
        return NULL;
    clock->rank = topo_calloc((size_t)tree->ranks, sizeof *clock->rank);
    clock->heap = topo_alloc((size_t)tree->ranks, sizeof *clock->heap);
    bool good = clock->rank && clock->heap;
    for (int r = 0; good && r < tree->ranks; r++)
        clock->rank[r].unit = -1;
    if (good && params->cores > 0)
        good = share(clock, tree, params);
    if (good)
        return clock;
    replay_clock_free(clock);
    return NULL;
}

void replay_clock_free(struct replay_clock *clock)
{
    if (!clock)
        return;
    topo_free_all(clock->rank, clock->heap, clock->unit, clock->queues, clock);
}

double replay_clock_now(const struct replay_clock *clock)
{
    return clock->now;
}

/* Goes on with the work of a rank that has a core. */
static void start_slice(struct replay_clock *clock, int rank)
{
    struct one *one = &clock->rank[rank];
    double slice = one->unit >= 0 && one->left > SLICE ? SLICE : one->left;
    one->left -= slice;
    add_event(clock, clock->now + slice, rank);
}

static void wait_for_core(struct replay_clock *clock, int rank)
{
    struct unit *unit = &clock->unit[clock->rank[rank].unit];
    unit->queue[(unit->first + unit->waiting++) % unit->size] = rank;
}

void replay_clock_release(struct replay_clock *clock, int rank)
{
    struct one *one = &clock->rank[rank];
    if (!one->has_core || one->unit < 0)
        return;
    struct unit *unit = &clock->unit[one->unit];
    one->has_core = false;
    if (!unit->waiting) {
        unit->free_cores++;
        return;
    }
    int next = unit->queue[unit->first];
    unit->first = (unit->first + 1) % unit->size;
    unit->waiting--;
    clock->rank[next].has_core = true;
    start_slice(clock, next);
}

void replay_clock_work(struct replay_clock *clock, int rank, double seconds)
{
    struct one *one = &clock->rank[rank];
    one->left = seconds;
    if (one->unit >= 0 && !one->has_core) {
        struct unit *unit = &clock->unit[one->unit];
        if (!unit->free_cores) {
            wait_for_core(clock, rank);
            return;
        }
        unit->free_cores--;
        one->has_core = true;
    }
    start_slice(clock, rank);
}

void replay_clock_rest(struct replay_clock *clock, int rank, double seconds)
{
    add_event(clock, clock->now + seconds, rank);
}

int replay_clock_next(struct replay_clock *clock)
{
    while (clock->events) {
        struct event event = take_event(clock);
        struct one *one = &clock->rank[event.rank];
        clock->now = event.when;
        if (one->left <= 0)
            return event.rank;
        /* The slice is over, the work is not: others come first. */
        if (clock->unit[one->unit].waiting) {
            replay_clock_release(clock, event.rank);
            wait_for_core(clock, event.rank);
        } else {
            start_slice(clock, event.rank);
        }
    }
    return -1;
}
