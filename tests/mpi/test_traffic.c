/* Bytes per level of the all-reduces, counted in the messages that are sent, against
 * the formula of the cyclic all-reduce: dimension k costs every rank
 * 2 (m / prod_{i<k} r_i)(1 - 1/r_k) bytes to its next neighbour. The program
 * defines the PMPI functions by which the library sends; they count and pass on. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/allreduce/allreduce.h"
#include "job/job.h"
#include "mpi/harness.h"

static bool counting;
static int64_t sent[TOPO_LEVELS_MAX + 1]; /* by shared levels of sender and receiver */

/* Adds a message; all communicators used while counting have the ranks of MPI_COMM_WORLD. */
static void count_message(int count, MPI_Datatype type, int dest, MPI_Comm comm)
{
    int size, rank;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Type_size(type, &size);
    if (counting && dest >= 0 && dest != rank)
        sent[topo_tree_shared_levels(topo_job.tree, rank, dest)] += (int64_t)count * size;
}

/* The MPI library's function of this name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_message(count, type, dest, comm);
    return NEXT(PMPI_Isend)(buffer, count, type, dest, tag, comm, request);
}

int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    count_message(count, type, dest, comm);
    return NEXT(PMPI_Send)(buffer, count, type, dest, tag, comm);
}

int PMPI_Sendrecv(const void *send, int count, MPI_Datatype type, int dest, int tag, void *receive, int receive_count,
                  MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm comm, MPI_Status *status)
{
    count_message(count, type, dest, comm);
    return NEXT(PMPI_Sendrecv)(send, count, type, dest, tag, receive, receive_count, receive_type, source, receive_tag,
                               comm, status);
}

/* Runs one all-reduce of `elements` doubles and leaves the bytes of all ranks in total[]. */
static bool run(const char *name, int elements, int64_t *total)
{
    const struct topo_algorithm *algorithm = topo_algorithm_find(TOPO_OPERATION_allreduce, name);
    double *send = malloc(sizeof *send * (size_t)elements), *receive = malloc(sizeof *receive * (size_t)elements);
    int rank, ranks;
    bool right = true;
    MPI_Comm comm;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < elements; i++)
        send[i] = rank + i;
    /* Ranks agree in the first call. */
    int code = topo_allreduce(algorithm, send, receive, elements, MPI_DOUBLE, MPI_SUM, comm);
    memset(sent, 0, sizeof sent);
    counting = code == MPI_SUCCESS;
    if (counting)
        code = topo_allreduce(algorithm, send, receive, elements, MPI_DOUBLE, MPI_SUM, comm);
    counting = false;
    for (int i = 0; i < elements; i++)
        right = right && receive[i] == ranks * (ranks - 1) / 2 + (double)i * ranks;
    PMPI_Allreduce(sent, total, TOPO_LEVELS_MAX + 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    free(send);
    free(receive);
    return code == MPI_SUCCESS && right;
}

/* Elements of block b when `length` are cut into r: ceil(length / r) each as long as they last. */
static int64_t block(int64_t length, int64_t r, int64_t b)
{
    int64_t whole = (length + r - 1) / r, left = length - b * whole;
    return left < 0 ? 0 : left < whole ? left : whole;
}

/* What a grid of rings makes the ranks send: in each dimension all blocks but the one
 * they end the addition with, then all but the one that arrives last. */
static void expect_grid(const int *size, int dims, int64_t m, int64_t *expected)
{
    const struct topo_tree *tree = topo_job.tree;
    memset(expected, 0, sizeof *expected * (TOPO_LEVELS_MAX + 1));
    for (int position = 0; position < tree->ranks; position++) {
        int64_t length = m;
        for (int k = 0, stride = 1; k < dims; stride *= size[k++]) {
            int64_t bytes = 0;
            int r = size[k], c = position / stride % r, next = position + ((c + 1) % r - c) * stride;
            for (int b = 0; b < r; b++)
                bytes += 8 * block(length, r, b) * ((b != (c + 1) % r) + (b != (c + 2) % r));
            expected[topo_tree_shared_levels(tree, topo_tree_rank(tree, position), topo_tree_rank(tree, next))] +=
                bytes;
            length = block(length, r, (c + 1) % r);
        }
    }
}

/* The formula itself, for m divisible by the number of ranks. */
static void expect_formula(const int *size, int dims, int64_t m, int64_t *expected)
{
    const struct topo_tree *tree = topo_job.tree;
    memset(expected, 0, sizeof *expected * (TOPO_LEVELS_MAX + 1));
    for (int position = 0; position < tree->ranks; position++)
        for (int k = 0, product = 1; k < dims; product *= size[k++]) {
            int r = size[k], c = position / product % r, next = position + ((c + 1) % r - c) * product;
            int64_t bytes = 2 * (8 * m / product) * (r - 1) / r;
            expected[topo_tree_shared_levels(tree, topo_tree_rank(tree, position), topo_tree_rank(tree, next))] +=
                bytes;
        }
}

static bool equal(const int64_t *total, const int64_t *expected)
{
    return !memcmp(total, expected, sizeof *total * (TOPO_LEVELS_MAX + 1));
}

static int64_t between_nodes(const int64_t *total)
{
    int64_t bytes = 0;
    for (int z = 0; z <= topo_tree_node_level(topo_job.tree); z++)
        bytes += total[z];
    return bytes;
}

/* Cyclic on a given grid, in packets and without. */
static void check_grid(const char *machine, const int *size, int dims)
{
    static const char *const packets[] = {"0", "96", "auto"};
    char text[64] = "";
    int ranks = 1, length = 0;
    for (int k = 0; k < dims; k++) {
        length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", k ? "x" : "", size[k]);
        ranks *= size[k];
    }
    if (ranks != topo_job.tree->ranks)
        return;
    harness_option("TOPOMPI_CYCLIC_GRID", text);
    for (int p = 0; p < 3; p++) {
        const int counts[] = {48 * ranks, 48 * ranks + 1, 100 * ranks - 1, ranks - 1, 1};
        harness_option("TOPOMPI_PACKET", packets[p]);
        if (!harness_use_machine(machine))
            continue;
        for (int i = 0; i < 5 && counts[i]; i++) {
            int64_t total[TOPO_LEVELS_MAX + 1], expected[TOPO_LEVELS_MAX + 1], all = 0;
            bool right = run("cyclic", counts[i], total);
            expect_grid(size, dims, counts[i], expected);
            for (int z = 0; z <= topo_job.tree->levels; z++)
                all += total[z];
            harness_check(right && equal(total, expected) && all == 2 * (int64_t)8 * counts[i] * (ranks - 1),
                          "cyclic on %s of %s in packets of %s: %d doubles", text, machine, packets[p], counts[i]);
            if (i)
                continue;
            expect_formula(size, dims, counts[i], expected);
            harness_check(equal(total, expected), "cyclic on %s of %s in packets of %s: the formula", text, machine,
                          packets[p]);
        }
    }
    harness_option("TOPOMPI_PACKET", "auto");
    harness_option("TOPOMPI_CYCLIC_GRID", "auto");
}

/* What the choice by cost comes to: long vectors load the nodes' links with the
 * least there is, 2m(1-1/N) for each of N nodes, wherever the ranks sit and
 * whatever the nodes' sizes. */
static void check_choice(const char *machine)
{
    const int m = 5040 * 16;
    int64_t total[TOPO_LEVELS_MAX + 1];
    if (!harness_use_machine(machine))
        return;
    const struct topo_tree *tree = topo_job.tree;
    int nodes = tree->units[topo_tree_node_level(tree)];
    bool even = topo_tree_is_uniform(tree, topo_tree_node_level(tree));
    /* Strips of uneven nodes may be one element longer than their part of the vector. */
    int64_t least = 2 * (int64_t)8 * m * (nodes - 1), slack = even ? 0 : 8 * 2 * tree->ranks * nodes;
    bool right = run("cyclic", m, total);
    harness_check(right && between_nodes(total) >= least && between_nodes(total) <= least + slack,
                  "cyclic on %s: %lld bytes between nodes, the least is %lld", machine, (long long)between_nodes(total),
                  (long long)least);
    if (tree->ranks & (tree->ranks - 1))
        return;
    right = run("recursive_halving", m, total);
    harness_check(right && (!even || between_nodes(total) == least), "recursive_halving on %s", machine);
    int64_t expected[TOPO_LEVELS_MAX + 1] = {0};
    for (int rank = 0; rank < tree->ranks; rank++)
        for (int bit = 1; bit < tree->ranks; bit *= 2)
            expected[topo_tree_shared_levels(tree, rank, rank ^ bit)] += 8 * (int64_t)m;
    right = run("recursive_doubling", m, total);
    harness_check(right && equal(total, expected), "recursive_doubling on %s", machine);
}

int main(int argc, char **argv)
{
    static const int grids[][5] = {{1, 2},    {1, 3},    {1, 4},    {2, 2, 2}, {1, 8},       {2, 2, 4},
                                   {2, 4, 2}, {1, 12},   {2, 3, 4}, {2, 4, 3}, {3, 2, 2, 3}, {3, 3, 2, 2},
                                   {1, 16},   {2, 4, 4}, {2, 8, 2}, {2, 2, 8}, {3, 2, 4, 2}, {4, 2, 2, 2, 2}};
    const char *machine;
    int ranks;
    harness_start(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        if (!harness_use_machine(machine) || !topo_job.active)
            continue;
        for (size_t g = 0; g < sizeof grids / sizeof *grids; g++)
            check_grid(machine, grids[g] + 1, grids[g][0]);
        check_choice(machine);
    }
    return harness_finish();
}
