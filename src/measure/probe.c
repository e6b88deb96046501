#include "measure/probe.h"

#include <mpi.h>

#include "job/channel.h"

enum { PAIRS = 8, LONGEST = 1 << 18, SHORTEST = 1 << 10 };

/* Seconds of the pings and of the exchanges that follow; of one exchange, below which its messages are too short. */
static const double ping_time = 5e-4, rate_time = 2.5e-3, short_time = 4e-4;

/* Ranks of rank 0's unit, itself the first, and as many of another unit of the same parent. */
struct pairs {
    int count, near[PAIRS], far[PAIRS];
};

static struct pairs pairs_of(const struct topo_tree *tree, int level)
{
    struct pairs pairs = {0};
    const int node = topo_tree_node_level(tree), own = topo_tree_unit(tree, level, 0);
    int near = 0, far = 0, other = -1, last = -1;
    for (int i = 0; i < tree->ranks; i++) {
        int rank = topo_tree_rank(tree, i), unit = topo_tree_unit(tree, level, rank);
        bool is_first = topo_tree_unit(tree, node, rank) != last;
        last = topo_tree_unit(tree, node, rank);
        if ((level < node && !is_first) ||
            (level > 0 && topo_tree_unit(tree, level - 1, rank) != topo_tree_unit(tree, level - 1, 0)))
            continue;
        if (unit != own && other < 0)
            other = unit;
        if (unit == own && near < PAIRS)
            pairs.near[near++] = rank;
        else if (unit == other && far < PAIRS)
            pairs.far[far++] = rank;
    }
    pairs.count = near < far ? near : far;
    return pairs;
}

/* There and back, which the first one ends; the shortest time one way. Before the first one connections are opened. */
static double ping(int other, bool first)
{
    enum { LEAST = 3, MOST = 50 };
    MPI_Comm comm = topo_channel_job.comm;
    double begin = 0, shortest = 0;
    char more = 1;
    int code = MPI_SUCCESS;
    for (int i = 0; more && code == MPI_SUCCESS; i++) {
        double start = PMPI_Wtime();
        begin = i == 1 ? start : begin;
        if (first) {
            more = i < LEAST || (i < MOST && start - begin < ping_time);
            code = PMPI_Send(&more, 1, MPI_BYTE, other, TOPO_TAG, comm);
        }
        char theirs = 0;
        if (code == MPI_SUCCESS)
            code = PMPI_Recv(&theirs, 1, MPI_BYTE, other, TOPO_TAG, comm, MPI_STATUS_IGNORE);
        if (!first && code == MPI_SUCCESS) {
            more = theirs;
            code = PMPI_Send(&more, 1, MPI_BYTE, other, TOPO_TAG, comm);
        }
        double seconds = (PMPI_Wtime() - start) / 2;
        if (i == 1 || (i > 1 && seconds < shortest))
            shortest = seconds;
    }
    return code == MPI_SUCCESS ? shortest : 0;
}

/* Exchanges of ever longer messages, in each of which the first one says what follows; bytes a second each way of those
 * that are long enough. */
static double exchange(int other, bool first)
{
    enum { LAST, SAME, TWICE };
    static char memory[2][LONGEST]; /* no page of it is used elsewhere */
    double start = PMPI_Wtime(), begin = start, now = start, sent = 0, took = short_time;
    int bytes = SHORTEST;
    for (char word = SAME; word != LAST;) {
        memory[0][0] = now - start > rate_time ? LAST : took < short_time && bytes < LONGEST ? TWICE : SAME;
        if (PMPI_Sendrecv(memory[0], bytes, MPI_BYTE, other, TOPO_TAG, memory[1], bytes, MPI_BYTE, other, TOPO_TAG,
                          topo_channel_job.comm, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return 0;
        word = memory[!first][0];
        took = PMPI_Wtime() - now;
        now += took;
        sent += bytes;
        if (word == TWICE) {
            bytes *= 2;
            sent = 0;
            begin = now;
        }
    }
    return now > begin ? sent / (now - begin) : 0;
}

/* All pairs at once: rank 0 waits until the others of its side are ready, and adds up what they found. */
static double together(const struct pairs *pairs, int place)
{
    MPI_Comm comm = topo_channel_job.comm;
    double rate, theirs;
    char word = 0;
    for (int i = 1; place == 0 && i < pairs->count; i++)
        PMPI_Recv(&word, 1, MPI_BYTE, pairs->near[i], TOPO_TAG, comm, MPI_STATUS_IGNORE);
    for (int i = 1; place == 0 && i < pairs->count; i++)
        PMPI_Send(&word, 1, MPI_BYTE, pairs->near[i], TOPO_TAG, comm);
    if (place > 0) {
        PMPI_Send(&word, 1, MPI_BYTE, pairs->near[0], TOPO_TAG, comm);
        PMPI_Recv(&word, 1, MPI_BYTE, pairs->near[0], TOPO_TAG, comm, MPI_STATUS_IGNORE);
    }
    rate = exchange(pairs->far[place], true);
    if (place > 0)
        PMPI_Send(&rate, 1, MPI_DOUBLE, pairs->near[0], TOPO_TAG, comm);
    for (int i = 1; place == 0 && i < pairs->count; i++, rate += theirs) {
        theirs = 0;
        PMPI_Recv(&theirs, 1, MPI_DOUBLE, pairs->near[i], TOPO_TAG, comm, MPI_STATUS_IGNORE);
    }
    return rate;
}

struct topo_probed topo_probe(const struct topo_tree *tree, int level, int rank)
{
    struct topo_probed probed = {0};
    const struct pairs pairs = pairs_of(tree, level);
    for (int i = 0; i < pairs.count; i++)
        if (rank == pairs.near[i]) {
            probed.latency = ping(pairs.far[i], true);
            probed.rate = together(&pairs, i);
        } else if (rank == pairs.far[i]) {
            ping(pairs.near[i], false);
            exchange(pairs.near[i], false);
        }
    return probed;
}
