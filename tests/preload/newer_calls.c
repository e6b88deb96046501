/* Calls of MPI 4 that the library does not take over, persistent collectives: they pass through, and what it does take
 * over, large counts among them, works beside them. Prints ok. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { MANY = 40 };

#include "usual_calls.h"

static void calls(void)
{
    int all[RANKS_MAX], gathered[RANKS_MAX] = {0}, own, sum, token;
    MPI_Request gather, reduce, barrier;
    MPI_Init(NULL, NULL);
    usual_calls(MPI_COMM_WORLD);
    /* MPICH 4.0 copies what a persistent allgather sends to the receive buffer when it is made, and sends from there:
     * the same is sent each time, and the buffer is left alone. */
    MPI_Allgather_init(&rank, 1, MPI_INT, gathered, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &gather);
    MPI_Allreduce_init(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &reduce);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &barrier);
    for (int round = 0; round < MANY; round++) {
        own = 1000 * round + rank;
        MPI_Start(&gather);
        MPI_Wait(&gather, MPI_STATUS_IGNORE);
        expect(is_gathered(gathered, 0), "MPI_Allgather_init");
        MPI_Start(&reduce);
        MPI_Wait(&reduce, MPI_STATUS_IGNORE);
        expect(sum == 1000 * round * ranks + ranks * (ranks - 1) / 2, "MPI_Allreduce_init");
        MPI_Start(&barrier);
        MPI_Wait(&barrier, MPI_STATUS_IGNORE);
        memset(all, 0, sizeof all);
        MPI_Allgather_c(&own, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        expect(is_gathered(all, round), "MPI_Allgather_c");
        MPI_Allreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        expect(sum == ranks * (ranks - 1) / 2, "MPI_Allreduce_c");
        token = rank == round % ranks ? round : -1;
        MPI_Bcast_c(&token, 1, MPI_INT, round % ranks, MPI_COMM_WORLD);
        expect(token == round, "MPI_Bcast_c");
    }
    MPI_Request_free(&gather);
    MPI_Request_free(&reduce);
    MPI_Request_free(&barrier);
    usual_calls(MPI_COMM_WORLD);
    if (rank == 0 && !wrong)
        puts("ok");
    MPI_Finalize();
}

int main(void)
{
    calls();
    return wrong > 0;
}
