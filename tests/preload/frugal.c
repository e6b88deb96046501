/* An MPI program that knows nothing of TopoMPI: long collectives on some communicators, then it takes memory of its
 * own, as it could if nobody else had taken any. Usage: frugal COMMUNICATORS burst | window MIB | memory MIB | wait
 * FILE
 *
 * burst: so many messages that wait for their receives that MPI needs more memory in /dev/shm than it had; window: node
 * memory by MPI_Win_allocate_shared, in each rank; memory: by malloc(); wait: until FILE, which it makes, is gone. Rank
 * 0 prints "free KIB", of /dev/shm after the collectives, "peak KIB", most addresses of any rank, and "ok". */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <mpi.h>

enum { INTS = 1 << 18, MIB = 1 << 20 };

static int rank, ranks;

static int collectives(int communicators)
{
    int wrong = 0, *in = calloc(INTS, sizeof *in), *out = calloc(INTS, sizeof *out);
    for (int i = 0; i < INTS; i++)
        in[i] = i % 1000 + rank;
    for (int k = 0; k < communicators; k++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < 3; call++) {
            MPI_Bcast(in, 1, MPI_INT, 0, comm);
            MPI_Allreduce(in, out, INTS, MPI_INT, MPI_SUM, comm);
            wrong += out[INTS - 1] != (INTS - 1) % 1000 * ranks + ranks * (ranks - 1) / 2;
            MPI_Allgather(in + 1, INTS / ranks / 4, MPI_INT, out, INTS / ranks / 4, MPI_INT, comm);
            for (int i = 0; i < ranks; i++)
                wrong += out[i * (INTS / ranks / 4)] != 1 + i;
            memset(out, 0, INTS / ranks * sizeof *out);
            if (rank == 1)
                memcpy(out, in, INTS / ranks * sizeof *out);
            MPI_Bcast(out, INTS / ranks, MPI_INT, 1, comm);
            wrong += out[1] != 2;
        }
    }
    free(in);
    free(out);
    return wrong;
}

static int burst(void)
{
    enum { MESSAGES = 800, BYTES = 3900 };
    int wrong = 0, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
    MPI_Request *request = calloc(2 * MESSAGES, sizeof *request);
    char *out = malloc((size_t)MESSAGES * BYTES), *in = calloc(MESSAGES, BYTES);
    memset(out, rank + 1, (size_t)MESSAGES * BYTES);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Isend(out + (size_t)i * BYTES, BYTES, MPI_BYTE, next, 5, MPI_COMM_WORLD, &request[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Irecv(in + (size_t)i * BYTES, BYTES, MPI_BYTE, last, 5, MPI_COMM_WORLD, &request[MESSAGES + i]);
    MPI_Waitall(2 * MESSAGES, request, MPI_STATUSES_IGNORE);
    for (size_t i = 0; i < (size_t)MESSAGES * BYTES; i++)
        wrong += in[i] != last + 1;
    free(request);
    free(out);
    free(in);
    return wrong;
}

static int window(size_t bytes)
{
    MPI_Win win;
    char *base;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) != MPI_SUCCESS)
        return 1;
    memset(base, 1, bytes);
    MPI_Win_free(&win);
    return 0;
}

static int memory(size_t bytes)
{
    char *block = malloc(bytes);
    if (!block)
        return 1;
    memset(block, 1, bytes);
    free(block);
    return 0;
}

static int wait_for(const char *path)
{
    if (rank == 0)
        close(open(path, O_CREAT | O_WRONLY, 0600));
    MPI_Barrier(MPI_COMM_WORLD);
    while (access(path, F_OK) == 0)
        usleep(20000);
    return 0;
}

static long peak(void)
{
    char line[256];
    long kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmPeak: %ld", &kib) != 1)
        ;
    if (file)
        fclose(file);
    return kib;
}

int main(int argc, char **argv)
{
    int wrong, all = 0;
    struct statvfs space;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || ranks < 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    size_t bytes = argc > 3 ? (size_t)atoi(argv[3]) * MIB : 0;
    wrong = collectives(atoi(argv[1]));
    long free_kib = statvfs("/dev/shm", &space) == 0 ? (long)(space.f_bavail * (space.f_frsize / 1024)) : -1, most = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(argv[2], "shared"))
        wrong += burst() + window(bytes);
    else if (!strcmp(argv[2], "memory"))
        wrong += memory(bytes);
    else if (argc > 3)
        wrong += wait_for(argv[3]);
    long own = peak();
    MPI_Reduce(&own, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("free %ld\npeak %ld\n%s\n", free_kib, most, all ? "wrong" : "ok");
    MPI_Finalize();
    return 0;
}
