#include "predict/interval.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

const char *topo_interval_kind_name(enum topo_interval_kind kind)
{
    static const char *const words[] = {TOPO_INTERVAL_KIND_MAP(TOPO_WORD)};
    return (unsigned)kind < TOPO_INTERVAL_KINDS ? words[kind] : "unknown";
}

const char *topo_comm_kind_name(enum topo_comm_kind kind)
{
#define COMM_WORD(id, word, mpi) word,
    static const char *const words[] = {TOPO_COMM_KIND_MAP(COMM_WORD)};
#undef COMM_WORD
    return (unsigned)kind < TOPO_COMM_KINDS ? words[kind] : "unknown";
}

const char *topo_comm_kind_mpi_label(enum topo_comm_kind kind)
{
#define COMM_LABEL(id, word, mpi) mpi,
    static const char *const labels[] = {TOPO_COMM_KIND_MAP(COMM_LABEL)};
#undef COMM_LABEL
    return (unsigned)kind < TOPO_COMM_KINDS ? labels[kind] : "unknown";
}

static void interval_free(struct topo_interval *interval)
{
    if (!interval)
        return;
    for (int i = 0; i < interval->child_count; i++)
        interval_free(interval->children[i]);
    topo_free_all(interval->children, interval->slots, interval->times, interval->name, interval->file, interval);
}

static struct topo_interval *interval_new(int processors, const struct topo_interval_key *key)
{
    struct topo_interval *interval = topo_calloc(1, sizeof *interval);
    if (!interval)
        return NULL;
    interval->kind = key->kind;
    interval->line = key->line;
    interval->has_value = key->has_value;
    interval->value = key->value;
    interval->times = topo_calloc((size_t)processors, sizeof *interval->times);
    interval->name = key->name ? topo_strdup(key->name) : NULL;
    interval->file = key->file ? topo_strdup(key->file) : NULL;
    if (!interval->times || (key->name && !interval->name) || (key->file && !interval->file)) {
        interval_free(interval);
        return NULL;
    }
    return interval;
}

enum topo_status topo_intervals_new(int processors, struct topo_intervals *intervals, struct topo_error *error)
{
    static const struct topo_interval_key program = {.kind = TOPO_INTERVAL_PROGRAM};
    *intervals = (struct topo_intervals){.processors = processors};
    intervals->root = intervals->current = interval_new(processors, &program);
    if (!intervals->root)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the intervals of %d processors", processors);
    intervals->root->entries = 1;
    return TOPO_OK;
}

void topo_intervals_free(struct topo_intervals *intervals)
{
    interval_free(intervals->root);
    topo_call_times_free(&intervals->calls);
    *intervals = (struct topo_intervals){0};
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static bool is_of(const struct topo_interval *interval, const struct topo_interval_key *key)
{
    return interval->kind == key->kind && interval->line == key->line && interval->has_value == key->has_value &&
           (!key->has_value || interval->value == key->value) && same_text(interval->file, key->file) &&
           same_text(interval->name, key->name);
}

static uint64_t hash_of(const struct topo_interval_key *key)
{
    uint64_t hash = TOPO_HASH_START ^ (uint64_t)key->kind ^ (uint64_t)key->line << 3;
    if (key->has_value)
        hash = topo_hash_add(hash, (uint64_t)key->value);
    hash = topo_hash_text(hash, key->name ? key->name : "");
    hash = topo_hash_text(hash, key->file ? key->file : "");
    hash *= UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* The slot of the child of that key, or the free one where it belongs. */
static int *slot_of(const struct topo_interval *outer, uint64_t hash, const struct topo_interval_key *key)
{
    uint64_t mask = (uint64_t)outer->slot_count - 1;
    for (uint64_t at = hash & mask;; at = (at + 1) & mask) {
        int number = outer->slots[at];
        if (!number || (key && outer->children[number - 1]->hash == hash && is_of(outer->children[number - 1], key)))
            return &outer->slots[at];
    }
}

/* Room for one more child, in the table too, which is at most half full. Programs that name an interval by the number
 * of its step have many in one. False: out of memory. */
static bool make_room(struct topo_interval *outer)
{
    int count = outer->child_count;
    if (!topo_grow(&outer->children, (size_t)count, sizeof(struct topo_interval *)))
        return false;
    if (2 * (count + 1) <= outer->slot_count)
        return true;
    int slot_count = outer->slot_count ? 2 * outer->slot_count : 8;
    int *slots = topo_calloc((size_t)slot_count, sizeof *slots);
    if (!slots)
        return false;
    topo_free(outer->slots);
    outer->slots = slots;
    outer->slot_count = slot_count;
    for (int i = 0; i < count; i++)
        *slot_of(outer, outer->children[i]->hash, NULL) = i + 1;
    return true;
}

struct topo_interval *topo_interval_find(struct topo_intervals *intervals, struct topo_interval *outer,
                                         const struct topo_interval_key *key)
{
    uint64_t hash = hash_of(key);
    int *slot = outer->slots ? slot_of(outer, hash, key) : NULL;
    if (slot && *slot)
        return outer->children[*slot - 1];
    struct topo_interval *inner = make_room(outer) ? interval_new(intervals->processors, key) : NULL;
    if (!inner)
        return NULL;
    inner->parent = outer;
    inner->level = outer->level + 1;
    inner->hash = hash;
    outer->children[outer->child_count++] = inner;
    *slot_of(outer, hash, NULL) = outer->child_count;
    return inner;
}

enum topo_status topo_intervals_enter(struct topo_intervals *intervals, const struct topo_interval_key *key)
{
    struct topo_interval *inner = topo_interval_find(intervals, intervals->current, key);
    if (!inner)
        return TOPO_NOMEM;
    inner->entries++;
    intervals->current = inner;
    return TOPO_OK;
}

bool topo_intervals_leave(struct topo_intervals *intervals)
{
    if (!intervals->current->parent)
        return false;
    intervals->current = intervals->current->parent;
    return true;
}

/* Adds the figures that a prediction collects; the derived ones follow from them. */
static void add_times(struct topo_times *to, const struct topo_times *from)
{
    to->took_part = to->took_part || from->took_part;
    to->execution += from->execution;
    to->io += from->io;
    to->sys += from->sys;
    to->cpu += from->cpu;
    to->insufficient_user += from->insufficient_user;
    to->insufficient_system += from->insufficient_system;
    to->time_variation += from->time_variation;
    for (int kind = 0; kind < TOPO_COMM_KINDS; kind++) {
        to->kind[kind].comm += from->kind[kind].comm;
        to->kind[kind].synch += from->kind[kind].synch;
        to->kind[kind].overlap += from->kind[kind].overlap;
    }
}

static void derive(struct topo_times *times)
{
    times->insufficient = times->insufficient_user + times->insufficient_system;
    times->communication = times->synchronization = times->overlap = 0;
    for (int kind = 0; kind < TOPO_COMM_KINDS; kind++) {
        times->communication += times->kind[kind].comm;
        times->synchronization += times->kind[kind].synch;
        times->overlap += times->kind[kind].overlap;
    }
}

static void integrate(struct topo_interval *interval, int processors)
{
    double busiest = 0;
    struct topo_times *sum = &interval->sum;
    for (int i = 0; i < interval->child_count; i++) {
        struct topo_interval *inner = interval->children[i];
        integrate(inner, processors);
        for (int kind = 0; kind < TOPO_COMM_KINDS; kind++)
            interval->operations[kind] += inner->operations[kind];
        for (int p = 0; p < processors; p++)
            add_times(&interval->times[p], &inner->times[p]);
    }
    for (int p = 0; p < processors; p++) {
        struct topo_times *times = &interval->times[p];
        if (!times->took_part)
            continue;
        interval->processors++;
        derive(times);
        add_times(sum, times);
        if (times->execution > interval->execution)
            interval->execution = times->execution;
        if (times->cpu + times->sys > busiest)
            busiest = times->cpu + times->sys;
    }
    derive(sum);
    for (int p = 0; p < processors; p++) {
        struct topo_times *times = &interval->times[p];
        if (!times->took_part)
            continue;
        times->idle = interval->execution - times->execution;
        times->load_imbalance = busiest - times->cpu - times->sys;
        times->lost = times->insufficient + times->communication + times->idle;
        sum->idle += times->idle;
        sum->load_imbalance += times->load_imbalance;
        sum->lost += times->lost;
    }
    interval->productive_cpu = sum->cpu - sum->insufficient_user;
    interval->productive_sys = sum->sys - sum->insufficient_system;
    interval->productive_io = sum->io;
    interval->productive = interval->productive_cpu + interval->productive_sys + interval->productive_io;
    interval->total = interval->execution * interval->processors;
    interval->efficiency = interval->total > 0 ? interval->productive / interval->total : 0;
}

void topo_intervals_integrate(struct topo_intervals *intervals)
{
    integrate(intervals->root, intervals->processors);
}

const struct topo_metric *topo_metrics(int *count)
{
#define ROW(name, label, mpi_label, member) \
    { \
        name, label, mpi_label, offsetof(struct topo_times, member) \
    }
#define METRIC(name, label, member) ROW(name, label, label, member)
#define SHARING(name, part, member) ROW(name, "Insufficient parallelism" part, "Waiting for a core" part, member)
#define KIND(id, comm_name, comm_label, word, label, mpi) \
    ROW(comm_name, comm_label, mpi, kind[TOPO_COMM_##id].comm), \
        ROW(word "_synch", label " synchronization", mpi ": until all are there", kind[TOPO_COMM_##id].synch), \
        ROW(word "_overlap", label " overlap", mpi ": beside computing", kind[TOPO_COMM_##id].overlap)
    static const struct topo_metric metrics[] = {
        METRIC("Execution_time", "Execution time", execution),
        METRIC("CPU_time", "CPU time", cpu),
        METRIC("SYS_time", "System time", sys),
        METRIC("IO_time", "I/O time", io),
        METRIC("Lost_time", "Lost time", lost),
        SHARING("Insuff_parallelism", "", insufficient),
        SHARING("Insuff_parallelism_USR", ", user", insufficient_user),
        SHARING("Insuff_parallelism_SYS", ", system", insufficient_system),
        METRIC("Communication", "Communication", communication),
        METRIC("Idle", "Idle", idle),
        METRIC("Synchronization", "Synchronization", synchronization),
        METRIC("Time_variation", "Time variation", time_variation),
        METRIC("Load_imbalance", "Load imbalance", load_imbalance),
        METRIC("Overlap", "Overlap", overlap),
        KIND(IO, "IO_comm", "I/O communication", "IO", "I/O", "Input and output"),
        KIND(REDUCTION, "Wait_reduction", "Reduction communication", "Reduction", "Reduction",
             "Reductions and barriers"),
        KIND(SHADOW, "Wait_shadow", "Shadow exchange", "Shadow", "Shadow", "Messages between ranks"),
        KIND(REMOTE, "Remote_access", "Remote access", "Remote", "Remote access", "Broadcasts and gathers"),
        KIND(REDISTRIBUTION, "Redistribution", "Redistribution", "Redistribution", "Redistribution",
             "All-to-all exchanges"),
    };
#undef KIND
#undef SHARING
#undef METRIC
#undef ROW
    *count = (int)(sizeof metrics / sizeof *metrics);
    return metrics;
}

double topo_metric_value(const struct topo_metric *metric, const struct topo_times *times)
{
    double value;
    memcpy(&value, (const char *)times + metric->offset, sizeof value);
    return value;
}
