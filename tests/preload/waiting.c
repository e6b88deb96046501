/* How fast a rank answers others while it waits in a collective (docs/measurements/progress.md).
 *
 *   mpirun -np N -x LD_PRELOAD=src/.libs/libtopompi.so tests/preload/waiting [FORM] [ROUNDS] [MEASURE]...
 *
 * Rank 0 waits in FORM (barrier, bcast, allreduce, allgather, long: an all-reduce of 1 MiB), in turn in that of MPI
 * itself, which the profiling interface names, and in that of the library; so what else runs here slows both alike.
 * Rank 1 asks something of rank 0 and then joins, and the ranks after it wait as rank 0 does; measures with `all` in
 * their names: all ranks but 0 ask. Lines: the median and the least of all requests, us, in MPI's own and in the
 * library's waiting, and the library's over MPI's of either. Without the library both are MPI's own: that shows what
 * of the ratios is noise. Not a test: nothing here can fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#include "common/native.h"

enum { BURST = 20, LONG = 1 << 20, MANY = 64 << 10, STREAM = 16, ROW = 400, PAUSE_US = 3000 };

static int rank, ranks, pairs; /* pairs: messages to rank 0 in a round, from each rank that asks */
static char *buffer, *stream;
static double *from, *to; /* for the collectives: LONG bytes */
static char *blocks;
static MPI_Win window;
static int *memory;
static MPI_Request *pending;

static void compute(long turns)
{
    static volatile double result;
    double x = 1;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    result = x;
    (void)result;
}

static void ssend(int bytes)
{
    MPI_Ssend(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void ssend_short(int i)
{
    (void)i;
    ssend(8);
}

static void ssend_long(int i)
{
    (void)i;
    ssend(MANY);
}

static void send_all(int i)
{
    (void)i;
    for (int k = 0; k < STREAM; k++)
        MPI_Send(buffer, LONG, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
}

static void fetch(int i)
{
    int one = 1, old;
    (void)i;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Fetch_and_op(&one, &old, MPI_INT, 0, 0, MPI_SUM, window);
    MPI_Win_unlock(0, window);
}

static void get(int i)
{
    int value;
    (void)i;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&value, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static void put(int i)
{
    int value = i;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(&value, 1, MPI_INT, 0, 2, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
}

static long turns; /* of compute() */

/* Some 300 us of work, then a short message: the whole step counts. */
static void step(int i)
{
    compute(turns);
    ssend_short(i);
}

/* Some 30 ms of work and no request: what the others' waiting costs it. */
static void work(int i)
{
    (void)i;
    compute(100 * turns);
}

/* One request after a pause that leaves the processors to the others. */
static void lone(int i)
{
    ssend_short(i);
}

struct measure {
    const char *name;
    void (*ask)(int i);
    int requests, messages; /* in a round; messages: of each request, that rank 0 receives */
    int bytes;              /* of a message */
    int all;                /* all ranks but 0 ask */
};

static const struct measure measures[] = {
    {"ssend", ssend_short, BURST, 1, 8, 0},
    {"ssend-long", ssend_long, BURST, 1, MANY, 0},
    {"stream", send_all, 1, STREAM, LONG, 0},
    {"fetch", fetch, BURST, 0, 0, 0},
    {"get", get, BURST, 0, 0, 0},
    {"put", put, BURST, 0, 0, 0},
    {"fetch-all", fetch, BURST, 0, 0, 1},
    {"ssend-all", ssend_short, BURST, 1, 8, 1},
    {"step", step, BURST, 1, 8, 0},
    {"lone", lone, 1, 1, 8, 0},
    {"work", work, 1, 0, 0, 0},
    {"work-all", work, 1, 0, 0, 1},
    {"row", NULL, 1, 0, 0, 0},
};

/* The collective that the others wait in; the library's where `ours`. */
static void meet(const char *form, int ours)
{
    MPI_Comm world = MPI_COMM_WORLD;
    if (!strcmp(form, "bcast"))
        (ours ? MPI_Bcast : NATIVE(Bcast))(from, 1024, MPI_CHAR, 1, world);
    else if (!strcmp(form, "allreduce"))
        (ours ? MPI_Allreduce : NATIVE(Allreduce))(from, to, 1, MPI_DOUBLE, MPI_SUM, world);
    else if (!strcmp(form, "allgather"))
        (ours ? MPI_Allgather : NATIVE(Allgather))(from, 64, MPI_CHAR, blocks, 64, MPI_CHAR, world);
    else if (!strcmp(form, "long"))
        (ours ? MPI_Allreduce : NATIVE(Allreduce))(from, to, LONG / 8, MPI_DOUBLE, MPI_SUM, world);
    else
        (ours ? MPI_Barrier : NATIVE(Barrier))(world);
}

static void post(const struct measure *measure)
{
    int k = 0;
    for (int source = 1; source < (measure->all ? ranks : 2); source++)
        for (int i = 0; i < measure->requests * measure->messages; i++, k++)
            MPI_Irecv(stream + (size_t)(k % STREAM) * LONG, measure->bytes, MPI_CHAR, source, 0, MPI_COMM_WORLD,
                      &pending[k]);
    pairs = k;
}

/* Calls of FORM in a row by all ranks: seconds of one. */
static double row(const char *form, int ours)
{
    NATIVE(Barrier)(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    for (int i = 0; i < ROW; i++)
        meet(form, ours);
    return (MPI_Wtime() - start) / ROW;
}

/* One round; the asking ranks put the seconds of their requests into `took`. */
static void go(const struct measure *measure, const char *form, int ours, double *took)
{
    pairs = 0;
    if (!measure->ask) {
        *took = row(form, ours);
        return;
    }
    if (rank == 0)
        post(measure);
    NATIVE(Barrier)(MPI_COMM_WORLD);
    if (rank > 0 && (measure->all || rank == 1)) {
        usleep(PAUSE_US);
        for (int i = 0; i < measure->requests; i++) {
            double start = MPI_Wtime();
            measure->ask(i);
            took[i] = MPI_Wtime() - start;
        }
    }
    meet(form, ours);
    MPI_Waitall(pairs, pending, MPI_STATUSES_IGNORE);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure_one(const struct measure *measure, const char *form, int rounds)
{
    int each = rounds * measure->requests, askers = measure->all ? ranks - 1 : 1;
    double *took[2];
    for (int ours = 0; ours < 2; ours++)
        took[ours] = calloc((size_t)each * (size_t)ranks, sizeof(double));
    for (int i = 0; i < 2 * rounds; i++) /* the order within a pair of rounds changes */
        go(measure, form, (i + i / 2) % 2, took[(i + i / 2) % 2] + i / 2 * measure->requests);
    for (int ours = 0; ours < 2; ours++) {
        double *all = calloc((size_t)each * (size_t)ranks, sizeof *all);
        NATIVE(Gather)(took[ours], each, MPI_DOUBLE, all, each, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        memmove(took[ours], all + each, (size_t)each * (size_t)askers * sizeof *all); /* those of rank 1 and so on */
        qsort(took[ours], (size_t)each * (size_t)askers, sizeof *all, ascending);
        free(all);
    }
    size_t middle = (size_t)each * (size_t)askers / 2;
    if (rank == 0)
        printf("%-10s %-10s %2d ranks: MPI %9.1f (%8.1f)  library %9.1f (%8.1f)  ratio %6.2f (%6.2f)\n", form,
               measure->name, ranks, took[0][middle] * 1e6, took[0][0] * 1e6, took[1][middle] * 1e6, took[1][0] * 1e6,
               took[1][middle] / took[0][middle], took[1][0] / took[0][0]);
    fflush(stdout);
    free(took[0]);
    free(took[1]);
}

static int wanted(const char *name, int argc, char **argv)
{
    for (int i = 3; i < argc; i++)
        if (!strcmp(argv[i], name))
            return 1;
    return argc < 4;
}

static void prepare(const char *form)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    buffer = calloc(LONG, 1);
    stream = calloc(LONG, STREAM);
    from = calloc(LONG, 1);
    to = calloc(LONG, 1);
    blocks = calloc(64, (size_t)ranks);
    pending = calloc((size_t)BURST * (size_t)ranks, sizeof *pending);
    MPI_Win_allocate(64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 64);
    for (int i = 0; i < 300; i++) /* what the library learns from the first calls is learned here */
        meet(form, 1);
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    compute(1000000);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    turns = (long)(300e3 * 1e6 / ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)));
}

int main(int argc, char **argv)
{
    const char *form = argc > 1 ? argv[1] : "barrier";
    int rounds = argc > 2 ? atoi(argv[2]) : 30;
    MPI_Init(&argc, &argv);
    prepare(form);
    for (size_t i = 0; i < sizeof measures / sizeof *measures && ranks > 1 && rounds > 0; i++)
        if (wanted(measures[i].name, argc, argv))
            measure_one(&measures[i], form, rounds);
    MPI_Win_free(&window);
    free(buffer);
    free(stream);
    free(from);
    free(to);
    free(blocks);
    free(pending);
    MPI_Finalize();
    return 0;
}
