#include <time.h>

#include "observe/trace_parts.h"

enum { PEERS = 64, SITES = 128 };

/* Since the last event. */
static struct {
    uint64_t end, end_cpu; /* when it ended; end_cpu only if the clock was read */
    struct site *site;     /* what kind of event it was */
    bool read;
    uint64_t calls, nanoseconds;
    uint64_t written; /* nanoseconds of calls that are written already */
    struct topo_trace_peer peers[PEERS];
    int peer_count;
} since;

static bool cores_are_short;

/* The CPU clock is a system call, more than all the rest of a record, and says
 * nothing new where every rank has a core of its own: there a gap counts as spent
 * on the CPU. Elsewhere it is read where gaps are LONG. After events whose next
 * one came soon the gap is its own measure; when it is long for once, most often
 * another rank had the core, so it counts as usual and the next one is measured. */
enum { LONG = 50000 }; /* ns */
static struct site {
    uint64_t key, usual; /* ns of CPU in the last gap after such an event */
    bool reads;
} sites[SITES];

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

void topo_trace_gap_start(bool short_of_cores)
{
    cores_are_short = short_of_cores;
}

static void flush_p2p(void)
{
    if (!since.calls)
        return;
    topo_trace_write_p2p(&topo_trace_out, since.calls, since.nanoseconds, since.peers, since.peer_count);
    since.written += since.nanoseconds;
    since.calls = since.nanoseconds = 0;
    since.peer_count = 0;
}

/* CPU time of a gap of `wall` ns. */
static uint64_t cpu_of(uint64_t wall)
{
    struct site *site = since.site;
    uint64_t cpu = wall;
    if (!cores_are_short || !site)
        return wall;
    if (since.read) {
        uint64_t clock = now(CLOCK_THREAD_CPUTIME_ID);
        cpu = clock > since.end_cpu ? clock - since.end_cpu : 0;
        site->usual = cpu;
        site->reads = cpu >= LONG;
    } else if (wall >= LONG) {
        cpu = site->usual;
        site->reads = true;
    } else {
        site->usual = wall;
    }
    return cpu < wall ? cpu : wall;
}

struct topo_trace_gap topo_trace_gap_until(uint64_t entered)
{
    struct topo_trace_gap gap = {0, 0};
    flush_p2p();
    uint64_t in_calls = since.written;
    since.written = 0;
    /* Threads may enter in any order. */
    if (entered > since.end + in_calls)
        gap.wall = entered - since.end - in_calls;
    gap.cpu = cpu_of(gap.wall);
    return gap;
}

void topo_trace_event_ended(uint64_t when, uint64_t key)
{
    key = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
    struct site *site = &sites[key >> 32 & (SITES - 1)];
    if (site->key != key)
        *site = (struct site){.key = key, .reads = true};
    since.end = when;
    since.site = site;
    since.read = cores_are_short && site->reads;
    if (since.read)
        since.end_cpu = now(CLOCK_THREAD_CPUTIME_ID);
}

void topo_trace_sent(MPI_Comm comm, int to, uint64_t bytes)
{
    const struct topo_trace_members *members;
    int world = to, inter = 0;
    if (to < 0 || PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter) /* MPI_PROC_NULL, another group */
        return;
    pthread_mutex_lock(&topo_trace_lock);
    if (comm != MPI_COMM_WORLD) {
        members = topo_trace_members_of(comm);
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
        i = 0;
    }
    if (i == since.peer_count)
        since.peers[since.peer_count++] = (struct topo_trace_peer){.rank = world};
    since.peers[i].messages++;
    since.peers[i].bytes += bytes;
out:
    pthread_mutex_unlock(&topo_trace_lock);
}

void topo_trace_p2p(uint64_t entered)
{
    uint64_t left = topo_trace_enter();
    pthread_mutex_lock(&topo_trace_lock);
    since.calls++;
    since.nanoseconds += left - entered;
    pthread_mutex_unlock(&topo_trace_lock);
}
