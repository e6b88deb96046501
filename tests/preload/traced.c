/* A program for traces: intervals, collectives, messages. "abort" as argument ends it early, "fork FILE" too, after a
 * child of each rank had intervals of its own; FILE is there then (what a rank says before an abort may be lost).
 * "long": more calls than one window of a trace holds, of short records and long ones, where no file may be longer. */
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void fork_child(void (*begin)(const char *, const char *, int), void (*end)(void), const char *file)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 1000; i++) {
            begin("a child's interval", __FILE__, __LINE__);
            end();
        }
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0 || creat(file, 0600) < 0)
        MPI_Abort(MPI_COMM_WORLD, 4);
}

/* Calls whose arguments are whatever they happen to be where MPI says that they are not significant. */
static void insignificant(int rank, int ranks)
{
    MPI_Datatype none;
    MPI_Comm half, other;
    int in[64] = {rank}, out[64], ones[64], at[64], local;
    memset(&none, 0, sizeof none);
    for (int i = 0; i < ranks; i++) {
        ones[i] = 1;
        at[i] = i;
    }
    if (rank == 0) {
        MPI_Gather(MPI_IN_PLACE, 5, none, out, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Gatherv(MPI_IN_PLACE, 5, none, out, ones, at, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatter(out, 1, MPI_INT, MPI_IN_PLACE, 5, none, 0, MPI_COMM_WORLD);
        MPI_Scatterv(out, ones, at, MPI_INT, MPI_IN_PLACE, 5, none, 0, MPI_COMM_WORLD);
    } else {
        MPI_Gather(in, 1, MPI_INT, NULL, 5, none, 0, MPI_COMM_WORLD);
        MPI_Gatherv(in, 1, MPI_INT, NULL, NULL, NULL, none, 0, MPI_COMM_WORLD);
        MPI_Scatter(NULL, 5, none, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Scatterv(NULL, NULL, NULL, none, in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    MPI_Allgather(MPI_IN_PLACE, 5, none, out, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 5, none, out, ones, at, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoall(MPI_IN_PLACE, 5, none, out, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, none, out, ones, at, MPI_INT, MPI_COMM_WORLD);
    if (ranks < 2)
        return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &other);
    MPI_Comm_rank(half, &local);
    if (rank % 2) { /* rank 0 of the other group is the root */
        MPI_Bcast(out, 1, MPI_INT, 0, other);
        MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, other);
        MPI_Gather(in, 1, MPI_INT, NULL, 5, none, 0, other);
        MPI_Gatherv(in, 1, MPI_INT, NULL, NULL, NULL, none, 0, other);
        MPI_Scatter(NULL, 5, none, in, 1, MPI_INT, 0, other);
        MPI_Scatterv(NULL, NULL, NULL, none, in, 1, MPI_INT, 0, other);
    } else {
        int root = local == 0 ? MPI_ROOT : MPI_PROC_NULL;
        MPI_Datatype type = local == 0 ? MPI_INT : none;
        MPI_Bcast(out, 1, MPI_INT, root, other); /* Open MPI asks about its type, and that of a sum, all the same */
        MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, root, other); /* MPICH refuses a null send buffer of the root */
        MPI_Gather(NULL, 5, none, out, 1, type, root, other);
        MPI_Gatherv(NULL, 5, none, out, ones, at, type, root, other);
        MPI_Scatter(out, 1, type, NULL, 5, none, root, other);
        MPI_Scatterv(out, ones, at, type, NULL, 5, none, root, other);
    }
    MPI_Comm_free(&other);
    MPI_Comm_free(&half);
}

static void fill_window(int ranks)
{
    /* Two records an iteration, of eleven bytes at least: longer than the limit however quick the calls are. */
    enum { CALLS = 80000, LIMIT = 3 << 19 };
    _Static_assert(CALLS * 2 * 11 > LIMIT, "the file is to reach its limit");
    int numbers[64] = {0}, got[64], ones[64], at[64];
    for (int i = 0; i < ranks; i++) {
        ones[i] = 1;
        at[i] = i;
    }
    if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = LIMIT, .rlim_max = RLIM_INFINITY}) != 0)
        MPI_Abort(MPI_COMM_WORLD, 5);
    for (int call = 0; call < CALLS; call++) {
        MPI_Alltoallv(numbers, ones, at, MPI_INT, got, ones, at, MPI_INT, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, ranks, counts[64];
    double block[64], all[64 * 64], sum;
    void (*begin)(const char *, const char *, int) =
        (void (*)(const char *, const char *, int))dlsym(RTLD_DEFAULT, "topompi_interval_begin");
    void (*end)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "topompi_interval_end");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > 64)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < 64; i++) {
        block[i] = rank;
        counts[i] = i;
    }
    if (begin)
        begin("main interval", __FILE__, __LINE__);
    for (int i = 0; i < 20; i++) {
        MPI_Allgather(block, 64, MPI_DOUBLE, all, 64, MPI_DOUBLE, MPI_COMM_WORLD);
        MPI_Allreduce(block, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Sendrecv(block, 8, MPI_DOUBLE, (rank + 1) % ranks, 0, all, 8, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Bcast(counts, 64, MPI_INT, i % ranks, MPI_COMM_WORLD);
    }
    if (argc > 2 && !strcmp(argv[1], "fork") && begin && end)
        fork_child(begin, end, argv[2]);
    if (argc > 1 && !strcmp(argv[1], "long"))
        fill_window(ranks);
    else if (argc > 1)
        MPI_Abort(MPI_COMM_WORLD, 3);
    insignificant(rank, ranks);
    if (end)
        end();
    for (int i = 0; i < 300 && begin; i++) /* more than are recorded */
        begin("deep", __FILE__, __LINE__);
    for (int i = 0; i < 300 && end; i++)
        end();
    MPI_Pcontrol(1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
