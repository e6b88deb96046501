/* Calls MPI_Scan; rank 0 says ok when all ranks have the right sums. */
#include <stdio.h>

#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, all, good = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        int own = rank + i, sum = -1;
        MPI_Scan(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        good &= sum == rank * (rank + 1) / 2 + (rank + 1) * i;
    }
    MPI_Reduce(&good, &all, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all ? "ok" : "wrong sums");
    MPI_Finalize();
    return 0;
}
