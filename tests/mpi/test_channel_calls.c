/* The library's own small collectives on a channel: their values at every number of ranks, and that messages of one do
 * not become those of the next, whoever is late or far ahead. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "job/channel_calls.h"
#include "mpi/harness.h"

static int rank, ranks;

/* Any number of rank `of`, place `at` and call `call`. */
static uint64_t number(int of, int at, int call)
{
    return ((uint64_t)of * 7919 + (uint64_t)at * 104729 + (uint64_t)call * 15485863) % 1000003 << (at % 40);
}

static void allreduce(int count, enum topo_channel_op op, int call)
{
    uint64_t values[TOPO_CHANNEL_VALUES], expected[TOPO_CHANNEL_VALUES];
    for (int at = 0; at < count; at++) {
        values[at] = number(rank, at, call);
        expected[at] = number(0, at, call);
        for (int of = 1; of < ranks; of++) {
            const uint64_t theirs = number(of, at, call);
            if (op == TOPO_CHANNEL_SUM)
                expected[at] += theirs;
            else if (op == TOPO_CHANNEL_LEAST ? theirs < expected[at] : theirs > expected[at])
                expected[at] = theirs;
        }
    }
    int code = topo_channel_allreduce(values, count, op, &topo_channel_job);
    harness_check(code == MPI_SUCCESS && !memcmp(values, expected, (size_t)count * sizeof *values),
                  "%d values, operation %d, call %d", count, op, call);
}

/* One rank alone says no, or has a status that is no success. */
static void questions(void)
{
    for (int odd = 0; odd < ranks; odd++) {
        harness_check(!topo_channel_all(rank != odd, &topo_channel_job), "all say so but rank %d", odd);
        harness_check(topo_channel_worst(rank == odd ? TOPO_IO : TOPO_OK, &topo_channel_job) == TOPO_IO,
                      "all are well but rank %d", odd);
    }
    harness_check(topo_channel_all(true, &topo_channel_job), "all say so");
    harness_check(topo_channel_worst(TOPO_OK, &topo_channel_job) == TOPO_OK, "all are well");
}

static char byte_of(size_t at, int call)
{
    return (char)(at * 31 + at / 251 + (size_t)call * 7);
}

static void bcast(size_t count, int call)
{
    char *bytes = topo_calloc(count + 1, 1);
    bool good = bytes;
    for (size_t at = 0; rank == 0 && good && at < count; at++)
        bytes[at] = byte_of(at, call);
    good &= topo_channel_bcast(bytes, count, &topo_channel_job) == MPI_SUCCESS;
    for (size_t at = 0; good && at < count; at++)
        good &= bytes[at] == byte_of(at, call);
    harness_check(good && bytes[count] == 0, "a broadcast of %zu bytes", count);
    topo_free(bytes);
}

/* Nobody is through before all have come: each says in memory of all that it has. */
static void barriers(void)
{
    enum { TIMES = 20 };
    MPI_Win window;
    MPI_Aint bytes;
    int unit;
    _Atomic int *come;
    bool good = true;
    MPI_Win_allocate_shared(rank == 0 ? (MPI_Aint)sizeof *come : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &come, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &come);
    if (rank == 0)
        atomic_store(come, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int time = 0; time < TIMES; time++) {
        if (time % ranks == rank)
            usleep(1000);
        atomic_fetch_add(come, 1);
        good &= topo_channel_barrier(&topo_channel_job) == MPI_SUCCESS && atomic_load(come) >= (time + 1) * ranks;
    }
    harness_check(good, "%d barriers", TIMES);
    MPI_Win_free(&window);
}

/* Broadcasts in which rank 0 gets far ahead, with others among them whose values are those of one call alone. */
static void in_turn(void)
{
    for (int call = 0; call < 60; call++) {
        if (call % 16 == 5 && rank == ranks - 1)
            usleep(2000);
        bcast(call % 3 ? 40 : 3000, call);
        if (call % 5 == 0)
            allreduce(1 + call, TOPO_CHANNEL_SUM, call);
        if (call % 7 == 0)
            harness_check(topo_channel_barrier(&topo_channel_job) == MPI_SUCCESS, "a barrier between");
    }
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {0, 1, 1000, (1 << 18) - 1, 1 << 18, (1 << 18) + 1, 900000};
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 1 && harness_use_machine("auto")) {
        for (int count = 0; count <= TOPO_CHANNEL_VALUES; count += count < 4 ? 1 : 20)
            for (int op = TOPO_CHANNEL_LEAST; op <= TOPO_CHANNEL_SUM; op++)
                allreduce(count, (enum topo_channel_op)op, count);
        questions();
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            bcast(lengths[i], (int)i);
        barriers();
        in_turn();
    }
    return harness_finish();
}
