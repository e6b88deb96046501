/* What a call costs more because the library is loaded: the same 8-byte calls through MPI_* (the library's
 * wrapper, when preloaded) and natively (past it) in turn, on MPI_COMM_SELF and on all ranks.
 *
 *   mpirun -np 2 -x LD_PRELOAD=src/.libs/libtopompi.so -x TOPOMPI_ALLGATHER=native ... tests/preload/overhead
 *
 * Rank 0 prints the median over the samples of each, ns a call. Not a test: nothing here can fail. */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "common/native.h"

enum { SAMPLES = 201, SELF_CALLS = 2000, WORLD_CALLS = 500 };

typedef int call(int past, MPI_Comm comm);

static long from[64], to[64 * 64];

static int allgather(int past, MPI_Comm comm)
{
    return past ? NATIVE(Allgather)(from, 1, MPI_LONG, to, 1, MPI_LONG, comm)
                : MPI_Allgather(from, 1, MPI_LONG, to, 1, MPI_LONG, comm);
}

static int allreduce(int past, MPI_Comm comm)
{
    return past ? NATIVE(Allreduce)(from, to, 1, MPI_LONG, MPI_SUM, comm)
                : MPI_Allreduce(from, to, 1, MPI_LONG, MPI_SUM, comm);
}

static double sample(call *function, int past, MPI_Comm comm, int calls)
{
    double start = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        function(past, comm);
    return (MPI_Wtime() - start) / calls * 1e9;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *name, call *function, MPI_Comm comm, int calls, int speaks)
{
    static double ns[2][SAMPLES], more[SAMPLES];
    sample(function, 0, comm, 10); /* what happens once */
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < 2; k++)
            ns[(i + k) % 2][i] = sample(function, (i + k) % 2, comm, calls);
        more[i] = ns[0][i] - ns[1][i];
    }
    qsort(ns[0], SAMPLES, sizeof **ns, ascending);
    qsort(ns[1], SAMPLES, sizeof **ns, ascending);
    qsort(more, SAMPLES, sizeof *more, ascending);
    if (speaks)
        printf("%-24s MPI_* %9.1f  native %9.1f  difference %7.1f ns a call\n", name, ns[0][SAMPLES / 2],
               ns[1][SAMPLES / 2], more[SAMPLES / 2]);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    compare("allgather, self", allgather, MPI_COMM_SELF, SELF_CALLS, rank == 0);
    compare("allreduce, self", allreduce, MPI_COMM_SELF, SELF_CALLS, rank == 0);
    if (ranks <= 64) {
        compare("allgather, all ranks", allgather, MPI_COMM_WORLD, WORLD_CALLS, rank == 0);
        compare("allreduce, all ranks", allreduce, MPI_COMM_WORLD, WORLD_CALLS, rank == 0);
    }
    MPI_Finalize();
    return 0;
}
