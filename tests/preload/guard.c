/* An MPI program in which native and ours take turns (TOPOMPI_GUARD).
 *
 *   guard check           many calls of each operation, some of two sizes in turn, with ranks that come late at random;
 *                         every result is looked at. Rank 0 prints "ok", or "wrong" with the operation
 *   guard sums            many equal sums of floating-point numbers, which round; rank 0 prints "ok" where all have the
 *                         bits of the first, or "wrong"
 *   guard time B PATTERN  2000 calls of MPI_Allgather of B bytes and of the native one, in turns of 50, after the
 *                         others came late by PATTERN (none, rank, node, ramp, random) by as much as a native call
 *                         takes. Rank 0 prints us a call of both, without the lateness */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { LONGEST = 4096, ROUNDS = 220 };

static int rank, ranks;
static int send[LONGEST * 32], receive[LONGEST * 32], counts[32], places[32];

static void wait_for(double seconds)
{
    for (double start = MPI_Wtime(); MPI_Wtime() - start < seconds;)
        ;
}

/* What rank r has at element i of a call. */
static int value(int r, int i, int call)
{
    return r * 7919 + i * 31 + call;
}

static bool gathered(int n, int call)
{
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < n; i++)
            if (receive[r * n + i] != value(r, i, call))
                return false;
    return true;
}

/* Sums of all ranks for elements from `first` on. */
static bool summed(int first, int n, int call)
{
    for (int i = 0; i < n; i++) {
        int sum = 0;
        for (int r = 0; r < ranks; r++)
            sum += value(r, first + i, call);
        if (receive[i] != sum)
            return false;
    }
    return true;
}

/* From rank r: its elements rank * n and on. */
static bool exchanged(int n, int call)
{
    for (int r = 0; r < ranks; r++)
        for (int i = 0; i < n; i++)
            if (receive[r * n + i] != value(r, rank * n + i, call))
                return false;
    return true;
}

static bool one(int operation, int n, int call, MPI_Comm comm)
{
    int root = call / 3 % ranks;
    for (int i = 0; i < n * ranks; i++)
        send[i] = value(rank, i, call);
    memset(receive, -1, sizeof *receive * (size_t)(n * ranks));
    for (int r = 0; r < ranks; r++) {
        counts[r] = n;
        places[r] = r * n;
    }
    switch (operation) {
    case 0: MPI_Allgather(send, n, MPI_INT, receive, n, MPI_INT, comm); return gathered(n, call);
    case 1: MPI_Allgatherv(send, n, MPI_INT, receive, counts, places, MPI_INT, comm); return gathered(n, call);
    case 2: MPI_Allreduce(send, receive, n, MPI_INT, MPI_SUM, comm); return summed(0, n, call);
    case 3: MPI_Alltoall(send, n, MPI_INT, receive, n, MPI_INT, comm); return exchanged(n, call);
    case 4:
        MPI_Alltoallv(send, counts, places, MPI_INT, receive, counts, places, MPI_INT, comm);
        return exchanged(n, call);
    case 5: MPI_Barrier(comm); return true;
    case 6:
        if (rank == root)
            memcpy(receive, send, sizeof *send * (size_t)n);
        MPI_Bcast(receive, n, MPI_INT, root, comm);
        for (int i = 0; i < n; i++)
            if (receive[i] != value(root, i, call))
                return false;
        return true;
    case 7: MPI_Reduce(send, receive, n, MPI_INT, MPI_SUM, root, comm); return rank != root || summed(0, n, call);
    case 8: MPI_Reduce_scatter(send, receive, counts, MPI_INT, MPI_SUM, comm); return summed(rank * n, n, call);
    default: MPI_Reduce_scatter_block(send, receive, n, MPI_INT, MPI_SUM, comm); return summed(rank * n, n, call);
    }
}

static int check(void)
{
    static const int sizes[][2] = {{1, 1}, {300, 40}, {4096, 4096}};
    MPI_Comm other;
    int bad = 0, worst = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, -rank, &other);
    srand((unsigned)rank + 1);
    for (int operation = 0; operation < 10; operation++)
        for (int size = 0; size < 3; size++)
            for (int call = 0; call < ROUNDS; call++) {
                if (rand() % 16 == 0)
                    wait_for(1e-6 * (rand() % 100));
                if (!one(operation, sizes[size][call % 2], call, MPI_COMM_WORLD) && !bad)
                    bad = 1 + operation;
                if (call % 16 == 0)
                    MPI_Barrier(rank ? other : MPI_COMM_WORLD), rank ? MPI_Barrier(MPI_COMM_WORLD) : 0;
            }
    NATIVE(Allreduce)(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf(worst ? "wrong: operation %d\n" : "ok\n", worst - 1);
    MPI_Comm_free(&other);
    return worst != 0;
}

/* Sums of `n` numbers a rank by `operation`. */
static void sum(int operation, const double *from, double *to, int n)
{
    for (int r = 0; r < ranks; r++)
        counts[r] = n / ranks;
    switch (operation) {
    case 0: MPI_Allreduce(from, to, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
    case 1: MPI_Reduce_scatter(from, to, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); break;
    default: MPI_Reduce_scatter_block(from, to, n / ranks, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

static int sums(void)
{
    enum { SIZES = 4, MOST = 40000 };
    static const int sizes[SIZES] = {60, 1200, 6000, MOST};
    static double from[MOST], to[MOST], first[MOST];
    int bad = 0, worst = 0;
    srand((unsigned)rank + 1);
    for (int i = 0; i < MOST; i++)
        from[i] = 0.1 + rand() / 1e6;
    for (int operation = 0; operation < 3; operation++)
        for (int size = 0; size < SIZES; size++)
            for (int call = 0; call < ROUNDS; call++) {
                sum(operation, from, to, sizes[size]);
                if (call == 0)
                    memcpy(first, to, sizeof first);
                bad |= memcmp(first, to, sizeof first) != 0;
            }
    NATIVE(Allreduce)(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        puts(worst ? "wrong" : "ok");
    return worst != 0;
}

static double lateness(const char *pattern, double delay)
{
    if (!strcmp(pattern, "rank"))
        return rank == ranks / 2 ? delay : 0;
    if (!strcmp(pattern, "node"))
        return rank < ranks / 4 ? delay : 0;
    if (!strcmp(pattern, "ramp"))
        return delay * rank / ranks;
    return !strcmp(pattern, "random") ? delay * rand() / RAND_MAX : 0;
}

static double turn(int (*gather)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm), int bytes,
                   const char *pattern, double delay, char *from, char *to)
{
    double start = MPI_Wtime();
    for (int i = 0; i < 50; i++) {
        double late = lateness(pattern, delay);
        if (late > 0)
            wait_for(late);
        gather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - start;
}

static void time_both(int bytes, const char *pattern)
{
    char *from = calloc(1, (size_t)bytes), *to = malloc((size_t)bytes * (size_t)ranks);
    double guarded = 0, native = 0, delay = 0;
    if (!from || !to)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < 4; i++)
        delay = turn(NATIVE(Allgather), bytes, "none", 0, from, to) / 50;
    NATIVE(Bcast)(&delay, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int i = 0; i < 40; i++) {
        guarded += turn(MPI_Allgather, bytes, pattern, delay, from, to);
        native += turn(NATIVE(Allgather), bytes, pattern, delay, from, to);
    }
    if (rank == 0)
        printf("%d bytes, late: %s, MPI_Allgather %.2f us, natively %.2f us, ratio %.3f\n", bytes, pattern,
               guarded * 500, native * 500, guarded / native);
    free(from);
    free(to);
}

int main(int argc, char **argv)
{
    int failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 4)
        time_both(atoi(argv[2]), argv[3]);
    else
        failed = argc == 2 && !strcmp(argv[1], "sums") ? sums() : check();
    MPI_Finalize();
    return failed;
}
