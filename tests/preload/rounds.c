/* An MPI program that knows nothing of TopoMPI: "allgather BYTES" or "allreduce COUNT" (of int). Four calls, of
 * which recording_tool.c records the last. Prints "ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/recording.h"

static int gather(int rank, int ranks, int bytes, int call)
{
    unsigned char *own = calloc((size_t)bytes, 1), *all = calloc((size_t)bytes, (size_t)ranks);
    int good = 1;
    for (int k = 0; k < bytes; k++)
        own[k] = (unsigned char)(call + rank * 5 + k * 7);
    MPI_Allgather(own, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++)
        for (int k = 0; k < bytes; k++)
            good &= all[i * bytes + k] == (unsigned char)(call + i * 5 + k * 7);
    free(own);
    free(all);
    return good;
}

static int reduce(int rank, int ranks, int count, int call)
{
    int *own = calloc((size_t)count, sizeof *own), *sum = calloc((size_t)count, sizeof *sum), good = 1;
    for (int k = 0; k < count; k++)
        own[k] = call + k + rank;
    MPI_Allreduce(own, sum, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < count; k++)
        good &= sum[k] == ranks * (call + k) + ranks * (ranks - 1) / 2;
    free(own);
    free(sum);
    return good;
}

int main(int argc, char **argv)
{
    enum { CALLS = 4 };
    int rank, ranks, good = argc == 3, everywhere;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < CALLS && good; call++) {
        if (call == CALLS - 1)
            record(1);
        good &= (strcmp(argv[1], "allgather") ? reduce : gather)(rank, ranks, atoi(argv[2]), call);
        record(0);
    }
    MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "ok\n" : "wrong\n");
    return !everywhere;
}
