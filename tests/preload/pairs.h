/* For programs whose odd ranks call with a type of their own for the same bytes: whether a rank remembers a call
 * (coll/call/remembered.h) depends on its type, what runs must not. */
#ifndef TOPO_TESTS_PRELOAD_PAIRS_H
#define TOPO_TESTS_PRELOAD_PAIRS_H

#include <stdbool.h>
#include <stdio.h>

#include <mpi.h>

#include "common/native.h"

enum { PAIRS_RANKS_MOST = 16 };

/* The type of odd ranks, of two MPI_INT; the caller frees it. */
static inline MPI_Datatype pairs_type(void)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    return pair;
}

/* An MPI_Allgather of each rank's number in `comm` and `call`. True when all came. */
static inline bool pairs_gather(MPI_Comm comm, MPI_Datatype pair, int call)
{
    int rank, ranks, send[2], receive[2 * PAIRS_RANKS_MOST] = {0}, odd;
    bool right = true;
    PMPI_Comm_rank(MPI_COMM_WORLD, &odd);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    send[0] = rank;
    send[1] = call;
    if (odd % 2)
        MPI_Allgather(send, 1, pair, receive, 1, pair, comm);
    else
        MPI_Allgather(send, 2, MPI_INT, receive, 2, MPI_INT, comm);
    for (int r = 0; r < ranks; r++)
        right = right && receive[2 * r] == r && receive[2 * r + 1] == call;
    return right;
}

/* Collective, at the end: `wrong` is 1 more than the last call that was wrong on this rank; 0: none. Rank 0 says what came
 * of it. True when no rank had one. */
static inline bool pairs_are_right(int wrong)
{
    int rank, last = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    NATIVE(Allreduce)(&wrong, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && last)
        printf("wrong: call %d\n", last - 1);
    else if (rank == 0)
        printf("ok\n");
    return last == 0;
}

#endif
