#include "observe/trace.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "comm/job.h"
#include "observe/trace_file.h"
#include "observe/trace_names.h"
#include "topompi.h"

enum { PEERS = 64, VECTORS = 64, DEPTH = 256 };

bool topo_trace_on;

static struct topo_trace_file file;
static struct topo_trace_writer writer;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local const struct topo_algorithm *running;

/* Since the last event. */
static struct {
    uint64_t end, end_cpu; /* when it ended */
    uint64_t calls, nanoseconds;
    struct topo_trace_peer peers[PEERS];
    int peer_count;
} since;

static int group_key = MPI_KEYVAL_INVALID;
static unsigned groups, vectors;
/* The newest vectors by what is in them: programs use the same ones again and again. */
static struct {
    uint64_t hash;
    unsigned id;
} known_vectors[VECTORS];

/* Open intervals: 0 = by the public function, else the level of MPI_Pcontrol. */
static int open_intervals[DEPTH], depth;

/* The CPU clock costs most of a record's time and says nothing new as long as
 * every rank has a core of its own; then a gap counts as spent on the CPU. */
static bool cores_are_short;

static uint64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t topo_trace_enter(void)
{
    return now(CLOCK_MONOTONIC);
}

static uint64_t cpu_clock(void)
{
    return cores_are_short ? now(CLOCK_THREAD_CPUTIME_ID) : 0;
}

static void flush_p2p(void)
{
    if (!since.calls)
        return;
    topo_trace_write_p2p(&writer, since.calls, since.nanoseconds, since.peers, since.peer_count);
    since.calls = 0;
    since.peer_count = 0;
}

/* What was computed from the last event to `entered`; writes the messages between. */
static struct topo_trace_gap gap_until(uint64_t entered)
{
    struct topo_trace_gap gap = {0, 0};
    uint64_t cpu = cpu_clock(), in_calls = since.nanoseconds;
    flush_p2p();
    since.nanoseconds = 0;
    /* Threads may enter in any order. */
    if (entered > since.end + in_calls)
        gap.wall = entered - since.end - in_calls;
    gap.cpu = cpu > since.end_cpu ? cpu - since.end_cpu : 0;
    if (gap.cpu > gap.wall || !cores_are_short)
        gap.cpu = gap.wall;
    return gap;
}

static void event_ended(uint64_t when)
{
    since.end = when;
    since.end_cpu = cpu_clock();
}

/* What is known of a communicator, as an attribute of it. */
struct members {
    unsigned id; /* in the file */
    int world[]; /* ranks of MPI_COMM_WORLD */
};

static int forget_members(MPI_Comm comm, int key, void *members, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    topo_free(members);
    return MPI_SUCCESS;
}

/* The members, told to the file at the first use; NULL when memory is out or some are of another job. */
static const struct members *members_of(MPI_Comm comm)
{
    struct members *members = NULL;
    int flag = 0, count, own, *local = NULL;
    MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
    if (PMPI_Comm_get_attr(comm, group_key, &members, &flag) == MPI_SUCCESS && flag)
        return members;
    PMPI_Comm_size(comm, &count);
    PMPI_Comm_rank(comm, &own);
    members = topo_alloc(1, sizeof *members + (size_t)count * sizeof(int));
    local = topo_alloc((size_t)count, sizeof *local);
    bool usable = members && local;
    if (usable) {
        PMPI_Comm_group(comm, &group);
        PMPI_Comm_group(MPI_COMM_WORLD, &all);
        for (int i = 0; i < count; i++)
            local[i] = i;
        PMPI_Group_translate_ranks(group, count, local, all, members->world);
        PMPI_Group_free(&group);
        PMPI_Group_free(&all);
        for (int i = 0; i < count; i++)
            usable = usable && members->world[i] != MPI_UNDEFINED;
    }
    topo_free(local);
    if (usable) {
        members->id = groups + 1;
        usable = PMPI_Comm_set_attr(comm, group_key, members) == MPI_SUCCESS;
    }
    if (!usable) {
        topo_free(members);
        return NULL;
    }
    groups++;
    topo_trace_write_group(&writer, members->id, own, members->world, count);
    return members;
}

/* The id of these bytes, told to the file unless they are among the newest ones; 0 when memory is out. */
static unsigned vector_of(const struct topo_trace_counts *counts, int count)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)count, *bytes = topo_alloc((size_t)count, sizeof *bytes);
    unsigned id = 0;
    if (!bytes)
        return 0;
    for (int i = 0; i < count; i++) {
        bytes[i] = topo_trace_bytes(counts->counts[i], counts->types ? counts->types[i] : counts->type);
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    hash ^= hash >> 29;
    if (known_vectors[hash % VECTORS].id && known_vectors[hash % VECTORS].hash == hash) {
        id = known_vectors[hash % VECTORS].id;
    } else {
        id = ++vectors;
        topo_trace_write_vector(&writer, id, bytes, count);
        known_vectors[hash % VECTORS].hash = hash;
        known_vectors[hash % VECTORS].id = id;
    }
    topo_free(bytes);
    return id;
}

uint64_t topo_trace_bytes(int count, MPI_Datatype type)
{
    MPI_Count size = 0;
    if (count <= 0 || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0)
        return 0;
    return (uint64_t)count * (uint64_t)size;
}

void topo_trace_ran(const struct topo_algorithm *algorithm)
{
    running = algorithm;
}

void topo_trace_collective(uint64_t entered, enum topo_trace_op op, MPI_Comm comm, int root, uint64_t bytes,
                           const struct topo_trace_counts *counts)
{
    uint64_t left = topo_trace_enter();
    const struct topo_algorithm *algorithm = running;
    int count, inter = 0;
    running = NULL;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter)
        return; /* the time counts as computation */
    pthread_mutex_lock(&lock);
    struct topo_trace_collective call = {.op = op, .bytes = bytes, .root = root > 0 ? (unsigned)root : 0};
    call.gap = gap_until(entered);
    call.nanoseconds = left - entered;
    const struct members *members = members_of(comm);
    PMPI_Comm_size(comm, &count);
    if (counts && members)
        call.vector = vector_of(counts, count);
    if (algorithm && algorithm != topo_algorithm_native(algorithm->operation))
        call.algorithm = topo_trace_name(&writer, algorithm->name);
    if (members && call.root < (unsigned)count) {
        call.group = members->id;
        topo_trace_write_collective(&writer, &call);
    }
    event_ended(left);
    pthread_mutex_unlock(&lock);
}

void topo_trace_sent(MPI_Comm comm, int to, uint64_t bytes)
{
    const struct members *members;
    int world = to, inter = 0;
    if (to < 0 || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) /* MPI_PROC_NULL, another group */
        return;
    pthread_mutex_lock(&lock);
    if (comm != MPI_COMM_WORLD) {
        members = members_of(comm);
        world = members ? members->world[to] : -1;
    }
    int i = 0;
    while (i < since.peer_count && since.peers[i].rank != world)
        i++;
    if (world < 0)
        goto out;
    if (i == PEERS) {
        since.calls += !since.calls; /* the call in hand */
        flush_p2p();
        since.nanoseconds = 0;
        i = 0;
    }
    if (i == since.peer_count)
        since.peers[since.peer_count++] = (struct topo_trace_peer){.rank = world};
    since.peers[i].messages++;
    since.peers[i].bytes += bytes;
out:
    pthread_mutex_unlock(&lock);
}

void topo_trace_p2p(uint64_t entered)
{
    uint64_t left = topo_trace_enter();
    pthread_mutex_lock(&lock);
    since.calls++;
    since.nanoseconds += left - entered;
    pthread_mutex_unlock(&lock);
}

static void begin(const char *name, const char *source, int line, int level)
{
    uint64_t entered = topo_trace_enter();
    if (depth == DEPTH)
        return;
    struct topo_trace_gap gap = gap_until(entered);
    unsigned name_id = topo_trace_name(&writer, name), file_id = topo_trace_name(&writer, source);
    topo_trace_write_begin(&writer, gap, name_id, file_id, line > 0 ? (uint64_t)line : 0);
    open_intervals[depth++] = level;
    event_ended(topo_trace_enter());
}

static void end(void)
{
    struct topo_trace_gap gap = gap_until(topo_trace_enter());
    topo_trace_write_end(&writer, gap);
    depth--;
    event_ended(topo_trace_enter());
}

void topo_trace_interval_begin(const char *name, const char *source, int line)
{
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&lock);
    begin(name, source, line, 0);
    pthread_mutex_unlock(&lock);
}

/* Ends what MPI_Pcontrol began inside it, too. */
void topo_trace_interval_end(void)
{
    static bool said;
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&lock);
    int outer = depth - 1;
    while (outer >= 0 && open_intervals[outer] > 0)
        outer--;
    if (outer < 0 && !said)
        topo_say("topompi_interval_end() without a begin on rank %d; it is ignored", topo_job.rank);
    said = said || outer < 0;
    while (outer >= 0 && depth > outer)
        end();
    pthread_mutex_unlock(&lock);
}

/* MPI_Pcontrol(L), L > 0: an interval of level L begins, those of level L and
 * inside end; 0: all end; -L: those of level L and inside end. */
void topo_trace_pcontrol(int level, const void *caller)
{
    char place[TOPO_TRACE_PLACE_MAX];
    int bound = level < 0 ? -(level + 1) + 1 : level;
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&lock);
    while (depth > 0 && open_intervals[depth - 1] > 0 && (level == 0 || open_intervals[depth - 1] >= bound))
        end();
    if (level > 0) {
        topo_trace_place(caller, place);
        begin(place, NULL, 0, level);
    }
    pthread_mutex_unlock(&lock);
}

/* This rank's clock against rank 0's: the best of several round trips. */
static int64_t clock_offset(MPI_Comm comm, int rank, int ranks)
{
    enum { ROUNDS = 8 };
    int64_t offset = 0;
    for (int other = 1; other < ranks; other++) {
        uint64_t best = UINT64_MAX;
        for (int round = 0; round < ROUNDS && (rank == 0 || rank == other); round++) {
            uint64_t stamp = 0, sent = topo_trace_enter();
            if (rank == 0) {
                PMPI_Recv(&stamp, 1, MPI_UINT64_T, other, 0, comm, MPI_STATUS_IGNORE);
                stamp = topo_trace_enter();
                PMPI_Send(&stamp, 1, MPI_UINT64_T, other, 0, comm);
                continue;
            }
            PMPI_Send(&stamp, 1, MPI_UINT64_T, 0, 0, comm);
            PMPI_Recv(&stamp, 1, MPI_UINT64_T, 0, 0, comm, MPI_STATUS_IGNORE);
            uint64_t back = topo_trace_enter();
            if (back - sent < best) {
                best = back - sent;
                offset = (int64_t)(stamp - (sent + (back - sent) / 2));
            }
        }
    }
    return offset;
}

static int usable_cpus(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Ranks of this rank's node. */
static int neighbours(int rank)
{
    const struct topo_tree *tree = topo_job.tree;
    int count = 0;
    if (!tree)
        return 1;
    const int *node = tree->unit + (size_t)topo_tree_node_level(tree) * (size_t)tree->ranks;
    for (int r = 0; r < tree->ranks; r++)
        count += node[r] == node[rank];
    return count;
}

/* A job of one rank has no shared options: its own environment counts. */
static const char *wanted_folder(int ranks)
{
    if (topo_job.active)
        return topo_job.options.value[TOPO_OPTION_TRACE].text;
    return ranks == 1 ? topo_option_environment(topo_option_info(TOPO_OPTION_TRACE)->name, NULL) : NULL;
}

void topo_trace_start(void)
{
    struct topo_trace_job job = {.version = TOPOMPI_VERSION, .program = program_invocation_short_name};
    struct topo_error error = {""};
    char host[256] = "?";
    MPI_Comm comm;
    PMPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    const char *folder = wanted_folder(job.ranks);
    if (!folder || !*folder || PMPI_Comm_split(MPI_COMM_WORLD, 0, job.rank, &comm) != MPI_SUCCESS)
        return;
    int failed = topo_trace_file_open(folder, job.rank, &file, &writer, &error) == TOPO_OK ? INT_MAX : job.rank, first;
    PMPI_Allreduce(&failed, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == job.rank)
        topo_say("rank %d: %s; there is no trace", job.rank, error.text);
    job.id = (uint64_t)time(NULL) << 20 ^ (uint64_t)getpid() ^ now(CLOCK_MONOTONIC);
    PMPI_Bcast(&job.id, 1, MPI_UINT64_T, 0, comm);
    job.to_rank0 = clock_offset(comm, job.rank, job.ranks);
    PMPI_Comm_free(&comm);
    if (first != INT_MAX) {
        topo_trace_file_close(&file, &writer);
        return;
    }
    gethostname(host, sizeof host - 1);
    job.host = host;
    job.cpus = usable_cpus();
    cores_are_short = neighbours(job.rank) > job.cpus;
    job.started = (int64_t)time(NULL);
    job.clock = topo_trace_enter();
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget_members, &group_key, NULL);
    topo_trace_write_magic(&writer);
    topo_trace_write_job(&writer, &job);
    event_ended(job.clock);
    topo_trace_on = true;
}

void topo_trace_stop(void)
{
    if (!topo_trace_on)
        return;
    pthread_mutex_lock(&lock);
    topo_trace_on = false;
    struct topo_trace_gap gap = gap_until(topo_trace_enter());
    if (writer.dropped)
        topo_trace_write_lost(&writer);
    topo_trace_write_finish(&writer, gap);
    topo_trace_file_close(&file, &writer);
    PMPI_Comm_free_keyval(&group_key);
    topo_trace_names_free();
    pthread_mutex_unlock(&lock);
}
