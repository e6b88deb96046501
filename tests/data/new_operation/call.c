/* Calls MPI_Neighbor_allgather on a ring; rank 0 says ok when all ranks have their neighbours' numbers. */
#include <stdio.h>

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, ranks, all, good = 1, periodic = 1;
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
    MPI_Comm_rank(ring, &rank);
    for (int i = 0; i < 100; i++) {
        int own = rank + i, got[2] = {-1, -1};
        MPI_Neighbor_allgather(&own, 1, MPI_INT, got, 1, MPI_INT, ring);
        good &= got[0] == (rank + ranks - 1) % ranks + i && got[1] == (rank + 1) % ranks + i;
    }
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "ok" : "wrong numbers");
    MPI_Finalize();
    return 0;
}
