#include "topo-bench/crowd.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/processors.h"
#include "topo-bench/links.h"

enum { TAG = 8, ROUNDS = 7, LOOKS = 2000 };

/* The median of all rounds. */
static double middle(double seconds[ROUNDS])
{
    struct bench_statistics statistics = bench_statistics_of(seconds, ROUNDS);
    return statistics.median;
}

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

struct topo_sharing bench_sharing_of(MPI_Comm comm, const struct topo_tree *tree)
{
    const struct topo_numbers *node = &tree->unit[topo_tree_node_level(tree)];
    int rank, nodes = tree->units[topo_tree_node_level(tree)];
    PMPI_Comm_rank(comm, &rank);
    double alone = computing(comm, rank == 0);
    double of_node = topo_tree_node_ranks(tree, 0) * alone /
                     computing(comm, topo_numbers_at(node, rank) == topo_numbers_at(node, 0));
    double of_all = tree->ranks * alone / computing(comm, true);
    if (of_all > 0.85 * tree->ranks)
        return (struct topo_sharing){0, false};
    /* Nodes that share nothing do together as much more as there are of them. */
    bool per_node = of_all > 0.7 * of_node * nodes;
    double measured = per_node ? of_node : of_all;
    int cores = measured < 1.5 ? 1 : (int)lround(measured);
    cpu_set_t set;
    int usable = topo_processors_usable(&set);
    /* No more than a rank may run on: a node's ranks, on what rank 0 sees. */
    if (usable > 0 && cores > usable)
        cores = usable;
    PMPI_Bcast(&cores, 1, MPI_INT, 0, comm);
    return (struct topo_sharing){cores, per_node};
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

double bench_crowd(MPI_Comm comm, const struct topo_tree *tree, int shared, size_t bytes, int messages, int *pairs)
{
    MPI_Request request[2 * BENCH_CROWD_MESSAGES_MAX];
    int rank, calls = 8;
    TOPO_SCOPED int *partner = topo_alloc((size_t)tree->ranks, sizeof *partner);
    TOPO_SCOPED char *memory = topo_calloc((size_t)messages + 1, bytes + 1);
    double each[ROUNDS] = {0};
    if (!partner || !memory)
        PMPI_Abort(comm, 1);
    PMPI_Comm_rank(comm, &rank);
    *pairs = find_pairs(tree, shared, partner);
    int other = partner[rank];
    for (int round = 0; *pairs > 0 && round < ROUNDS;) {
        PMPI_Barrier(comm);
        double start = PMPI_Wtime(), seconds;
        for (int i = 0; other >= 0 && i < calls; i++) {
            for (int m = 0; m < messages; m++)
                PMPI_Irecv(memory + ((size_t)m + 1) * (bytes + 1), (int)bytes, MPI_BYTE, other, TAG, comm, &request[m]);
            for (int m = 0; m < messages; m++)
                PMPI_Isend(memory, (int)bytes, MPI_BYTE, other, TAG, comm, &request[messages + m]);
            PMPI_Waitall(2 * messages, request, MPI_STATUSES_IGNORE);
        }
        seconds = other >= 0 ? PMPI_Wtime() - start : 0;
        bench_quiet_barrier(comm);
        PMPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        if (seconds < 0.05 && calls < 1 << 20) {
            calls *= 2;
            continue;
        }
        each[round++] = seconds / calls;
    }
    return middle(each);
}

double bench_turn(MPI_Comm comm, const struct topo_tree *tree, const struct topo_sharing *sharing)
{
    double each[ROUNDS], all = topo_sharing_processors(sharing, tree->units[topo_tree_node_level(tree)]);
    int rank, found;
    PMPI_Comm_rank(comm, &rank);
    for (int round = 0; round < ROUNDS; round++) {
        bench_quiet_barrier(comm);
        double start = PMPI_Wtime(), seconds;
        for (int i = 0; i < LOOKS; i++) {
            PMPI_Iprobe(rank, TAG, comm, &found, MPI_STATUS_IGNORE);
            sched_yield();
        }
        seconds = (PMPI_Wtime() - start) / LOOKS * all / tree->ranks;
        PMPI_Allreduce(&seconds, &each[round], 1, MPI_DOUBLE, MPI_MAX, comm);
    }
    return middle(each);
}
