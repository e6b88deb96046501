/* Calls that the library takes over, for programs that make others beside them; MANY is how often. Each rank counts what
 * was wrong, and says so. */
#include <stdio.h>

#include <mpi.h>

enum { RANKS_MAX = 64 };

static int rank, ranks, wrong;

static void expect(int good, const char *what)
{
    if (!good)
        printf("rank %d: %s\n", rank, what);
    wrong += !good;
}

/* Blocks of one int: the sender's rank and the round. */
static int is_gathered(const int *all, int round)
{
    for (int i = 0; i < ranks; i++)
        if (all[i] != 1000 * round + i)
            return 0;
    return 1;
}

/* What the library takes over, often enough that it would begin. */
static void usual_calls(MPI_Comm comm)
{
    int all[RANKS_MAX], sum;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int round = 0; round < MANY; round++) {
        int own = 1000 * round + rank;
        MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, comm);
        expect(is_gathered(all, round), "MPI_Allgather");
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        expect(sum == ranks * (ranks - 1) / 2, "MPI_Allreduce");
        MPI_Barrier(comm);
    }
}
