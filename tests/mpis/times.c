/* Isolated calls of eight operations, each behind a barrier: native, by whatever the program has loaded, and native
 * once more, in turn. A call takes as long as on its slowest rank. Rank 0 prints for each operation and size
 *
 *   OPERATION BYTES NATIVE OURS AGAIN    medians of so many calls each, us
 *
 *   times [CALLS [BEFORE]]    so many calls that count (default 100), after BEFORE that do not (default 200) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { LONGEST = 100000, KINDS = 3 };
static const int sizes[] = {24, 700, 6000, LONGEST};
static int ranks, *counts, *places;
static char *in, *out;

#define EITHER(native, name, ...) ((native) ? NATIVE(name)(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

/* Bytes: of a vector, or of a block; calls[] in the order of names[]. */
static const char *const names[] = {"allgather", "allreduce", "alltoall", "alltoallv",
                                    "barrier",   "bcast",     "reduce",   "reduce_scatter"};
enum { OPERATIONS = sizeof names / sizeof *names, BARRIER = 4 };

static void call(int operation, int bytes, int native)
{
    int words = bytes / (int)sizeof(float);
    switch (operation) {
    case 0: EITHER(native, Allgather, in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
    case 1: EITHER(native, Allreduce, in, out, words, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    case 2: EITHER(native, Alltoall, in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD); break;
    case 3:
        EITHER(native, Alltoallv, in, counts, places, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD);
        break;
    case BARRIER: EITHER(native, Barrier, MPI_COMM_WORLD); break;
    case 5: EITHER(native, Bcast, in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); break;
    case 6: EITHER(native, Reduce, in, out, words, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); break;
    default: EITHER(native, Reduce_scatter_block, in, out, words, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of `number` calls of each kind, seconds, on rank 0. */
static void measure(int operation, int bytes, int number, double median[KINDS])
{
    double *times = calloc((size_t)number * KINDS * 2, sizeof *times), *slowest = times + number * KINDS;
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < number * KINDS; i++) {
        int kind = (i + i / KINDS) % KINDS; /* begins with another kind each time */
        NATIVE(Barrier)(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        call(operation, bytes, kind != 1);
        times[kind * number + i / KINDS] = MPI_Wtime() - start;
    }
    NATIVE(Reduce)(times, slowest, number * KINDS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(slowest + kind * number, (size_t)number, sizeof *slowest, ascending);
        median[kind] = slowest[kind * number + number / 2];
    }
    free(times);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, number = argc > 1 ? atoi(argv[1]) : 100, before = argc > 2 ? atoi(argv[2]) : 200;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks, LONGEST), out = calloc((size_t)ranks, LONGEST);
    counts = calloc((size_t)ranks, sizeof *counts), places = calloc((size_t)ranks, sizeof *places);
    if (number < 1 || before < 0 || !in || !out || !counts || !places)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int operation = 0; operation < OPERATIONS; operation++)
        for (size_t s = 0; s < (operation == BARRIER ? 1 : sizeof sizes / sizeof *sizes); s++) {
            double median[KINDS];
            int bytes = operation == BARRIER ? 0 : sizes[s];
            for (int i = 0; i < ranks; i++)
                counts[i] = bytes, places[i] = i * bytes;
            for (int i = 0; i < before; i++) {
                NATIVE(Barrier)(MPI_COMM_WORLD);
                call(operation, bytes, 0);
            }
            measure(operation, bytes, number, median);
            if (rank == 0)
                printf("%s %d %.2f %.2f %.2f\n", names[operation], bytes, median[0] * 1e6, median[1] * 1e6,
                       median[2] * 1e6);
        }
    MPI_Finalize();
    return 0;
}
