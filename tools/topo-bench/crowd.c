#include "topo-bench/crowd.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "comm/flag.h"
#include "topo-bench/links.h"

enum { TAG = 8, ROUNDS = 5, WAITS = 100, WAIT_US = 200 };

/* A fixed computation. */
static double compute(void)
{
    volatile double sum = 0;
    for (int i = 0; i < 8000000; i++)
        sum += 1.0 / (1 + i);
    return sum;
}

/* Seconds until the slowest of the ranks with `works` is through; the others sleep. */
static double computing(MPI_Comm comm, bool works)
{
    double best = 0;
    for (int round = 0; round < 3; round++) {
        bench_quiet_barrier(comm);
        double start = PMPI_Wtime(), seconds = 0;
        if (works) {
            compute();
            seconds = PMPI_Wtime() - start;
        }
        bench_quiet_barrier(comm);
        PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        best = round == 0 || seconds < best ? seconds : best;
    }
    return best;
}

struct bench_cores bench_cores_of(MPI_Comm comm, const struct topo_tree *tree)
{
    const int *node = tree->unit + (size_t)topo_tree_node_level(tree) * (size_t)tree->ranks;
    int rank, neighbours = 0, nodes = tree->units[topo_tree_node_level(tree)];
    PMPI_Comm_rank(comm, &rank);
    for (int r = 0; r < tree->ranks; r++)
        neighbours += node[r] == node[0];
    double alone = computing(comm, rank == 0);
    double of_node = neighbours * alone / computing(comm, node[rank] == node[0]);
    double of_all = tree->ranks * alone / computing(comm, true);
    if (of_all > 0.85 * tree->ranks)
        return (struct bench_cores){0, false};
    /* Nodes that share nothing do together as much more as there are of them. */
    bool per_node = of_all > 0.7 * of_node * nodes;
    double measured = per_node ? of_node : of_all;
    int cores = measured < 1.5 ? 1 : (int)lround(measured);
    cpu_set_t set;
    /* No more than a rank may run on: a node's ranks, on what rank 0 sees. */
    if (sched_getaffinity(0, sizeof set, &set) == 0 && cores > CPU_COUNT(&set))
        cores = CPU_COUNT(&set);
    PMPI_Bcast(&cores, 1, MPI_INT, 0, comm);
    return (struct bench_cores){cores, per_node};
}

/* partner[r], -1: none. The first rank that is left with the first that fits. */
static int find_pairs(const struct topo_tree *tree, int shared, int *partner)
{
    int pairs = 0;
    for (int r = 0; r < tree->ranks; r++)
        partner[r] = -1;
    for (int p = 0; p < tree->ranks; p++)
        for (int q = p + 1; q < tree->ranks && partner[p] < 0; q++)
            if (partner[q] < 0 && topo_tree_shared_levels(tree, p, q) == shared) {
                partner[p] = q;
                partner[q] = p;
                pairs++;
            }
    return pairs;
}

double bench_crowd(MPI_Comm comm, const struct topo_tree *tree, int shared, size_t bytes, int *pairs)
{
    int rank, calls = 8, *partner = topo_alloc((size_t)tree->ranks, sizeof *partner);
    char *memory = topo_calloc(2, bytes + 1);
    double best = 0;
    if (!partner || !memory)
        PMPI_Abort(comm, 1);
    PMPI_Comm_rank(comm, &rank);
    *pairs = find_pairs(tree, shared, partner);
    int other = partner[rank];
    for (int round = 0; *pairs > 0 && round < ROUNDS;) {
        PMPI_Barrier(comm);
        double start = PMPI_Wtime(), seconds;
        for (int i = 0; other >= 0 && i < calls; i++)
            PMPI_Sendrecv(memory, (int)bytes, MPI_BYTE, other, TAG, memory + bytes + 1, (int)bytes, MPI_BYTE, other,
                          TAG, comm, MPI_STATUS_IGNORE);
        seconds = other >= 0 ? PMPI_Wtime() - start : 0;
        bench_quiet_barrier(comm);
        PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (seconds < 0.05 && calls < 1 << 20) {
            calls *= 2;
            continue;
        }
        best = round == 0 || seconds / calls < best ? seconds / calls : best;
        round++;
    }
    topo_free(memory);
    topo_free(partner);
    return best;
}

static double processor_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Seconds of this rank's processor for WAITS waits; 0 on the rank that raises the counter. */
static double wait_often(const struct topo_patience *patience, bool raises, struct topo_flag *flag, uint32_t *raised)
{
    double seconds = 0;
    for (int i = 0; i < WAITS; i++) {
        PMPI_Barrier(patience->channel);
        double start = processor_time();
        ++*raised;
        if (raises) {
            nanosleep(&(struct timespec){.tv_nsec = WAIT_US * 1000}, NULL);
            topo_flag_set(flag, *raised);
        } else {
            topo_flag_wait(flag, *raised, patience);
            seconds += processor_time() - start;
        }
    }
    return seconds;
}

double bench_wait(MPI_Comm comm, const struct topo_tree *tree)
{
    int node_level = topo_tree_node_level(tree), waiting = tree->ranks - tree->units[node_level];
    struct topo_patience patience = {.crowded = true};
    struct topo_flag *flag;
    void *memory;
    uint32_t raised = 0;
    double best = 0;
    int rank, unit;
    MPI_Aint bytes;
    MPI_Win window;
    if (waiting < 1)
        return 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_split(comm, tree->unit[(size_t)node_level * (size_t)tree->ranks + (size_t)rank], rank, &patience.channel);
    PMPI_Comm_rank(patience.channel, &patience.self);
    PMPI_Win_allocate_shared(patience.self ? 0 : 2 * sizeof *flag, 1, MPI_INFO_NULL, patience.channel, &memory,
                             &window);
    PMPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
    /* The window begins anywhere in a page that all map. */
    flag = (struct topo_flag *)(((uintptr_t)memory + sizeof *flag - 1) / sizeof *flag * sizeof *flag);
    if (patience.self == 0)
        *flag = (struct topo_flag){0};
    for (int round = 0; round < ROUNDS; round++) {
        bench_quiet_barrier(comm);
        double seconds = wait_often(&patience, patience.self == 0, flag, &raised) / WAITS / waiting;
        PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, comm);
        best = round == 0 || seconds < best ? seconds : best;
    }
    PMPI_Win_free(&window);
    PMPI_Comm_free(&patience.channel);
    return best;
}
