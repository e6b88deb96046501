/* An ordinary MPI program: it times MPI_Allgather over a range of message sizes
 * and knows nothing of the library that may be preloaded under it.
 * usage: allgather_time [BYTES...]; prints "BYTES MICROSECONDS" a line, the
 * median over batches of the slowest rank's time per call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES = 5 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Time per call over `calls` calls, of the slowest rank, on every rank. */
static double batch(const char *mine, char *all, int bytes, int calls)
{
    double slowest;
    MPI_Barrier(MPI_COMM_WORLD);
    double spent = -MPI_Wtime();
    for (int i = 0; i < calls; i++)
        MPI_Allgather(mine, bytes, MPI_CHAR, all, bytes, MPI_CHAR, MPI_COMM_WORLD);
    spent += MPI_Wtime();
    MPI_Allreduce(&spent, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest / calls;
}

static void fill(char *buffer, int bytes, int rank)
{
    for (int i = 0; i < bytes; i++)
        buffer[i] = (char)(rank * 31 + i * 7 + bytes);
}

/* Ends the job when a rank has received anything but every rank's block in order. */
static void verify(const char *all, char *expected, int bytes, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        fill(expected, bytes, rank);
        if (memcmp(all + (size_t)rank * (size_t)bytes, expected, (size_t)bytes) != 0) {
            fprintf(stderr, "allgather_time: wrong data from rank %d at %d bytes\n", rank, bytes);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

static void measure(int bytes, int rank, int ranks)
{
    size_t block = bytes > 0 ? (size_t)bytes : 1;
    char *mine = malloc(block), *expected = malloc(block), *all = calloc((size_t)ranks, block);
    double times[BATCHES];
    if (!mine || !expected || !all) {
        fprintf(stderr, "allgather_time: out of memory for %d bytes from each of %d ranks\n", bytes, ranks);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    fill(mine, bytes, rank);
    batch(mine, all, bytes, 1);
    verify(all, expected, bytes, ranks);
    /* As many calls as fill 50 ms, the same on every rank. */
    int calls = (int)(0.05 / (batch(mine, all, bytes, 2) + 1e-7));
    calls = calls < 2 ? 2 : calls > 2000 ? 2000 : calls;
    for (int i = 0; i < BATCHES; i++)
        times[i] = batch(mine, all, bytes, calls);
    verify(all, expected, bytes, ranks);
    qsort(times, BATCHES, sizeof *times, compare);
    if (rank == 0) {
        printf("%d %.2f\n", bytes, times[BATCHES / 2] * 1e6);
        fflush(stdout);
    }
    free(mine);
    free(expected);
    free(all);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {8, 64, 512, 4096, 16384, 65536, 262144};
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        for (int i = 1; i < argc; i++)
            measure(atoi(argv[i]), rank, ranks);
    else
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            measure(sizes[i], rank, ranks);
    MPI_Finalize();
    return 0;
}
