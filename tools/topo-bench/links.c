#include "topo-bench/links.h"

#include <string.h>
#include <time.h>

#include "base/memory.h"

enum { TAG = 7, STREAM_WINDOW = 4 };

void bench_quiet_barrier(MPI_Comm comm)
{
    MPI_Request request;
    int done = 0;
    PMPI_Ibarrier(comm, &request);
    while (!done) {
        PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done)
            nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    }
}

bool bench_pair_of(const struct topo_tree *tree, int shared, int *p, int *q)
{
    for (*p = 0; *p < tree->ranks; (*p)++)
        for (*q = *p + 1; *q < tree->ranks; (*q)++)
            if (topo_tree_shared_levels(tree, *p, *q) == shared)
                return true;
    return false;
}

/* There and back `calls` times; seconds of each in times[] on rank p. */
static void bounce(MPI_Comm comm, bool first, int other, char *memory, size_t bytes, int calls, double *times)
{
    int count = (int)bytes;
    for (int i = 0; i < calls; i++) {
        double start = PMPI_Wtime();
        if (first)
            PMPI_Send(memory, count, MPI_BYTE, other, TAG, comm);
        PMPI_Recv(memory, count, MPI_BYTE, other, TAG, comm, MPI_STATUS_IGNORE);
        if (!first)
            PMPI_Send(memory, count, MPI_BYTE, other, TAG, comm);
        times[i] = (PMPI_Wtime() - start) / 2;
    }
}

struct bench_statistics bench_ping_pong(MPI_Comm comm, int p, int q, size_t bytes, double seconds)
{
    enum { CALLS_MIN = 10, CALLS_MAX = 400 };
    struct bench_statistics result = {0};
    double times[CALLS_MAX];
    int rank, calls = 3;
    PMPI_Comm_rank(comm, &rank);
    if (rank == p || rank == q) {
        int other = rank == p ? q : p;
        char *memory = topo_calloc(bytes, 1);
        if (!memory)
            PMPI_Abort(comm, 1);
        bounce(comm, rank == p, other, memory, bytes, calls, times);
        if (rank == p) {
            double possible = seconds / (2 * times[calls - 1] + 1e-9);
            calls = possible > CALLS_MAX ? CALLS_MAX : possible < CALLS_MIN ? CALLS_MIN : (int)possible;
            PMPI_Send(&calls, 1, MPI_INT, other, TAG, comm);
        } else {
            PMPI_Recv(&calls, 1, MPI_INT, other, TAG, comm, MPI_STATUS_IGNORE);
        }
        bounce(comm, rank == p, other, memory, bytes, calls, times);
        topo_free(memory);
        if (rank == p)
            result = bench_statistics_of(times, calls);
    }
    bench_quiet_barrier(comm);
    PMPI_Bcast(&result, sizeof result, MPI_BYTE, p, comm);
    return result;
}

static int unit_of(const struct topo_tree *tree, int level, int rank)
{
    return topo_tree_unit(tree, level, rank);
}

static enum topo_status pairs_new(int most, struct bench_pairs *pairs, struct topo_error *error)
{
    *pairs = (struct bench_pairs){0};
    pairs->outside = topo_calloc((size_t)most, sizeof *pairs->outside);
    pairs->inside = topo_calloc((size_t)most, sizeof *pairs->inside);
    if (pairs->outside && pairs->inside)
        return TOPO_OK;
    bench_pairs_free(pairs);
    return topo_fail(error, TOPO_NOMEM, "out of memory");
}

void bench_pairs_free(struct bench_pairs *pairs)
{
    topo_free(pairs->outside);
    topo_free(pairs->inside);
    *pairs = (struct bench_pairs){0};
}

/* The unit with the most ranks that still have a partner outside. */
static int unit_with_most(const struct topo_tree *tree, int level, const int *sizes, int *most)
{
    int best = 0;
    *most = 0;
    for (int u = 0; u < tree->units[level]; u++) {
        int outside = tree->ranks - sizes[u], through = sizes[u] < outside ? sizes[u] : outside;
        if (through > *most) {
            *most = through;
            best = u;
        }
    }
    return best;
}

enum topo_status bench_pairs_through(const struct topo_tree *tree, int level, struct bench_pairs *pairs,
                                     struct topo_error *error)
{
    TOPO_SCOPED int *sizes = topo_calloc((size_t)tree->units[level], sizeof *sizes);
    int most, filled = 0;
    TOPO_SCOPED bool *used = topo_calloc((size_t)tree->ranks, sizeof *used);
    enum topo_status status = pairs_new(tree->ranks, pairs, error);
    if (!sizes || !used)
        status = topo_fail(error, TOPO_NOMEM, "out of memory");
    if (status != TOPO_OK)
        goto out;
    topo_tree_unit_sizes(tree, level, sizes);
    int unit = unit_with_most(tree, level, sizes, &most);
    for (int rank = 0; rank < tree->ranks && pairs->count < most; rank++)
        if (unit_of(tree, level, rank) == unit)
            pairs->inside[pairs->count++] = rank;
    /* One rank of each other unit in turn, so that no other link fills before this one. */
    while (filled < most) {
        for (int u = 0; u < tree->units[level] && filled < most; u++) {
            int rank = 0;
            while (rank < tree->ranks && (used[rank] || unit_of(tree, level, rank) != u))
                rank++;
            if (u == unit || rank == tree->ranks)
                continue;
            used[rank] = true;
            pairs->outside[filled++] = rank;
        }
    }
out:
    if (status != TOPO_OK)
        bench_pairs_free(pairs);
    return status;
}

enum topo_status bench_pairs_within(const struct topo_tree *tree, struct bench_pairs *pairs, struct topo_error *error)
{
    int level = tree->levels - 1, best = 0, last = -1;
    TOPO_SCOPED int *sizes = topo_calloc((size_t)tree->units[level], sizeof *sizes);
    enum topo_status status = pairs_new(tree->ranks, pairs, error);
    if (!sizes)
        status = topo_fail(error, TOPO_NOMEM, "out of memory");
    if (status == TOPO_OK) {
        topo_tree_unit_sizes(tree, level, sizes);
        for (int u = 1; u < tree->units[level]; u++)
            best = sizes[u] > sizes[best] ? u : best;
        for (int rank = 0; rank < tree->ranks; rank++) {
            if (unit_of(tree, level, rank) != best)
                continue;
            if (last >= 0) {
                pairs->outside[pairs->count] = last;
                pairs->inside[pairs->count++] = rank;
                last = -1;
            } else {
                last = rank;
            }
        }
    } else {
        bench_pairs_free(pairs);
    }
    return status;
}

/* One side of a pair moves `messages` messages, a few under way at a time. */
static void move(MPI_Comm comm, int other, bool send, bool receive, char *memory, size_t bytes, int messages)
{
    MPI_Request request[2 * STREAM_WINDOW];
    for (int i = 0; i < 2 * STREAM_WINDOW; i++)
        request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < messages; i++) {
        int slot = i % STREAM_WINDOW;
        char *in = memory + (size_t)slot * bytes, *out = memory + (size_t)(STREAM_WINDOW + slot) * bytes;
        PMPI_Waitall(2, &request[2 * slot], MPI_STATUSES_IGNORE);
        if (receive)
            PMPI_Irecv(in, (int)bytes, MPI_BYTE, other, TAG, comm, &request[2 * slot]);
        if (send)
            PMPI_Isend(out, (int)bytes, MPI_BYTE, other, TAG, comm, &request[2 * slot + 1]);
    }
    PMPI_Waitall(2 * STREAM_WINDOW, request, MPI_STATUSES_IGNORE);
}

double bench_stream(MPI_Comm comm, const struct bench_pairs *pairs, enum bench_direction direction, size_t bytes)
{
    enum { ROUNDS = 4, MESSAGES_MAX = 1 << 16 };
    double best = 0;
    int rank, other = -1, messages = 4, round = 0;
    bool inside = false;
    TOPO_SCOPED char *memory = NULL;
    PMPI_Comm_rank(comm, &rank);
    for (int i = 0; i < pairs->count; i++) {
        if (pairs->inside[i] == rank || pairs->outside[i] == rank) {
            inside = pairs->inside[i] == rank;
            other = inside ? pairs->outside[i] : pairs->inside[i];
        }
    }
    if (other >= 0 && !(memory = topo_calloc(2 * STREAM_WINDOW, bytes)))
        PMPI_Abort(comm, 1);
    while (pairs->count && round < ROUNDS) {
        /* From before the first barrier to after the last: no rank's clock starts after
         * another rank's bytes are on their way, so the rate is never too high. */
        double start = PMPI_Wtime(), seconds;
        PMPI_Barrier(comm);
        if (other >= 0)
            move(comm, other, direction == BENCH_BOTH || (direction == BENCH_IN) != inside,
                 direction == BENCH_BOTH || (direction == BENCH_IN) == inside, memory, bytes, messages);
        bench_quiet_barrier(comm);
        seconds = PMPI_Wtime() - start;
        PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MIN, comm);
        if (seconds < 0.05 && messages < MESSAGES_MAX) {
            messages *= 2;
            continue;
        }
        double rate = (double)pairs->count * messages * (double)bytes / seconds;
        best = rate > best ? rate : best;
        round++;
    }
    return best;
}

/* The best seconds per byte of something done to `bytes` bytes. */
static double per_byte(void (*work)(char *to, const char *from, size_t bytes), char *to, const char *from, size_t bytes)
{
    double best = 1;
    for (int i = 0; i < 20; i++) {
        double start = PMPI_Wtime();
        work(to, from, bytes);
        double each = (PMPI_Wtime() - start) / (double)bytes;
        best = each < best ? each : best;
    }
    return best;
}

static void copy_bytes(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

static void add_doubles(char *to, const char *from, size_t bytes)
{
    PMPI_Reduce_local(from, to, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM);
}

/* CPU seconds of a short message: a burst of them to a rank of the same node, which takes them. */
static double message_cost(MPI_Comm comm, const struct topo_tree *tree, int rank)
{
    enum { BURST = 200 };
    double best = 1;
    int p, q;
    char byte = 0;
    if (!bench_pair_of(tree, tree->levels, &p, &q) || (rank != p && rank != q))
        return 0;
    for (int round = 0; round < 10; round++) {
        double start;
        PMPI_Sendrecv(NULL, 0, MPI_BYTE, rank == p ? q : p, TAG, NULL, 0, MPI_BYTE, rank == p ? q : p, TAG, comm,
                      MPI_STATUS_IGNORE);
        start = PMPI_Wtime();
        for (int i = 0; i < BURST; i++) {
            if (rank == p)
                PMPI_Send(&byte, 1, MPI_BYTE, q, TAG, comm);
            else
                PMPI_Recv(&byte, 1, MPI_BYTE, p, TAG, comm, MPI_STATUS_IGNORE);
        }
        double each = (PMPI_Wtime() - start) / BURST;
        best = each < best ? each : best;
    }
    return best;
}

struct bench_local bench_local_costs(MPI_Comm comm, const struct topo_tree *tree)
{
    enum { BYTES = 1 << 22 }; /* as long as what an operation works on */
    struct bench_local local = {0};
    int rank;
    PMPI_Comm_rank(comm, &rank);
    local.message = message_cost(comm, tree, rank);
    if (rank == 0) {
        char *memory = topo_calloc(2, BYTES);
        if (!memory)
            PMPI_Abort(comm, 1);
        memset(memory, 1, 2 * (size_t)BYTES); /* pages of its own, not the one of zeros */
        local.copy = per_byte(copy_bytes, memory, memory + BYTES, BYTES);
        local.add = per_byte(add_doubles, memory, memory + BYTES, BYTES);
        topo_free(memory);
    }
    bench_quiet_barrier(comm);
    PMPI_Allreduce(MPI_IN_PLACE, &local, 3, MPI_DOUBLE, MPI_MAX, comm);
    return local;
}
