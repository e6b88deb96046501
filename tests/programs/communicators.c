/* Communicators that live for some calls each: "communicators CALLS ROUNDS BYTES OPERATION [alive]", where OPERATION is
 * allreduce, allgather, bcast, alltoall or barrier. Rank 0 prints the seconds of all rounds: split, CALLS calls, free;
 * with `alive` all are freed after the last round. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *in, *out;
static int ranks, bytes;

static void call(const char *operation, int number, MPI_Comm comm)
{
    if (!strcmp(operation, "allreduce"))
        MPI_Allreduce(in, out, bytes / (int)sizeof(int), MPI_INT, MPI_SUM, comm);
    else if (!strcmp(operation, "allgather"))
        MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
    else if (!strcmp(operation, "bcast"))
        MPI_Bcast(in, bytes, MPI_BYTE, number % ranks, comm);
    else if (!strcmp(operation, "alltoall"))
        MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
    else
        MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 5)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int rounds = atoi(argv[2]), kept = argc > 5 ? rounds : 1;
    MPI_Comm *comm = calloc((size_t)kept, sizeof *comm);
    bytes = atoi(argv[3]);
    in = calloc((size_t)bytes * (size_t)ranks + 1, 1);
    out = calloc((size_t)bytes * (size_t)ranks + 1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int round = 0; round < rounds; round++) {
        MPI_Comm *own = &comm[round % kept];
        MPI_Comm_split(MPI_COMM_WORLD, 0, rank, own);
        for (int number = 0; number < atoi(argv[1]); number++)
            call(argv[4], number, *own);
        if (kept == 1)
            MPI_Comm_free(own);
    }
    for (int i = 0; i < kept; i++)
        if (kept > 1)
            MPI_Comm_free(&comm[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.6f\n", MPI_Wtime() - start);
    MPI_Finalize();
    return 0;
}
