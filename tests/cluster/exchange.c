/* A program that gathers and exchanges, for comparing predictions with: every rank
 * computes on its part, all get all parts (short and long ones), and parts change
 * hands in amounts that differ from rank to rank. The part of a rank stays the same
 * whatever the number of ranks (scaling: weak). */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "intervals.h"

enum { SHORT_BYTES = 512, LONG_BYTES = 32768, MOVED_BYTES = 131072, SHORT_ROUNDS = 60, LONG_ROUNDS = 8, MOVES = 15 };

static double work(double x, int steps)
{
    for (int i = 0; i < steps; i++)
        x = x * 0.999999 + 1e-6 / (1 + x * x);
    return x;
}

static void gather(const char *name, char *part, char *all, int bytes, int rounds, double *x)
{
    int interval = interval_begin(name);
    for (int i = 0; i < rounds; i++) {
        *x = work(*x, 10000);
        memcpy(part, x, sizeof *x);
        MPI_Allgather(part, bytes, MPI_BYTE, all, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    interval_end(interval);
}

int main(int argc, char **argv)
{
    int rank, n, sent = 0, received = 0;
    double x = 0.5;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int *counts = calloc(4 * (size_t)n, sizeof *counts);
    char *part = calloc(1, LONG_BYTES), *all = calloc((size_t)n, LONG_BYTES);
    if (!counts || !part || !all)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int *to = counts, *to_at = counts + n, *from = counts + 2 * n, *from_at = counts + 3 * n;
    /* From i to j: one, two or three shares of what a rank moves, about MOVED_BYTES together. */
    for (int i = 0; i < n; i++) {
        to[i] = MOVED_BYTES / 2 / n * (1 + (rank + 2 * i) % 3);
        from[i] = MOVED_BYTES / 2 / n * (1 + (i + 2 * rank) % 3);
        to_at[i] = sent;
        from_at[i] = received;
        sent += to[i];
        received += from[i];
    }
    char *out = calloc(1, (size_t)sent), *in = calloc(1, (size_t)received);
    if (!out || !in)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int warm = 0; warm < 3; warm++) {
        MPI_Allgather(part, SHORT_BYTES, MPI_BYTE, all, SHORT_BYTES, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Allgather(part, LONG_BYTES, MPI_BYTE, all, LONG_BYTES, MPI_BYTE, MPI_COMM_WORLD);
        MPI_Alltoallv(out, to, to_at, MPI_BYTE, in, from, from_at, MPI_BYTE, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    gather("short", part, all, SHORT_BYTES, SHORT_ROUNDS, &x);
    MPI_Barrier(MPI_COMM_WORLD);
    gather("long", part, all, LONG_BYTES, LONG_ROUNDS, &x);
    MPI_Barrier(MPI_COMM_WORLD);
    int interval = interval_begin("moves");
    for (int i = 0; i < MOVES; i++) {
        x = work(x, 10000);
        memcpy(out, &x, sizeof x);
        MPI_Alltoallv(out, to, to_at, MPI_BYTE, in, from, from_at, MPI_BYTE, MPI_COMM_WORLD);
    }
    interval_end(interval);
    intervals_print();
    free(counts);
    free(part);
    free(all);
    free(out);
    free(in);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
