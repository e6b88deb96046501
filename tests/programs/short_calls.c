/* The time of short calls on MPI_COMM_WORLD: "short_calls CALLS BYTES [OPERATION]". Rank 0 prints, of each operation or of
 * this one, the best and the mean of ten parts of CALLS calls, in us. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const operations[] = {"allgatherv", "alltoallv", "reduce_scatter",   "reduce_scatter_block",
                                         "allgather",  "allreduce", "allreduce_double", "alltoall",
                                         "bcast",      "reduce",    "barrier"};
enum { OPERATIONS = sizeof operations / sizeof *operations, PARTS = 10, WARM_UP = 2 };

static char *in, *out;
static int *counts, *numbers, *places;

static void call(int operation, int bytes)
{
    const MPI_Comm world = MPI_COMM_WORLD;
    const int ints = bytes / (int)sizeof(int), doubles = bytes / (int)sizeof(double);
    switch (operation) {
    case 0: MPI_Allgatherv(in, bytes, MPI_BYTE, out, counts, places, MPI_BYTE, world); break;
    case 1: MPI_Alltoallv(in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, world); break;
    case 2: MPI_Reduce_scatter(in, out, numbers, MPI_INT, MPI_SUM, world); break;
    case 3: MPI_Reduce_scatter_block(in, out, ints, MPI_INT, MPI_SUM, world); break;
    case 4: MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, world); break;
    case 5: MPI_Allreduce(in, out, ints, MPI_INT, MPI_SUM, world); break;
    case 6: MPI_Allreduce(in, out, doubles, MPI_DOUBLE, MPI_SUM, world); break;
    case 7: MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, world); break;
    case 8: MPI_Bcast(in, bytes, MPI_BYTE, 0, world); break;
    case 9: MPI_Reduce(in, out, ints, MPI_INT, MPI_SUM, 0, world); break;
    default: MPI_Barrier(world);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 3 && argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    const int calls = atoi(argv[1]) / PARTS, bytes = atoi(argv[2]);
    in = calloc((size_t)bytes * (size_t)ranks + 1, 1);
    out = calloc((size_t)bytes * (size_t)ranks + 1, 1);
    counts = malloc(3 * (size_t)ranks * sizeof *counts);
    numbers = counts + ranks;
    places = numbers + ranks;
    for (int i = 0; i < ranks; i++) {
        counts[i] = bytes;
        numbers[i] = bytes / (int)sizeof(int);
        places[i] = i * bytes;
    }
    for (int operation = 0; operation < OPERATIONS; operation++) {
        double best = 0, all = 0;
        if (argc == 4 && strcmp(argv[3], operations[operation]))
            continue;
        for (int part = 0; part < WARM_UP + PARTS; part++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double start = MPI_Wtime();
            for (int i = 0; i < calls; i++)
                call(operation, bytes);
            double each = (MPI_Wtime() - start) / calls;
            if (part < WARM_UP)
                continue;
            best = best == 0 || each < best ? each : best;
            all += each / PARTS;
        }
        if (rank == 0)
            printf("%s %.4f %.4f\n", operations[operation], best * 1e6, all * 1e6);
    }
    MPI_Finalize();
    return 0;
}
