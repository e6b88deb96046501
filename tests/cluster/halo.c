/* A halo exchange whose neighbours are scattered: rank r is place 5 r mod n of a ring and changes rows with the places
 * before and behind it. Of 16 ranks, dealt to nodes in any simple way, nearly all rows cross. Prints the rank's host and
 * the time, for the test of topo-dump placement. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROW = 16384, ROUNDS = 40 };

int main(int argc, char **argv)
{
    static double out[ROW], in[2][ROW];
    char host[64] = "";
    int rank, ranks, place, next = 0, last = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    place = 5 * rank % ranks;
    for (int r = 0; r < ranks; r++) {
        next = 5 * r % ranks == (place + 1) % ranks ? r : next;
        last = 5 * r % ranks == (place + ranks - 1) % ranks ? r : last;
    }
    double begin = MPI_Wtime(), seconds, most;
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Sendrecv(out, ROW, MPI_DOUBLE, next, 0, in[0], ROW, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, ROW, MPI_DOUBLE, last, 1, in[1], ROW, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    seconds = MPI_Wtime() - begin;
    MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    gethostname(host, sizeof host - 1);
    printf("rank %d on %s\n", rank, host);
    if (rank == 0)
        fprintf(stderr, "%.3f s\n", most);
    MPI_Finalize();
    return 0;
}
