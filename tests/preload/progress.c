/* While a rank waits in a collective, others get from it what MPI promises them (MPI 3.1, sections 3.5 and 11.7.3).
 *
 *   mpirun -np N tests/preload/progress [threads|sparse]
 *
 * In every collective all ranks but the last wait; the last one joins only when rank 0 has, without doing anything
 * else, received short and long synchronous messages, delivered a long one of its own, served accesses to its memory,
 * taken its part in non-blocking collectives and, with `threads`, answered through a thread that completes a
 * generalized request. Prints ok. A waiting that does not let MPI get on never ends; an alarm ends the job then.
 *
 * sparse: short messages that were sent before a call in which all ranks wait for each other are found by the first
 * probes after it, as with Open MPI's own collectives in shared memory (MPI promises it to who probes long enough). */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

enum { REPEAT = 20, SHORT = 8, LONG = 300000, PART = 65536, LIMIT_SECONDS = 90 };

static int rank, ranks, last, threads, wrong;
static char *in, *out, *from, *to;
static int *counts, *displacements;
static MPI_Win window;
static int *memory; /* 0: a counter; 1: what was put */
static MPI_Comm others;

static void expect(int good, const char *what, const char *where)
{
    if (!good)
        fprintf(stderr, "rank %d: wrong %s in %s\n", rank, what, where);
    wrong += !good;
}

static void barrier(int bytes)
{
    (void)bytes;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(int bytes)
{
    MPI_Bcast(from, bytes, MPI_CHAR, last, MPI_COMM_WORLD);
}

static void reduce(int bytes)
{
    MPI_Reduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(int bytes)
{
    MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(int bytes)
{
    MPI_Allgather(from, bytes, MPI_CHAR, to, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void fill_counts(int bytes)
{
    for (int i = 0; i < ranks; i++) {
        counts[i] = bytes;
        displacements[i] = i * bytes;
    }
}

static void allgatherv(int bytes)
{
    fill_counts(bytes);
    MPI_Allgatherv(from, bytes, MPI_CHAR, to, counts, displacements, MPI_CHAR, MPI_COMM_WORLD);
}

static void alltoall(int bytes)
{
    MPI_Alltoall(from, bytes, MPI_CHAR, to, bytes, MPI_CHAR, MPI_COMM_WORLD);
}

static void alltoallv(int bytes)
{
    fill_counts(bytes);
    MPI_Alltoallv(from, counts, displacements, MPI_CHAR, to, counts, displacements, MPI_CHAR, MPI_COMM_WORLD);
}

static void reduce_scatter(int bytes)
{
    fill_counts(bytes / 8);
    MPI_Reduce_scatter(from, to, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter_block(int bytes)
{
    MPI_Reduce_scatter_block(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(int bytes);
    int all_wait; /* for each other */
} forms[] = {{"barrier", barrier, 1},
             {"bcast", bcast, 0},
             {"reduce", reduce, 0},
             {"allreduce", allreduce, 1},
             {"allgather", allgather, 1},
             {"allgatherv", allgatherv, 1},
             {"alltoall", alltoall, 1},
             {"alltoallv", alltoallv, 1},
             {"reduce_scatter", reduce_scatter, 1},
             {"reduce_scatter_block", reduce_scatter_block, 1}};

/* What rank 0 leaves to MPI while it waits. */
struct left {
    MPI_Request request[REPEAT + 2], generalized, collective[2];
    pthread_t thread;
    int number, sum;
};

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_CHAR, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int nothing(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int never(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

static void *answer(void *state)
{
    struct left *left = state;
    MPI_Recv(&left->number, 1, MPI_INT, last, 0, others, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(left->generalized);
    MPI_Send(&left->number, 1, MPI_INT, last, 1, others);
    return NULL;
}

static void leave(struct left *left)
{
    for (int i = 0; i < REPEAT; i++)
        MPI_Irecv(in + (size_t)i * SHORT, SHORT, MPI_CHAR, last, 0, MPI_COMM_WORLD, &left->request[i]);
    MPI_Irecv(in + (size_t)REPEAT * SHORT, LONG, MPI_CHAR, last, 1, MPI_COMM_WORLD, &left->request[REPEAT]);
    MPI_Isend(out, LONG, MPI_CHAR, last, 2, MPI_COMM_WORLD, &left->request[REPEAT + 1]);
    if (threads) {
        MPI_Grequest_start(query, nothing, never, NULL, &left->generalized);
        pthread_create(&left->thread, NULL, answer, left);
    }
}

static void take_back(struct left *left, const char *where)
{
    MPI_Waitall(REPEAT + 2, left->request, MPI_STATUSES_IGNORE);
    int good = 1;
    for (int i = 0; i < REPEAT * SHORT + LONG; i++)
        good &= in[i] == 'm';
    expect(good, "message", where);
    memset(in, 0, (size_t)REPEAT * SHORT + LONG);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    expect(memory[0] == REPEAT && memory[1] == REPEAT - 1, "memory", where);
    memory[0] = memory[1] = 0;
    MPI_Win_unlock(0, window);
    if (!threads)
        return;
    pthread_join(left->thread, NULL);
    MPI_Wait(&left->generalized, MPI_STATUS_IGNORE);
    expect(left->number == REPEAT, "number", where);
}

static void access_memory(const char *where)
{
    int one = 1, before, seen;
    for (int i = 0; i < REPEAT; i++) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Fetch_and_op(&one, &before, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_unlock(0, window);
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Put(&i, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
        MPI_Get(&seen, 1, MPI_INT, 0, 1, 1, MPI_INT, window);
        MPI_Win_unlock(0, window);
        expect(before == i && seen == i, "access", where);
    }
}

/* Ends only when rank 0 has taken part in all of it. */
static void ask(MPI_Request collective[2], const char *where)
{
    static char message[LONG], got[LONG];
    int number = REPEAT, back = 0;
    memset(message, 'm', sizeof message);
    memset(got, 0, sizeof got);
    for (int i = 0; i < REPEAT; i++)
        MPI_Ssend(message, SHORT, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Ssend(message, LONG, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(got, LONG, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    expect(got[0] == 'o' && got[LONG - 1] == 'o', "answer", where);
    access_memory(where);
    MPI_Waitall(2, collective, MPI_STATUSES_IGNORE);
    if (!threads)
        return;
    MPI_Send(&number, 1, MPI_INT, 0, 0, others);
    MPI_Recv(&back, 1, MPI_INT, 0, 1, others, MPI_STATUS_IGNORE);
    expect(back == REPEAT, "number from a thread", where);
}

static void wait_in(size_t form, int bytes)
{
    struct left left;
    int one = 1;
    alarm(LIMIT_SECONDS);
    forms[form].call(bytes); /* what is made at the first call is made here */
    if (rank == 0)
        leave(&left);
    MPI_Iallreduce(&one, &left.sum, 1, MPI_INT, MPI_SUM, others, &left.collective[0]);
    MPI_Ibarrier(others, &left.collective[1]);
    if (rank == last)
        ask(left.collective, forms[form].name);
    forms[form].call(bytes);
    MPI_Waitall(2, left.collective, MPI_STATUSES_IGNORE);
    expect(left.sum == ranks, "sum", forms[form].name);
    if (rank == 0)
        take_back(&left, forms[form].name);
}

/* Ranks send to all others, wait for each other, and receive what a probe finds until one finds nothing. */
static void sparse(size_t form)
{
    int value = rank, seen, left = ranks - 1;
    MPI_Status status;
    MPI_Request *request = malloc((size_t)ranks * sizeof *request);
    for (int i = 1; i < ranks; i++)
        MPI_Isend(&value, 1, MPI_INT, (rank + i) % ranks, (int)form, others, &request[i]);
    forms[form].call(SHORT);
    while (MPI_Iprobe(MPI_ANY_SOURCE, (int)form, others, &seen, &status) == MPI_SUCCESS && seen) {
        MPI_Recv(&seen, 1, MPI_INT, status.MPI_SOURCE, (int)form, others, MPI_STATUS_IGNORE);
        left--;
    }
    expect(left == 0, "count of messages", forms[form].name);
    for (; left > 0; left--)
        MPI_Recv(&seen, 1, MPI_INT, MPI_ANY_SOURCE, (int)form, others, MPI_STATUS_IGNORE);
    MPI_Waitall(ranks - 1, request + 1, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    free(request);
}

static void prepare(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    last = ranks - 1;
    in = calloc((size_t)REPEAT * SHORT + LONG, 1);
    out = malloc(LONG);
    memset(out, 'o', LONG);
    from = calloc((size_t)ranks, PART);
    to = calloc((size_t)ranks, PART);
    counts = calloc((size_t)ranks, sizeof *counts);
    displacements = calloc((size_t)ranks, sizeof *displacements);
    MPI_Comm_dup(MPI_COMM_WORLD, &others);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memory[0] = memory[1] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int probes = argc > 1 && !strcmp(argv[1], "sparse");
    int level, all = 0, wanted = argc > 1 && !strcmp(argv[1], "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, wanted, &level);
    threads = level == MPI_THREAD_MULTIPLE;
    if (level < wanted) {
        puts("no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    prepare();
    for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
        for (int i = 0; i < REPEAT * 5 && probes && forms[form].all_wait; i++)
            sparse(form);
        if (probes)
            continue;
        wait_in(form, SHORT);
        wait_in(form, PART);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0)
        puts("ok");
    MPI_Win_free(&window);
    MPI_Comm_free(&others);
    free(in);
    free(out);
    free(from);
    free(to);
    free(counts);
    free(displacements);
    MPI_Finalize();
    return all > 0;
}
