/* An MPI program whose calls the library may measure the machine in (TOPOMPI_MEASURE).
 *
 *   measure SECONDS [dup|limited|away|locale]   sums and barriers for so long by rank 0's clock, on MPI_COMM_WORLD or a
 * copy of it; then, in further communicators, sums of floating-point numbers and all-gathers. Every result is looked
 * at. Rank 0 prints "ok", or "wrong". limited: no file may be longer than 100 bytes; away: 400 sums at least, and after
 * MPI_Init the working directory is another; locale: it has that of the environment. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "common/native.h"

static int rank, ranks, bad;

static void sum(MPI_Comm comm, int value)
{
    int result = -1;
    MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm);
    bad |= result != value * ranks;
}

static void further(MPI_Comm of)
{
    MPI_Comm comm;
    static double send[2000], receive[2000 * 64];
    MPI_Comm_dup(of, &comm);
    for (int i = 0; i < 2000; i++)
        send[i] = rank + i;
    for (int call = 0; call < 40; call++) {
        int count = call % 2 ? 2000 : 3;
        MPI_Allreduce(send, receive, count, MPI_DOUBLE, MPI_SUM, comm);
        for (int i = 0; i < count; i++)
            bad |= receive[i] != (double)ranks * i + ranks * (ranks - 1) / 2.0;
        MPI_Allgather(send, count, MPI_DOUBLE, receive, count, MPI_DOUBLE, comm);
        for (int r = 0; r < ranks; r++)
            bad |= receive[r * count + count - 1] != r + count - 1;
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    int calls = 0, least = 0, worst = 0, more = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (argc > 2 && !strcmp(argv[2], "dup"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (argc > 2 && !strcmp(argv[2], "limited") &&
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 100, .rlim_max = RLIM_INFINITY}) != 0)
        return 2;
    if (argc > 2 && !strcmp(argv[2], "away")) {
        least = 400; /* what is learnt is through, however slow the host is */
        if (chdir("/") != 0)
            return 2;
    }
    if (argc > 2 && !strcmp(argv[2], "locale") && !setlocale(LC_ALL, ""))
        return 2;
    double start = MPI_Wtime();
    while (more) {
        sum(comm, ++calls);
        MPI_Barrier(comm);
        nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
        if (calls % 16 == 0) {
            more = calls < least || MPI_Wtime() - start < seconds;
            MPI_Bcast(&more, 1, MPI_INT, 0, comm);
        }
    }
    further(MPI_COMM_WORLD);
    if (comm != MPI_COMM_WORLD)
        MPI_Comm_free(&comm);
    NATIVE(Allreduce)(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf(worst ? "wrong\n" : "ok\n");
    MPI_Finalize();
    return worst;
}
