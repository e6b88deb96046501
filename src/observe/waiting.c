#include "observe/waiting.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "catalog/arguments.h"
#include "job/job.h"
#include "job/threads.h"

/* A ring for each group of ranks that makes calls, whichever its communicators: one thread makes them in one order on
 * all of its ranks. In it a line for each of the latest calls, a stamp for each rank of the node: when it came, in ns,
 * and which call that was, modulo 2^16. */
enum { RINGS = 32, LINES = 8, NUMBER_BITS = 16, ARGUMENTS = 12 };

struct ring {
    _Atomic uint64_t members; /* struct topo_comm_group's; 0: free */
    atomic_uint broken;       /* ranks do not count the same calls */
    uint32_t spare;
};

static struct ring *rings;       /* [RINGS] in the node's memory; NULL: there is none */
static _Atomic uint64_t *stamps; /* [RINGS][LINES][slots] */
static size_t slots;
static const struct topo_node *world;
static uint32_t made[RINGS]; /* this rank's calls */

/* What of an operation's arguments says how its ranks wait for each other: the words of its row, by their ends. */
static bool has(enum topo_operation operation, const char *wanted)
{
#define WORD(kind, k) #kind
    static const char *const words[][ARGUMENTS] = {
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    {TOPO_EACH(count, WORD, TOPO_BARE kinds)},
#include "catalog/operations.def"
    };
    bool found = false;
    for (int i = 0; i < ARGUMENTS && words[operation][i]; i++) {
        const size_t length = strlen(words[operation][i]), end = strlen(wanted);
        found = found || (length >= end && !strcmp(words[operation][i] + length - end, wanted));
    }
    return found;
}

/* Which operations have counts of their own for each rank, and which hand on what the root has. */
static bool varies[TOPO_OPERATION_COUNT], from_root[TOPO_OPERATION_COUNT];

static void look_at_operations(void)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++) {
        const enum topo_operation operation = (enum topo_operation)i;
        varies[i] = has(operation, "COUNTS");
        from_root[i] = has(operation, "ROOT") && !has(operation, "IN");
    }
}

void topo_waiting_reserve(struct topo_node *node)
{
    enum { PART = 16 }; /* of what may be shared */
    bool fresh;
    rings = NULL;
    if (!topo_stats_wanted())
        return;
    slots = (size_t)topo_tree_node_ranks_most(node->place.tree);
    const size_t bytes = RINGS * sizeof *rings + RINGS * LINES * slots * sizeof *stamps;
    if (slots < 2 || bytes > topo_job.options.value[TOPO_OPTION_SHARED].size / PART ||
        !topo_node_reserve(node, TOPO_SHM_STAMPS, (struct topo_shm_size){bytes, bytes, bytes}, &fresh))
        return;
    look_at_operations();
    world = node;
    rings = (struct ring *)(void *)node->region[TOPO_SHM_STAMPS].base;
    stamps = (_Atomic uint64_t *)(void *)(rings + RINGS);
    /* Where threads call at once the ranks' orders may differ: nobody compares. */
    const int broken = topo_threads_many() ? RINGS : 0;
    for (int i = 0; i < broken; i++)
        atomic_store(&rings[i].broken, 1);
}

/* The slot of a rank of the job, -1: it is on another node. */
static int slot_of(int rank)
{
    for (int local = 0; local < world->ranks; local++)
        if (topo_node_member(world, local) == rank)
            return local;
    return -1;
}

static int ring_of(uint64_t members)
{
    for (unsigned i = 0; i < RINGS; i++) {
        struct ring *ring = &rings[(members + i) % RINGS];
        uint64_t free = 0;
        if (atomic_load(&ring->members) == members || atomic_compare_exchange_strong(&ring->members, &free, members) ||
            free == members)
            return (int)(ring - rings);
    }
    return -1;
}

/* Its ring and who of its ranks is on this node. */
static void find(const struct topo_comm *state, struct topo_stats_comm *own)
{
    const struct topo_comm_group *group = state->comm_group;
    const int node = topo_tree_node_of(state->tree, state->rank);
    int members = 0;
    own->ring = -1;
    for (int i = 0; i < state->ranks; i++)
        members += topo_tree_node_of(state->tree, i) == node;
    if (members < 2 || !(own->slot = topo_alloc(2 * (size_t)members, sizeof *own->slot)))
        return;
    for (int i = 0; i < state->ranks && own->members < members; i++)
        if (topo_tree_node_of(state->tree, i) == node) {
            own->slot[own->members] = slot_of(topo_comm_group_world(group, i));
            own->slot[members + own->members] = i;
            if (own->slot[own->members++] < 0)
                return;
        }
    const int ring = ring_of(group->members ? group->members : 1);
    own->ring = ring < 0 ? -1 : ring + 1;
}

static _Atomic uint64_t *line_of(const struct topo_stats_comm *own)
{
    return stamps + ((size_t)(own->ring - 1) * LINES + own->number % LINES) * slots;
}

void topo_waiting_arrive(const struct topo_comm *state, struct topo_stats_comm *own)
{
    if (!rings)
        return;
    if (own->ring == 0)
        find(state, own);
    if (own->ring < 0)
        return;
    own->number = ++made[own->ring - 1];
    own->arrived = topo_clock_ns();
    atomic_store_explicit(&line_of(own)[world->local],
                          own->arrived << NUMBER_BITS | (own->number & ((1U << NUMBER_BITS) - 1)),
                          memory_order_release);
}

/* What a stamp says of a call. */
enum came { CAME, CAME_EARLY, NOT_YET }; /* early: it is at a later call already, and when it came is lost */

/* *later: how many ns after this rank. */
static enum came came(const struct topo_stats_comm *own, int member, int64_t *later)
{
    const uint64_t stamp = atomic_load_explicit(&line_of(own)[own->slot[member]], memory_order_acquire);
    const int16_t ahead = (int16_t)(uint16_t)(stamp - own->number);
    /* Both are ns modulo 2^48. */
    *later = (int64_t)((stamp & ~(((uint64_t)1 << NUMBER_BITS) - 1)) - (own->arrived << NUMBER_BITS)) >> NUMBER_BITS;
    return !ahead && stamp ? CAME : ahead > 0 && stamp ? CAME_EARLY : NOT_YET;
}

/* All wait for all: until the last one of this node has come, at least. */
static void among_all(const struct topo_comm *state, const struct topo_stats_comm *own, bool may_leave,
                      struct topo_stats_call *call)
{
    const int64_t ended = (int64_t)(topo_clock_ns() - own->arrived);
    int64_t last = 0, sum = 0;
    for (int i = 0; i < own->members; i++) {
        int64_t later;
        switch (came(own, i, &later)) {
        case CAME:
            if (later <= ended)
                break;
            /* fall through */
        case NOT_YET:
            /* Where no rank may leave before all have come, this one counts otherwise. */
            if (!may_leave)
                atomic_store(&rings[own->ring - 1].broken, 1);
            return;
        case CAME_EARLY: return;
        }
        last = later > last ? later : last;
        sum -= later;
    }
    call->waited = (double)last * 1e-9;
    call->late = last == 0 ? (double)sum * 1e-9 : 0;
    call->open = own->members < state->ranks;
}

/* All wait for the root. */
static void for_root(const struct topo_comm *state, const struct topo_stats_comm *own, int root,
                     struct topo_stats_call *call)
{
    for (int i = 0; i < own->members; i++) {
        int64_t later = 0;
        const enum came it = came(own, i, &later);
        if (state->rank == root && it == CAME && later < 0)
            call->late -= (double)later * 1e-9;
        if (own->slot[own->members + i] == root) {
            call->waited = it == CAME && later > 0 ? (double)later * 1e-9 : 0;
            call->open = false;
        }
    }
}

void topo_waiting_leave(const struct topo_comm *state, const struct topo_stats_comm *own, int root,
                        struct topo_stats_call *call)
{
    const enum topo_operation operation = call->algorithm->operation;
    call->waited = call->late = 0;
    call->open = true;
    if (!rings || own->ring <= 0 || atomic_load_explicit(&rings[own->ring - 1].broken, memory_order_relaxed))
        return;
    const bool empty = call->bytes == 0 && operation != TOPO_OPERATION_barrier;
    if (topo_operation_waits(operation) == TOPO_WAITS_ALL)
        among_all(state, own, empty || varies[operation], call);
    else if (from_root[operation])
        for_root(state, own, root, call);
    if (call->waited > call->seconds)
        call->waited = call->seconds;
}
