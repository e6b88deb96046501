/* usage: mpirun -n 2 time_native: what a call costs that the library leaves to the native algorithm, besides the native
 * call, for which an empty function stands here. Best of some times, in ns. No test: it measures. */
#include <stdio.h>

#include "coll/call/operations.h"
#include "job/native.h"
#include "mpi/harness.h"

enum { SAMPLES = 15, CALLS = 1000000, WARM_UP = 20000, BUFFERS = 8 };

static int no_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    (void)buffer, (void)count, (void)type, (void)root, (void)comm;
    return MPI_SUCCESS;
}

static int no_reduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    (void)send, (void)receive, (void)count, (void)type, (void)op, (void)root, (void)comm;
    return MPI_SUCCESS;
}

/* Calls of one double, `number` of them, each with its own buffer and, where `counts` is above 1, length in turn. */
static double seconds(bool reduces, int number, int counts)
{
    static double send[2 * BUFFERS], receive[2 * BUFFERS];
    double start = MPI_Wtime();
    for (int i = 0; i < number; i++)
        if (reduces)
            topo_reduce(NULL, send + i % BUFFERS, receive + i % BUFFERS, 1 + i % counts, MPI_DOUBLE, MPI_SUM, 0,
                        MPI_COMM_WORLD);
        else
            topo_bcast(NULL, send + i % BUFFERS, 1 + i % counts, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return (MPI_Wtime() - start) / number;
}

static void time_operation(bool reduces, int counts, int rank)
{
    struct topo_native native = topo_native;
    double best = 1;
    seconds(reduces, WARM_UP, counts);
    PMPI_Barrier(MPI_COMM_WORLD);
    topo_native.bcast = no_bcast;
    topo_native.reduce = no_reduce;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double took = seconds(reduces, CALLS, counts);
        best = took < best ? took : best;
    }
    topo_native = native;
    if (rank == 0)
        printf("%s, %s: %.1f ns\n", reduces ? "reduce" : "bcast",
               counts == 1 ? "the same call again" : "two calls in turn", best * 1e9);
    PMPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!harness_use_machine("synthetic:node:1 core:2"))
        return 1;
    for (int counts = 1; counts <= 2; counts++) {
        time_operation(false, counts, rank);
        time_operation(true, counts, rank);
    }
    return harness_finish();
}
