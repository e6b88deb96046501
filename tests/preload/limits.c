/* An MPI program that knows nothing of TopoMPI: sets a limit on what a process may have, in all ranks or in the last
 * one alone, then calls every operation with short and long vectors and compares; with limits on files no rank may have
 * got any segment since. Usage: limits LIMIT all|one; LIMIT: none (set from outside), file (how long), files (how
 * many), memory, stack (of the thread that calls MPI, in all ranks); after: none, and a long call leaves no more memory
 * taken than before. Prints "ok" on rank 0, else what is wrong. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <mpi.h>

enum {
    CALLS = 6,
    LONGEST = 20000,
    MEMORY = 4 << 20, /* several times what native calls need */
    STACK = 48 << 10  /* three times what MPI_Init needs */
};

static int rank, ranks;
static int *out, *in, *counts, *places;

/* Bytes of this process: all, or those that it shares with nobody and may write. */
static rlim_t used(int own)
{
    long all = 0, data = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %*d %*d %*d %*d %ld", &all, &data) != 2)
        all = data = 0;
    if (file)
        fclose(file);
    return (rlim_t)(own ? data : all) * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Of these, bytes that are anybody's who needs memory. */
static rlim_t lent(void)
{
    char line[512];
    unsigned long kilobytes = 0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "LazyFree: %lu", &kilobytes) != 1)
        ;
    if (file)
        fclose(file);
    return (rlim_t)kilobytes << 10;
}

/* Elements with gaps, which the library packs. */
static int leaves_memory(void)
{
    enum { ALL = 32 << 20, MOST = 24 << 20 };
    int count = ALL / (int)sizeof(int) / ranks;
    int *whole = calloc((size_t)count * (size_t)ranks, 2 * sizeof *whole);
    MPI_Datatype type;
    if (!whole)
        return 1;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof *whole, &type);
    MPI_Type_commit(&type);
    rlim_t before = used(1);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, whole, count, type, MPI_COMM_WORLD);
    rlim_t after = used(1) - lent();
    if (after > before + MOST)
        printf("rank %d: %lu bytes more\n", rank, (unsigned long)(after - before));
    MPI_Type_free(&type);
    free(whole);
    return after > before + MOST;
}

/* Segments of the library that are mapped. */
static int segments(void)
{
    char line[512];
    int count = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, "/memfd:topompi") || strstr(line, "/dev/shm/topompi-");
    if (file)
        fclose(file);
    return count;
}

static void restrict_to(int resource, rlim_t most)
{
    struct rlimit limit;
    getrlimit(resource, &limit);
    limit.rlim_cur = most;
    setrlimit(resource, &limit);
}

static int set(const char *what)
{
    if (!strcmp(what, "file")) {
        restrict_to(RLIMIT_FSIZE, 4095); /* a page is the shortest segment */
    } else if (!strcmp(what, "files")) {
        int next = open("/dev/null", O_RDONLY);
        restrict_to(RLIMIT_NOFILE, (rlim_t)next + 1);
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    } else if (!strcmp(what, "memory")) {
        restrict_to(RLIMIT_AS, used(0) + MEMORY);
    } else {
        return !strcmp(what, "none") || !strcmp(what, "stack") || !strcmp(what, "after");
    }
    return 1;
}

/* Every operation once, `count` ints for each rank, on `comm`; returns how many were wrong. */
static int calls(int count, MPI_Comm comm)
{
    int wrong = 0, all = count * ranks, sum = ranks * (ranks - 1) / 2;
    for (int i = 0; i < ranks; i++) {
        counts[i] = count;
        places[i] = i * count;
    }
    for (int i = 0; i < all; i++)
        out[i] = rank + i / count * 1000;
    wrong += MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm) != MPI_SUCCESS || in[all - 1] != ranks - 1;
    wrong += MPI_Allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, comm) != MPI_SUCCESS ||
             in[all - 1] != ranks - 1;
    wrong += MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm) != MPI_SUCCESS ||
             in[all - 1] != ranks - 1 + rank * 1000;
    wrong += MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm) != MPI_SUCCESS ||
             in[all - 1] != ranks - 1 + rank * 1000;
    wrong += MPI_Allreduce(out, in, all, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS ||
             in[all - 1] != sum + ranks * (ranks - 1) * 1000;
    wrong += MPI_Reduce(out, in, count, MPI_INT, MPI_SUM, ranks - 1, comm) != MPI_SUCCESS ||
             (rank == ranks - 1 && in[count - 1] != sum);
    wrong += MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS ||
             in[count - 1] != sum + ranks * rank * 1000;
    wrong += MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS ||
             in[count - 1] != sum + ranks * rank * 1000;
    in[count - 1] = rank;
    wrong += MPI_Bcast(in, count, MPI_INT, 1, comm) != MPI_SUCCESS || in[count - 1] != 1;
    wrong += MPI_Barrier(comm) != MPI_SUCCESS;
    return wrong;
}

static int job(int argc, char **argv)
{
    static const int sizes[] = {1, 3000, LONGEST};
    int wrong = 0, everywhere;
    MPI_Comm comm[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    size_t ints = (size_t)LONGEST * (size_t)ranks;
    out = calloc(ints, sizeof *out);
    in = calloc(ints, sizeof *in);
    counts = calloc((size_t)ranks, sizeof *counts);
    places = calloc((size_t)ranks, sizeof *places);
    if (argc < 3 || !out || !in || !counts || !places)
        return 2;
    for (int i = 0; i < 3; i++) /* the first one has what it needs before there is a limit */
        wrong += calls(sizes[i], comm[0]);
    MPI_Barrier(MPI_COMM_WORLD);
    if ((strcmp(argv[2], "one") != 0 || rank == ranks - 1) && !set(argv[1]))
        return 2;
    int before = segments();
    for (int call = 0; call < CALLS; call++)
        wrong += calls(sizes[call % 3], comm[call / 3 % 2]);
    for (int call = 0; call < CALLS; call++)
        wrong += calls(sizes[call % 3], MPI_COMM_WORLD);
    if (!strncmp(argv[1], "file", 4) && segments() > before) {
        printf("rank %d: %d segments more\n", rank, segments() - before);
        wrong++;
    }
    if (!strcmp(argv[1], "after"))
        wrong += leaves_memory();
    MPI_Reduce(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf(everywhere ? "wrong: %d\n" : "ok\n", everywhere);
    fflush(stdout);
    MPI_Comm_free(&comm[0]);
    MPI_Comm_free(&comm[1]);
    MPI_Finalize();
    return 0;
}

struct arguments {
    int argc;
    char **argv;
    int status;
};

static void *job_of(void *context)
{
    struct arguments *arguments = context;
    arguments->status = job(arguments->argc, arguments->argv);
    return NULL;
}

int main(int argc, char **argv)
{
    struct arguments arguments = {argc, argv, 2};
    pthread_attr_t attributes;
    pthread_t thread;
    if (argc < 2 || strcmp(argv[1], "stack") != 0) {
        job_of(&arguments);
    } else if (pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0 &&
               pthread_create(&thread, &attributes, job_of, &arguments) == 0) {
        pthread_join(thread, NULL);
    }
    return arguments.status;
}
