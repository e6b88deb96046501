/* An MPI program that knows nothing of TopoMPI: a rank that is lost, and calls where something is missing. Usage:
 *
 *   faults lose WAY PHASE OPERATION VICTIM
 *       rank VICTIM goes by WAY: kill (SIGKILL), stop (SIGSTOP), abort (MPI_Abort), exit (with 3), leave (exit with 0),
 *       both without MPI_Finalize; in PHASE: first (before the first use), row (in the middle of calls of OPERATION),
 *       waiting (while the others are in such a call), constructor, finalize (while the others are there), or N (after
 * so many microseconds of calls and constructors, by SIGALRM whatever WAY says) faults calls [fill PATH | remove PATH]
 *       every operation, short and long, on three communicators made one after the other. Before the second one rank 0
 *       fills the file system of PATH by a file of that name, which goes before the third; or removes PATH after
 *       MPI_Init, with what it holds
 *
 * `calls` prints "ok" on rank 0, or "wrong" and how many values were. Further arguments are not looked at. */
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <mpi.h>

#include "operations.h"

static int rank, ranks;

static int operation_of(const char *name)
{
    for (int i = 0; i < OPERATIONS; i++)
        if (!strcmp(operation_name(i), name))
            return i;
    MPI_Abort(MPI_COMM_WORLD, 2);
    return -1;
}

static void go(const char *way)
{
    if (!strcmp(way, "kill"))
        kill(getpid(), SIGKILL);
    else if (!strcmp(way, "stop"))
        kill(getpid(), SIGSTOP);
    else if (!strcmp(way, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 9);
    exit(!strcmp(way, "exit") ? 3 : 0);
}

/* The victim comes so much later that the others are where it will never be; nothing depends on it but what is seen. */
static void let_others_wait(void)
{
    usleep(150000);
}

static void row(int operation, MPI_Comm comm, int calls)
{
    static const int sizes[] = {1, 100, 5000, 3, 40000};
    for (int i = 0; i < calls; i++)
        operation_call(operation, sizes[i % 5], (unsigned)i, comm, NULL);
}

/* Communicators and calls until the timer ends one rank. */
static void until_gone(long microseconds, int victim)
{
    struct itimerval timer = {.it_value = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000}};
    if (rank == victim)
        setitimer(ITIMER_REAL, &timer, NULL);
    for (int round = 0;; round++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int i = 0; i < OPERATIONS; i++)
            row((round + i) % OPERATIONS, comm, 5);
        MPI_Comm_free(&comm);
    }
}

static int lose(char **argv)
{
    enum { BEFORE = 23, WITH_VICTIM = 7, FOR_EVER = 1 << 30 };
    const char *way = argv[0], *phase = argv[1];
    int operation = operation_of(argv[2]), victim = atoi(argv[3]), mine = rank == victim;
    MPI_Comm comm, other;
    if (*phase >= '0' && *phase <= '9')
        until_gone(atol(phase), victim);
    if (!strcmp(phase, "first") && mine)
        go(way);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    row(operation, comm, BEFORE);
    if (!strcmp(phase, "row")) {
        row(operation, comm, mine ? WITH_VICTIM : FOR_EVER);
    } else if (!strcmp(phase, "waiting")) {
        if (mine)
            let_others_wait();
        else
            row(operation, comm, FOR_EVER);
    } else if (!strcmp(phase, "constructor")) {
        if (mine)
            let_others_wait();
        else
            MPI_Comm_split(comm, rank % 2, 0, &other);
    } else if (!strcmp(phase, "finalize")) {
        if (mine)
            let_others_wait();
        else
            MPI_Finalize();
    } else if (!strcmp(phase, "first")) {
        row(operation, comm, FOR_EVER);
    }
    if (mine)
        go(way);
    return 0;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status, (void)type, (void)ftw;
    return remove(path);
}

/* What is free of the file system of `path`, down to its last page. */
static int fill(const char *path)
{
    static char page[4096];
    int file = open(path, O_CREAT | O_WRONLY, 0600);
    if (file < 0)
        return 1;
    while (write(file, page, sizeof page) > 0)
        ;
    close(file);
    return 0;
}

static int calls(int argc, char **argv)
{
    static const int sizes[] = {1, 3000, 1, 20000};
    int fills = argc > 1 && !strcmp(argv[0], "fill");
    long wrong = 0, everywhere = 0;
    if (argc > 1 && !strcmp(argv[0], "remove") && rank == 0)
        wrong += nftw(argv[1], remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0;
    for (int step = 0; step < 3; step++) {
        MPI_Comm comm;
        MPI_Barrier(MPI_COMM_WORLD);
        if (fills && step > 0 && rank == 0)
            wrong += step == 1 ? fill(argv[1]) : unlink(argv[1]) != 0;
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int size = 0; size < 4; size++)
            for (int i = 0; i < OPERATIONS; i++)
                wrong += operation_call(i, sizes[size], (unsigned)(i + size), comm, NULL);
        if (step == 2)
            for (int i = 0; i < 200; i++) /* beyond the short calls that stay native */
                wrong += operation_call(i % OPERATIONS, 1, (unsigned)i, comm, NULL);
        MPI_Comm_free(&comm);
    }
    MPI_Reduce(&wrong, &everywhere, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "wrong: %ld\n" : "ok\n", everywhere);
    return everywhere != 0;
}

int main(int argc, char **argv)
{
    int code = 2;
    if (argc > 1 && !strcmp(argv[1], "no_mem"))
        return printf("%d\n", MPI_ERR_NO_MEM) < 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 5 && !strcmp(argv[1], "lose"))
        code = lose(argv + 2);
    else if (argc > 1 && !strcmp(argv[1], "calls"))
        code = calls(argc - 2, argv + 2);
    operation_free();
    return code;
}
