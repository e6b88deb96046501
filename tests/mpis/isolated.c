/* Isolated calls, or rows of them, each behind a barrier: native, by whatever the program has loaded, and native once
 * more, in turn. A row takes as long as on its slowest rank. Rank 0 prints for each operation and size
 *
 *   OPERATION BYTES NATIVE OURS AGAIN    medians of so many rows each, us a call
 *
 *   isolated [ROWS [BEFORE [LONG [OPERATION:BYTES...]]]]
 *
 * So many rows that count (default 100), after BEFORE calls that do not (default 200); calls of a row (default 1). Fewer,
 * but FEWEST, of what takes longer than TIME for either. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { LONGEST = 100000, KINDS = 3, FEWEST = 5, TIME = 2 /* s */ };
static const int sizes[] = {24, 700, 6000, LONGEST};
static int ranks, *counts, *words_of, *places;
static char *in, *out;

#define EITHER(native, name, ...) ((native) ? NATIVE(name)(__VA_ARGS__) : MPI_##name(__VA_ARGS__))

/* Bytes: of a vector, or of a block; calls[] in the order of names[]. */
static const char *const names[] = {"allgather", "allreduce", "alltoall",       "alltoallv",  "barrier",
                                    "bcast",     "reduce",    "reduce_scatter", "allgatherv", "reduce_scatter_block"};
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
    case 7: EITHER(native, Reduce_scatter, in, out, words_of, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
    case 8: EITHER(native, Allgatherv, in, bytes, MPI_BYTE, out, counts, places, MPI_BYTE, MPI_COMM_WORLD); break;
    default: EITHER(native, Reduce_scatter_block, in, out, words, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Medians of `number` rows of each kind, seconds a call, on rank 0. */
static void measure(int operation, int bytes, int number, int row, double median[KINDS])
{
    double *times = calloc((size_t)number * KINDS * 2, sizeof *times), *slowest = times + number * KINDS;
    if (!times)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < number * KINDS; i++) {
        int kind = (i + i / KINDS) % KINDS; /* begins with another kind each time */
        NATIVE(Barrier)(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int k = 0; k < row; k++)
            call(operation, bytes, kind != 1);
        times[kind * number + i / KINDS] = (MPI_Wtime() - start) / row;
    }
    NATIVE(Reduce)(times, slowest, number * KINDS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(slowest + kind * number, (size_t)number, sizeof *slowest, ascending);
        median[kind] = slowest[kind * number + number / 2];
    }
    free(times);
}

/* So many calls as `before` and TIME allow; seconds of one, alike on all ranks. */
static double warm_up(int operation, int bytes, int before)
{
    double start = MPI_Wtime(), spent = 0;
    int calls = 0;
    while (calls < before && (spent < TIME || calls < FEWEST)) {
        NATIVE(Barrier)(MPI_COMM_WORLD);
        call(operation, bytes, 0);
        calls++;
        spent = MPI_Wtime() - start;
        NATIVE(Bcast)(&spent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return calls ? spent / calls : 0;
}

static void show(int operation, int bytes, int number, int before, int row)
{
    double median[KINDS];
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ranks; i++)
        counts[i] = bytes, words_of[i] = bytes / (int)sizeof(float), places[i] = i * bytes;
    const double each = warm_up(operation, bytes, before) * row * KINDS;
    if (each * number > TIME)
        number = each * FEWEST > TIME ? FEWEST : (int)(TIME / each);
    measure(operation, bytes, number, row, median);
    if (rank == 0)
        printf("%s %d %.2f %.2f %.2f\n", names[operation], bytes, median[0] * 1e6, median[1] * 1e6, median[2] * 1e6);
}

/* OPERATION:BYTES; returns the operation, or -1. */
static int read_point(const char *text, int *bytes)
{
    const char *colon = strchr(text, ':');
    *bytes = colon ? atoi(colon + 1) : -1;
    for (int i = 0; colon && *bytes >= 0 && i < OPERATIONS; i++)
        if (strlen(names[i]) == (size_t)(colon - text) && !strncmp(names[i], text, (size_t)(colon - text)))
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int number = argc > 1 ? atoi(argv[1]) : 100, before = argc > 2 ? atoi(argv[2]) : 200,
        row = argc > 3 ? atoi(argv[3]) : 1;
    int longest = LONGEST, bytes;
    for (int i = 4; i < argc; i++) {
        if (read_point(argv[i], &bytes) < 0)
            MPI_Abort(MPI_COMM_WORLD, 2);
        longest = bytes > longest ? bytes : longest;
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    in = calloc((size_t)ranks, (size_t)longest), out = calloc((size_t)ranks, (size_t)longest);
    counts = calloc((size_t)ranks, sizeof *counts), places = calloc((size_t)ranks, sizeof *places);
    words_of = calloc((size_t)ranks, sizeof *words_of);
    if (number < 1 || before < 0 || row < 1 || !in || !out || !counts || !places || !words_of)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 4; i < argc; i++) {
        int operation = read_point(argv[i], &bytes);
        show(operation, bytes, number, before, row);
    }
    for (int operation = 0; argc < 5 && operation < OPERATIONS; operation++)
        for (size_t s = 0; s < (operation == BARRIER ? 1 : sizeof sizes / sizeof *sizes); s++)
            show(operation, operation == BARRIER ? 0 : sizes[s], number, before, row);
    MPI_Finalize();
    return 0;
}
