/* Programs that give a library little to win: few calls, pauses between them, communicators that do not live long.
 *
 *   mpirun -np N [-x LD_PRELOAD=src/.libs/libtopompi.so] tests/preload/brief few|pauses|comms|rows|steps [bytes]
 *
 *   few     one to ten calls on each of some communicators that stay
 *   pauses  calls with 5 ms of sleep between them, the time of the sleep not counted
 *   comms   communicators duplicated or split, used for one to ten calls and freed, again and again
 *   rows    200 rows of 20 allreduces with a barrier between; prints the mean of rank 0's calls, and the long ones
 *   steps   300 times some computing and an allreduce; prints the mean of a step for 0, 10, 40 and 100 us of computing
 *
 * For the others rank 0 prints the median over the rounds of the slowest rank's time, us. Not a test: nothing here can
 * fail; run it with and without the library in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "common/native.h"

enum { ROUNDS = 60 };

static char *from, *to;
static int bytes = 8, rank, ranks;

/* Seconds of one call: an allgather of `bytes`, or an allreduce of as many. */
static double call(MPI_Comm comm, int which)
{
    double start = MPI_Wtime();
    if (which % 2)
        MPI_Allreduce(from, to, (bytes + 7) / 8, MPI_LONG, MPI_SUM, comm);
    else
        MPI_Allgather(from, bytes, MPI_CHAR, to, bytes, MPI_CHAR, comm);
    return MPI_Wtime() - start;
}

static double few(int round)
{
    MPI_Comm comm;
    double seconds = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    NATIVE(Barrier)(comm);
    for (int i = 0; i < 1 + round % 10; i++)
        seconds += call(comm, i);
    return seconds; /* the communicator stays */
}

static double pauses(int round)
{
    usleep(5000);
    return call(MPI_COMM_WORLD, round);
}

static double comms(int round)
{
    MPI_Comm comm;
    double start = MPI_Wtime();
    if (round % 2)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    else
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    for (int i = 0; i < 1 + round / 2 % 10; i++)
        call(comm, i);
    MPI_Comm_free(&comm);
    return MPI_Wtime() - start;
}

static void rows(void)
{
    enum { ROWS = 200, CALLS = 20 };
    double sum = 0, longest = 0;
    int slow = 0;
    for (int i = 0; i < ROWS * CALLS; i++) {
        if (i % CALLS == 0)
            MPI_Barrier(MPI_COMM_WORLD);
        double seconds = call(MPI_COMM_WORLD, 1);
        sum += seconds;
        slow += seconds > 0.03;
        longest = seconds > longest ? seconds : longest;
    }
    if (rank == 0)
        printf("rows %d: mean %.1f us, %d calls of more than 30 ms, longest %.1f ms\n", bytes,
               sum / (ROWS * CALLS) * 1e6, slow, longest * 1e3);
}

static volatile double result;

static void compute(long turns)
{
    double x = 1;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    result = x;
}

/* Turns of compute() in a microsecond of a processor's time. */
static double turns_per_us(void)
{
    enum { TURNS = 2000000 };
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    compute(TURNS);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return TURNS / ((double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) * 1e-3);
}

static void steps(void)
{
    enum { STEPS = 300, WARM = 30 };
    static const int us[] = {0, 10, 40, 100};
    double rate = turns_per_us();
    for (int i = 0; i < WARM; i++)
        call(MPI_COMM_WORLD, 1);
    for (size_t k = 0; k < sizeof us / sizeof *us; k++) {
        NATIVE(Barrier)(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < STEPS; i++) {
            compute((long)(us[k] * rate));
            call(MPI_COMM_WORLD, 1);
        }
        if (rank == 0)
            printf("steps %d: %d us of computing, %.0f us a step\n", bytes, us[k], (MPI_Wtime() - start) / STEPS * 1e6);
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    double took[ROUNDS], slowest[ROUNDS], sum = 0;
    const char *mode = argc > 1 ? argv[1] : "few";
    double (*function)(int) = !strcmp(mode, "pauses") ? pauses : !strcmp(mode, "comms") ? comms : few;
    if (argc > 2)
        bytes = atoi(argv[2]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    from = calloc((size_t)bytes + 8, 1);
    to = calloc((size_t)bytes + 8, (size_t)ranks);
    NATIVE(Barrier)(MPI_COMM_WORLD);
    if (!strcmp(mode, "rows") || !strcmp(mode, "steps")) {
        if (!strcmp(mode, "rows"))
            rows();
        else
            steps();
        MPI_Finalize();
        return 0;
    }
    for (int round = 0; round < ROUNDS; round++)
        took[round] = function(round);
    NATIVE(Reduce)(took, slowest, ROUNDS, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    qsort(slowest, ROUNDS, sizeof *slowest, ascending);
    for (int round = 0; round < ROUNDS; round++)
        sum += slowest[round];
    if (rank == 0)
        printf("%s %d bytes: median %.1f, mean %.1f us a round\n", mode, bytes, slowest[ROUNDS / 2] * 1e6,
               sum / ROUNDS * 1e6);
    free(from);
    free(to);
    MPI_Finalize();
    return 0;
}
