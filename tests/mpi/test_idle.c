/* Node memory of communicators that live and are called no more goes to those that are called (node/idle.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "comm/comm.h"
#include "job/job.h"
#include "mpi/harness.h"
#include "node/idle.h"
#include "node/pool.h"

enum { CALLS = 10, IDLE_CALLS = 256, MOST = 64, COMMS = 60 }; /* more than the pool has room for */

static int rank, ranks;
static int level = -1; /* what the MPI library says of threads; -1: the truth */

int PMPI_Query_thread(int *provided)
{
    int code = ((__typeof__(&PMPI_Query_thread))dlsym(RTLD_NEXT, "PMPI_Query_thread"))(provided);
    *provided = level >= 0 ? level : code == MPI_SUCCESS ? MPI_THREAD_SINGLE : *provided;
    return code;
}

static const struct topo_algorithm *named(enum topo_operation operation, const char *name)
{
    return topo_algorithm_find(operation, name);
}

static bool gathers(MPI_Comm comm)
{
    int own[2], all[2 * MOST] = {0}, n, me;
    static int number;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    own[0] = me;
    own[1] = ++number;
    bool good = topo_allgather(named(TOPO_OPERATION_allgather, "leader"), own, 2, MPI_INT, all, 2, MPI_INT, comm) ==
                MPI_SUCCESS;
    for (int i = 0; i < n; i++)
        good &= all[2 * i] == i;
    return good;
}

static bool gathers_often(MPI_Comm comm, int calls)
{
    bool good = true;
    for (int i = 0; i < calls; i++)
        good &= gathers(comm);
    return good;
}

/* As if so many calls had been made of others. */
static bool time_goes_by(int calls)
{
    topo_idle_calls += (uint64_t)calls;
    return true;
}

static struct topo_node *node_of(MPI_Comm comm)
{
    struct topo_comm *state = NULL;
    return topo_comm_of(comm, &state) == MPI_SUCCESS && state ? state->node : NULL;
}

static bool has(MPI_Comm comm, enum topo_shm_use use)
{
    const struct topo_node *node = node_of(comm);
    return node && topo_node_stands(node, use);
}

static bool all_say(bool here)
{
    int good = here, all = 0;
    PMPI_Allreduce(&good, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static MPI_Comm comms[COMMS];

/* One after the other gets memory, and a busy one keeps it. */
static void fill(MPI_Comm busy, const char *machine)
{
    int with = 0;
    bool good = true, busy_has = true, each_has = true;
    for (int i = 0; i < COMMS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        const uint64_t before = topo_idle_calls;
        good &= gathers_often(comms[i], 2) && topo_idle_calls == before + 2 && time_goes_by(CALLS - 2) &&
                (busy == MPI_COMM_NULL || gathers(busy));
        each_has &= has(comms[i], TOPO_SHM_BUFFERS);
        busy_has &= busy == MPI_COMM_NULL || has(busy, TOPO_SHM_BUFFERS);
    }
    for (int i = 0; i < COMMS; i++)
        with += has(comms[i], TOPO_SHM_BUFFERS);
    harness_check(good, "results of %d communicators, %s", COMMS, machine);
    harness_check(each_has, "each has memory while it is called, %s", machine);
    harness_check(with < COMMS && with >= IDLE_CALLS / CALLS, "%d of them have some at the end, %s", with, machine);
    harness_check(busy_has, "one that is called has it all the time, %s", machine);
}

static void free_all(void)
{
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

/* Those that gave theirs away are called again: in whatever form, results are right, and nothing is taken from those
 * that are called. */
static void come_back(MPI_Comm busy, const char *machine)
{
    bool good = true;
    for (int i = 0; i < COMMS; i++)
        good &= gathers_often(comms[i], 2) && gathers(busy) && has(busy, TOPO_SHM_BUFFERS);
    harness_check(good, "communicators that gave memory away are called again, %s", machine);
}

/* Sums whose bits depend on the form, those of more than two ranks, keep the memory that they go through; other sums do
 * not. */
static void promises(const char *machine)
{
    const struct topo_algorithm *leader = named(TOPO_OPERATION_allreduce, "leader");
    double own[50], sum[2][50];
    int one = 1, many = 0;
    MPI_Comm sums, counts;
    for (int i = 0; i < 50; i++)
        own[i] = 1.0 / (1 + (rank * 31 + i * 7) % 101);
    MPI_Comm_dup(MPI_COMM_WORLD, &sums);
    MPI_Comm_dup(MPI_COMM_WORLD, &counts);
    bool good = topo_allreduce(leader, own, sum[0], 50, MPI_DOUBLE, MPI_SUM, sums) == MPI_SUCCESS;
    good &= topo_allreduce(leader, &one, &many, 1, MPI_INT, MPI_SUM, counts) == MPI_SUCCESS && many == ranks;
    const void *base = node_of(sums)->region[TOPO_SHM_BUFFERS].base;
    fill(MPI_COMM_NULL, machine);
    harness_check(ranks == 2 || (has(sums, TOPO_SHM_BUFFERS) && node_of(sums)->region[TOPO_SHM_BUFFERS].base == base),
                  "sums of floating-point numbers keep their memory, %s", machine);
    harness_check(!has(counts, TOPO_SHM_BUFFERS), "sums of integers do not, %s", machine);
    good &= topo_allreduce(leader, own, sum[1], 50, MPI_DOUBLE, MPI_SUM, sums) == MPI_SUCCESS;
    harness_check(good && !memcmp(sum[0], sum[1], sizeof sum[0]), "they have the same bits, %s", machine);
    free_all();
    MPI_Comm_free(&sums);
    MPI_Comm_free(&counts);
}

/* A root that is ahead of the others: what it left for them stays. */
static void ahead(const char *machine)
{
    const struct topo_algorithm *leader = named(TOPO_OPERATION_bcast, "leader");
    int data[3] = {0};
    MPI_Comm early;
    MPI_Comm_dup(MPI_COMM_WORLD, &early);
    bool good = topo_bcast(leader, data, 3, MPI_INT, 0, early) == MPI_SUCCESS;
    for (int who = 0; who < 2; who++) {
        if (who == (rank > 0)) {
            data[2] = rank == 0 ? 4711 : 0;
            good &= topo_bcast(leader, data, 3, MPI_INT, 0, early) == MPI_SUCCESS && data[2] == 4711;
        }
        if (who == 0) {
            good &= gathers(MPI_COMM_WORLD) && time_goes_by(IDLE_CALLS);
            topo_idle_make_room(node_of(MPI_COMM_WORLD));
            good &= has(early, TOPO_SHM_FIFO);
        }
    }
    harness_check(good, "a broadcast whose root is ahead, %s", machine);
    good = gathers(MPI_COMM_WORLD) && time_goes_by(IDLE_CALLS);
    harness_check(topo_idle_make_room(node_of(MPI_COMM_WORLD)) && good && !has(early, TOPO_SHM_FIFO),
                  "it gives its memory when all have come, %s", machine);
    MPI_Comm_free(&early);
}

/* Nobody waits for a rank that has freed a communicator, and such a communicator gives nothing. */
static void freed_by_one(const char *machine)
{
    MPI_Comm half_freed;
    MPI_Comm_dup(MPI_COMM_WORLD, &half_freed);
    bool good = gathers(half_freed) && gathers(MPI_COMM_WORLD) && time_goes_by(IDLE_CALLS);
    if (rank == ranks - 1)
        MPI_Comm_free(&half_freed);
    topo_idle_make_room(node_of(MPI_COMM_WORLD));
    if (rank < ranks - 1) {
        good &= has(half_freed, TOPO_SHM_BUFFERS);
        MPI_Comm_free(&half_freed);
    }
    harness_check(good, "one that a rank has freed, %s", machine);
}

/* Ranks that cannot tell: nobody gives. Parts of a communicator give to it, it gives nothing to a part. */
static void who_may(const char *machine)
{
    MPI_Comm part, whole;
    MPI_Comm_split(MPI_COMM_WORLD, rank < (ranks + 1) / 2, 0, &part);
    MPI_Comm_dup(MPI_COMM_WORLD, &whole);
    bool good = gathers(part) && gathers(whole) && gathers(MPI_COMM_WORLD) && time_goes_by(IDLE_CALLS);
    struct topo_node *world = node_of(MPI_COMM_WORLD);
    topo_memory_fail_after(rank == 0 ? 0 : -1);
    harness_check(!topo_idle_make_room(world), "a rank is out of memory, %s", machine);
    topo_memory_fail_after(-1);
    level = rank == ranks - 1 ? MPI_THREAD_MULTIPLE : -1;
    harness_check(!topo_idle_make_room(world), "threads may call at once, %s", machine);
    level = -1;
    if (ranks > 3) {
        good &= time_goes_by(IDLE_CALLS);
        harness_check(!topo_idle_make_room(node_of(part)) && has(whole, TOPO_SHM_BUFFERS), "a part asks, %s", machine);
        good &= gathers(MPI_COMM_WORLD) && time_goes_by(IDLE_CALLS);
        const bool had = has(part, TOPO_SHM_BUFFERS);
        harness_check(topo_idle_make_room(world) && had && !has(part, TOPO_SHM_BUFFERS) &&
                          !has(whole, TOPO_SHM_BUFFERS),
                      "all of them ask, %s", machine);
    }
    harness_check(all_say(good) && gathers(part) && gathers(whole), "results, %s", machine);
    MPI_Comm_free(&part);
    MPI_Comm_free(&whole);
}

int main(int argc, char **argv)
{
    static const char *const shapes[] = {"synthetic:node:1 core:%d", "synthetic:node:2 core:%d,%d"};
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_option("TOPOMPI_SHARED", "3M");
    for (int i = 0; i < 1 + (ranks >= 4); i++) {
        char machine[64];
        MPI_Comm busy;
        snprintf(machine, sizeof machine, shapes[i], (ranks + i) / (1 + i), ranks / 2);
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &busy);
        fill(busy, machine);
        come_back(busy, machine);
        free_all();
        MPI_Comm_free(&busy);
        promises(machine);
        ahead(machine);
        freed_by_one(machine);
        who_may(machine);
    }
    return harness_finish();
}
