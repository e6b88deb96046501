/* An MPI program that knows nothing of TopoMPI, for a long run: rounds in which communicators are made in several ways,
 * used with all taken operations while non-blocking traffic is pending, and freed in any order. About once a second,
 * when all but the lasting communicators are freed, every rank notes what it holds. Usage:
 *
 *   soak SECONDS FILE [SEED]
 *
 * FILE gets a line a rank and second (names in its first line). What a rank holds is flat when its mean in the last
 * third of the run is not above that in the middle third by more than `tolerance`. SOAK_TAGS, "OFFSET OFFSET", tells
 * where the preloaded library keeps its tag units (tests/soak sets it). Prints what failed and
 * "N passed, N failed, N skipped" on rank 0. */
#include <dirent.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "operations.h"

enum { LASTING = 3, POOL = 10, SAMPLES_LEAST = 30 };

enum metric { RSS, DESCRIPTORS, MAPPED, LIVE, CONTEXT, UNITS, METRICS };

/* What is sampled, and how much more the mean of the last third may be than that of the middle third: memory that the
 * MPI library and the C library come to keep differs by some hundred KiB between two looks; the rest is counted when
 * nothing but the lasting communicators is there. */
static const struct {
    const char *name;
    double tolerance;
} metrics[METRICS] = {
    {"rss_kib", 1024},      {"descriptors", 0.5}, {"mapped_segments", 0.5},
    {"live_segments", 0.5}, {"context_id", 0.5},  {"tag_units", 0.5},
};

static int rank, ranks;
static unsigned random_state;
static long wrong, calls, made;
static MPI_Comm lasting[LASTING], pool[POOL]; /* MPI_COMM_NULL: free, or not of this rank */
static int pooled[POOL];                      /* taken, on all ranks */
static int *processes;                        /* [ranks] */

/* The same numbers on all ranks. */
static unsigned draw(unsigned below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

static long count_names(const char *folder, int (*counts)(const char *))
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    long count = 0;
    while (directory && (entry = readdir(directory)))
        count += counts(entry->d_name);
    if (directory)
        closedir(directory);
    return count;
}

static int is_number(const char *name)
{
    return *name >= '0' && *name <= '9';
}

/* Segments that processes of this job have given a name. */
static int is_ours(const char *name)
{
    int process;
    if (sscanf(name, "topompi-%d-", &process) != 1)
        return 0;
    for (int i = 0; i < ranks; i++)
        if (processes[i] == process)
            return 1;
    return 0;
}

static long lines_with(const char *path, const char *word)
{
    char line[1024];
    long count = 0;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        count += strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return count;
}

static long rss_kib(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * sysconf(_SC_PAGESIZE) / 1024;
}

static int find_library(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    if (!strstr(info->dlpi_name, "libtopompi-core"))
        return 0;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;
}

/* Tag units in use in this process; -1: not to be found out. */
static long tag_units(void)
{
    const char *text = getenv("SOAK_TAGS");
    uintptr_t base = 0;
    unsigned long taken_at, units_at;
    long used = 0;
    if (!text || sscanf(text, "%lx %lx", &taken_at, &units_at) != 2 || !dl_iterate_phdr(find_library, &base))
        return -1;
    const unsigned char *taken = *(unsigned char **)(base + taken_at);
    int units = *(int *)(base + units_at);
    for (int i = 0; taken && i < units; i++)
        used += taken[i];
    return used;
}

/* The context id that a new communicator gets: Open MPI's handle in Fortran. */
static long context_id(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    long id = MPI_Comm_c2f(comm);
    MPI_Comm_free(&comm);
    return id;
}

static MPI_Comm make(MPI_Comm parent)
{
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Group all, some;
    int own, size, range[3];
    unsigned way = draw(6), parts = 1 + draw(3), first = draw(2);
    MPI_Comm_rank(parent, &own);
    MPI_Comm_size(parent, &size);
    switch (way) {
    case 0: MPI_Comm_dup(parent, &comm); break;
    case 1: MPI_Comm_split(parent, own % (int)parts, 0, &comm); break;
    case 2: MPI_Comm_split(parent, (unsigned)own < first ? MPI_UNDEFINED : 0, -own, &comm); break;
    case 3: MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, -own, MPI_INFO_NULL, &comm); break;
    case 4: {
        MPI_Request request;
        MPI_Comm_idup(parent, &comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    }
    default:
        range[0] = (int)first;
        range[1] = size - 1;
        range[2] = 1;
        MPI_Comm_group(parent, &all);
        MPI_Group_range_incl(all, size > (int)first, &range, &some);
        MPI_Comm_create(parent, some, &comm);
        MPI_Group_free(&all);
        MPI_Group_free(&some);
    }
    made++;
    return comm;
}

static void drop(int i)
{
    if (pool[i] != MPI_COMM_NULL)
        MPI_Comm_free(&pool[i]);
    pooled[i] = 0;
}

/* A row of calls on each of a few communicators; sizes 0 to 1 MiB for all ranks together, short ones more often. */
static void use(MPI_Comm comm)
{
    int row = 1 + (int)draw(draw(8) ? 12 : 200), size = 1, operation = (int)draw(OPERATIONS);
    unsigned ints = draw(5) == 0 ? draw(1 << (10 + draw(9))) : draw(1 << draw(9)), seed = draw(1000000);
    int mixed = draw(2) != 0;
    if (comm != MPI_COMM_NULL)
        MPI_Comm_size(comm, &size);
    if (ints > 4096 && row > 12)
        row = 12;
    for (int i = 0; i < row; i++) {
        int which = mixed ? (operation + i) % OPERATIONS : operation;
        if (comm == MPI_COMM_NULL)
            continue;
        long values = operation_call(which, (int)ints / size, seed + (unsigned)i, comm, NULL);
        if (values && !wrong)
            fprintf(stderr, "rank %d, after %ld communicators: call %d of %s, %d ints, %d ranks: %ld wrong values\n",
                    rank, made, i, operation_name(which), (int)ints / size, size, values);
        wrong += values;
        calls++;
    }
}

struct pending {
    MPI_Request requests[4];
    MPI_Comm comm;
    int own, size, came, sum, count;
};

static void begin(struct pending *pending, MPI_Comm comm)
{
    int tag = (int)draw(30000);
    *pending = (struct pending){.comm = comm, .came = -1};
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(comm, &pending->own);
    MPI_Comm_size(comm, &pending->size);
    int n = pending->size;
    MPI_Irecv(&pending->came, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &pending->requests[0]);
    MPI_Iallreduce(&pending->own, &pending->sum, 1, MPI_INT, MPI_SUM, comm, &pending->requests[1]);
    MPI_Ibarrier(comm, &pending->requests[2]);
    MPI_Isend(&pending->own, 1, MPI_INT, (pending->own + 1) % n, tag, comm, &pending->requests[3]);
    pending->count = 4;
}

static void end(struct pending *pending)
{
    if (!pending->count)
        return;
    MPI_Waitall(pending->count, pending->requests, MPI_STATUSES_IGNORE);
    int n = pending->size;
    wrong += pending->came != (pending->own + n - 1) % n || pending->sum != n * (n - 1) / 2;
}

static void one_round(void)
{
    struct pending pending;
    int fresh = (int)draw(POOL), last = (int)draw(LASTING), other = (int)draw(POOL), then = (int)draw(POOL);
    if (pooled[fresh])
        drop(fresh);
    pool[fresh] = make(lasting[last]);
    pooled[fresh] = 1;
    begin(&pending, pool[fresh]);
    use(pool[fresh]);
    if (pooled[other])
        use(pool[other]);
    use(lasting[last]);
    if (draw(4) == 0)
        drop(fresh); /* with traffic under way */
    end(&pending);
    if (pooled[then])
        drop(then);
}

static void sample(long *now)
{
    for (int i = 0; i < POOL; i++)
        if (pooled[i])
            drop(i);
    MPI_Barrier(MPI_COMM_WORLD);
    now[CONTEXT] = context_id();
    now[RSS] = rss_kib();
    now[DESCRIPTORS] = count_names("/proc/self/fd", is_number);
    now[MAPPED] = lines_with("/proc/self/maps", "/memfd:topompi") + lines_with("/proc/self/maps", "/dev/shm/topompi-");
    now[LIVE] = count_names("/dev/shm", is_ours);
    now[UNITS] = tag_units();
}

/* All samples of all ranks, on rank 0: [samples][ranks][METRICS]. */
static long *samples;
static int count;

static void keep(FILE *file, double seconds)
{
    long mine[METRICS];
    sample(mine);
    if (rank == 0)
        samples = realloc(samples, (size_t)(count + 1) * (size_t)ranks * sizeof mine);
    long *now = rank == 0 ? samples + (size_t)count * (size_t)ranks * METRICS : NULL;
    MPI_Gather(mine, METRICS, MPI_LONG, now, METRICS, MPI_LONG, 0, MPI_COMM_WORLD);
    count++;
    for (int i = 0; rank == 0 && i < ranks; i++) {
        fprintf(file, "%.1f,%d", seconds, i);
        for (int metric = 0; metric < METRICS; metric++)
            fprintf(file, ",%ld", now[i * METRICS + metric]);
        fprintf(file, ",%ld,%ld\n", made, calls);
    }
    if (rank == 0)
        fflush(file);
}

static double mean(int metric, int of, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += (double)samples[((size_t)i * (size_t)ranks + (size_t)of) * METRICS + (size_t)metric];
    return sum / (to - from);
}

/* On rank 0; returns how many checks failed. */
static int judge(long all_wrong)
{
    int passed = 0, failed = 0, skipped = 0;
    for (int metric = 0; metric < METRICS && count >= SAMPLES_LEAST; metric++) {
        for (int i = 0; i < ranks; i++) {
            double middle = mean(metric, i, count / 3, count * 2 / 3), last = mean(metric, i, count * 2 / 3, count);
            if (middle < 0) {
                skipped++;
                continue;
            }
            int good = last <= middle + metrics[metric].tolerance;
            passed += good;
            failed += !good;
            printf("%s %s of rank %d: middle third %.1f, last third %.1f, at most %.1f more\n", good ? "ok  " : "FAIL",
                   metrics[metric].name, i, middle, last, metrics[metric].tolerance);
        }
    }
    if (count < SAMPLES_LEAST)
        printf("FAIL %d samples, too few\n", count);
    if (all_wrong)
        printf("FAIL %ld wrong values\n", all_wrong);
    passed += (count >= SAMPLES_LEAST) + !all_wrong;
    failed += (count < SAMPLES_LEAST) + (all_wrong != 0);
    printf("%d communicators made, %ld calls, %d samples\n", (int)made, calls, count);
    printf("%d passed, %d failed, %d skipped\n", passed, failed, skipped);
    return failed;
}

static void begin_all(void)
{
    int process = (int)getpid();
    processes = calloc((size_t)ranks, sizeof *processes);
    MPI_Gather(&process, 1, MPI_INT, processes, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(processes, ranks, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &lasting[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &lasting[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &lasting[2]);
    for (int i = 0; i < POOL; i++)
        pool[i] = MPI_COMM_NULL;
}

int main(int argc, char **argv)
{
    double clock[2] = {0, 0}; /* now, next sample; as rank 0 has them */
    long all_wrong = 0;
    int failed = 0;
    MPI_Init(&argc, &argv);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double seconds = strtod(argv[1], NULL), start = MPI_Wtime();
    random_state = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
    FILE *file = rank == 0 ? fopen(argv[2], "w") : NULL;
    if (rank == 0 && !file)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (rank == 0)
        fprintf(file, "second,rank,rss_kib,descriptors,mapped_segments,live_segments,context_id,tag_units,"
                      "communicators_made,calls\n");
    begin_all();
    while (clock[0] < seconds) {
        one_round();
        clock[0] = MPI_Wtime() - start;
        MPI_Bcast(clock, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (clock[0] < clock[1])
            continue;
        keep(file, clock[0]);
        clock[1] = clock[0] + 1;
    }
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        failed = judge(all_wrong) != 0;
        fclose(file);
    }
    for (int i = 0; i < LASTING; i++)
        MPI_Comm_free(&lasting[i]);
    for (int i = 0; i < POOL; i++)
        if (pooled[i])
            drop(i);
    free(samples);
    free(processes);
    operation_free();
    MPI_Finalize();
    return failed;
}
