/* An MPI program that calls nothing but MPI_Bcast and MPI_Reduce on a communicator it made, which the library therefore
 * leaves native; then an operation in which all ranks wait, in which it gets what it went without; and so on until
 * calls are compared. Odd ranks call with a type of their own, and so remember no call. Rank 0 prints "ok", or "wrong"
 * with the call. */
#include <stdio.h>

#include <mpi.h>

#include "common/native.h"
#include "preload/pairs.h"

/* Calls of each, and every how many of them an MPI_Allgather comes; 0: none, but one at the end of the spell. */
static const struct {
    int calls, gathers;
} spells[] = {{300, 0}, {300, 0}, {300, 0}, {1200, 3}, {600, 40}, {300, 0}};

static bool bcast_is_right(MPI_Comm comm, MPI_Datatype pair, int number, int call)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int root = call % ranks, numbers[2] = {rank == root ? call : -1, rank == root ? root : -1};
    if (number % 2)
        MPI_Bcast(numbers, 1, pair, root, comm);
    else
        MPI_Bcast(numbers, 2, MPI_INT, root, comm);
    return numbers[0] == call && numbers[1] == root;
}

/* All ranks call alike, as the types of operands must be. */
static bool reduce_is_right(MPI_Comm comm, int call)
{
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int send[2] = {call + rank, rank}, receive[2] = {-1, -1};
    MPI_Reduce(send, receive, 2, MPI_INT, MPI_MAX, call % ranks, comm);
    return rank != call % ranks || (receive[0] == call + ranks - 1 && receive[1] == ranks - 1);
}

int main(int argc, char **argv)
{
    int number, wrong = 0, call = 0;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Datatype pair = pairs_type();
    for (size_t spell = 0; spell < sizeof spells / sizeof *spells; spell++) {
        for (int i = 0; i < spells[spell].calls; i++, call++) {
            bool right = bcast_is_right(comm, pair, number, call) && reduce_is_right(comm, call);
            if (spells[spell].gathers && i % spells[spell].gathers == 0)
                right = pairs_gather(comm, pair, call) && right;
            if (!right)
                wrong = call + 1;
        }
        if (!pairs_gather(comm, pair, call))
            wrong = call + 1;
    }
    const bool good = pairs_are_right(wrong);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return !good;
}
