/* Parameters that rules give algorithms (docs/TUNING.md): right results by a tuning file on every machine, and as many
 * messages between nodes as the parameter says. The program defines the PMPI functions by which the library sends; they
 * count and pass on. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/call/operations.h"
#include "coll/reduce/reduce.h"
#include "job/job.h"
#include "mpi/harness.h"

static int rank, ranks;
static bool counting;
static int sent; /* messages to other nodes */

/* All communicators used while counting have the ranks of MPI_COMM_WORLD. */
static void count_message(int dest)
{
    const struct topo_tree *tree = topo_job.tree;
    sent += counting && dest >= 0 && topo_tree_shared_levels(tree, rank, dest) <= topo_tree_node_level(tree);
}

/* The MPI library's function of this name. */
#define NEXT(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

int PMPI_Isend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
    count_message(dest);
    return NEXT(PMPI_Isend)(buffer, count, type, dest, tag, comm, request);
}

int PMPI_Issend(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                MPI_Request *request)
{
    count_message(dest);
    return NEXT(PMPI_Issend)(buffer, count, type, dest, tag, comm, request);
}

int PMPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    count_message(dest);
    return NEXT(PMPI_Send)(buffer, count, type, dest, tag, comm);
}

/* What rank `from` has at place i of a call. */
static char value_of(int from, size_t i, int call)
{
    return (char)(from * 31 + (int)(i % 127) + call * 7 + 1);
}

static void fill(char *data, size_t bytes, int from, int call)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = value_of(from, i, call);
}

static bool is_filled(const char *data, size_t bytes, int from, int call)
{
    for (size_t i = 0; i < bytes; i++)
        if (data[i] != value_of(from, i, call))
            return false;
    return true;
}

static bool run_allgather(size_t bytes, int call, MPI_Comm comm)
{
    char *own = malloc(bytes), *all = calloc((size_t)ranks, bytes);
    fill(own, bytes, rank, call);
    bool good = topo_allgather(NULL, own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, comm) == MPI_SUCCESS;
    for (int from = 0; from < ranks; from++)
        good = good && is_filled(all + (size_t)from * bytes, bytes, from, call);
    free(own);
    free(all);
    return good;
}

/* Blocks of other lengths whose mean is `bytes`. */
static bool run_allgatherv(size_t bytes, int call, MPI_Comm comm)
{
    int *counts = malloc((size_t)ranks * sizeof *counts), *places = malloc((size_t)ranks * sizeof *places);
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        bool last = i == ranks - 1 && ranks % 2;
        counts[i] = (int)bytes + (last ? 0 : i % 2 ? 3 : -3);
        places[i] = at;
    }
    char *own = malloc(bytes + 3), *all = calloc((size_t)ranks, bytes + 3);
    fill(own, (size_t)counts[rank], rank, call);
    bool good = topo_allgatherv(NULL, own, counts[rank], MPI_BYTE, all, counts, places, MPI_BYTE, comm) == MPI_SUCCESS;
    for (int from = 0; from < ranks; from++)
        good = good && is_filled(all + places[from], (size_t)counts[from], from, call);
    free(own);
    free(all);
    free(counts);
    free(places);
    return good;
}

/* From each root in turn; counted from the first one. */
static bool run_bcast(size_t bytes, int call, MPI_Comm comm)
{
    int root = counting ? 0 : call % ranks;
    char *data = calloc(bytes, 1);
    if (rank == root)
        fill(data, bytes, root, call);
    bool good = topo_bcast(NULL, data, (int)bytes, MPI_BYTE, root, comm) == MPI_SUCCESS;
    good = good && is_filled(data, bytes, root, call);
    free(data);
    return good;
}

/* A sum for each root in turn; counted for the first one. */
static bool run_reduce(size_t bytes, int call, MPI_Comm comm)
{
    int root = counting ? 0 : call % ranks, count = (int)(bytes / sizeof(int));
    int *own = calloc(bytes, 1), *sum = calloc(bytes, 1);
    for (int i = 0; i < count; i++)
        own[i] = rank * (i % 1000) + call;
    bool good = topo_reduce(NULL, own, sum, count, MPI_INT, MPI_SUM, root, comm) == MPI_SUCCESS;
    for (int i = 0; i < count && rank == root; i++)
        good = good && sum[i] == ranks * (ranks - 1) / 2 * (i % 1000) + ranks * call;
    free(own);
    free(sum);
    return good;
}

static bool run_barrier(size_t bytes, int call, MPI_Comm comm)
{
    (void)bytes;
    (void)call;
    return topo_barrier(NULL, comm) == MPI_SUCCESS;
}

typedef bool run_function(size_t bytes, int call, MPI_Comm comm);
static run_function *const runs[TOPO_OPERATION_COUNT] = {[TOPO_OPERATION_allgather] = run_allgather,
                                                         [TOPO_OPERATION_allgatherv] = run_allgatherv,
                                                         [TOPO_OPERATION_bcast] = run_bcast,
                                                         [TOPO_OPERATION_reduce] = run_reduce,
                                                         [TOPO_OPERATION_barrier] = run_barrier};

/* What a rule names for messages of `bytes`. With 16 nodes of one rank: messages of all ranks, and of the one that
 * sends most; -1: not looked at. With 4 nodes of 4: ranks that send to other nodes. */
struct expected {
    enum topo_operation operation;
    size_t bytes;
    const char *words;
    int messages, most, senders;
};
static const struct expected all_expected[] = {
    {TOPO_OPERATION_allgather, 100, "leader radix=2", 16 * 4, 4, 4},
    {TOPO_OPERATION_allgather, 101, "leader radix=3", -1, -1, 4},
    {TOPO_OPERATION_allgather, 102, "leader radix=8", -1, -1, 4},
    {TOPO_OPERATION_allgather, 103, "leader", 16 * 2 * 3, 6, 4},
    {TOPO_OPERATION_allgather, 104, "leader radix=16", 16 * 15, 15, 4},
    {TOPO_OPERATION_allgather, 105, "radix", 16 * 4, 4, 12},
    {TOPO_OPERATION_allgather, 106, "radix radix=4 drivers=1", 16 * 2 * 3, 6, 4},
    {TOPO_OPERATION_allgather, 107, "radix radix=4 drivers=2", 16 * 2 * 3, 6, 8},
    {TOPO_OPERATION_allgather, 108, "radix radix=16 drivers=3", 16 * 15, 15, 12},
    {TOPO_OPERATION_allgather, 109, "radix drivers=1", 16 * 4, 4, 4},
    {TOPO_OPERATION_allgather, 20000, "radix radix=3 drivers=2", -1, -1, 4},
    {TOPO_OPERATION_allgatherv, 100, "leader radix=2", 16 * 4, 4, 4},
    {TOPO_OPERATION_allgatherv, 101, "radix radix=3 drivers=3", -1, -1, -1},
    {TOPO_OPERATION_allgatherv, 102, "radix radix=8 drivers=2", -1, -1, 8},
    {TOPO_OPERATION_allgatherv, 103, "radix radix=4 drivers=1", 16 * 2 * 3, 6, 4},
    {TOPO_OPERATION_bcast, 100, "leader radix=2", 15, 4, -1},
    {TOPO_OPERATION_bcast, 101, "leader radix=3", 15, -1, -1},
    {TOPO_OPERATION_bcast, 102, "leader", 15, 6, -1},
    {TOPO_OPERATION_bcast, 103, "leader radix=16", 15, 15, -1},
    /* Of the pairs that differ in their segment alone the first one sends at least four times as many. */
    {TOPO_OPERATION_bcast, 65500, "chain segment=4K", -1, -1, 3},
    {TOPO_OPERATION_bcast, 65501, "chain segment=32K", -1, -1, 3},
    {TOPO_OPERATION_bcast, 65502, "circulant segment=4K", 15 * 16, -1, -1},
    {TOPO_OPERATION_bcast, 65503, "circulant segment=32K", 15 * 2, -1, -1},
    {TOPO_OPERATION_bcast, 65504, "chain segment=5000", -1, -1, 3},
    {TOPO_OPERATION_bcast, 65505, "circulant segment=5000", 15 * 14, -1, -1},
    {TOPO_OPERATION_reduce, 131072, "chain segment=4K", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131076, "chain segment=32K", -1, -1, -1},
    /* Down five trees, the first segments are shorter (lead, patterns/trees_shape.h): 20 of 75, and 10 of 14. */
    {TOPO_OPERATION_bcast, 262114, "trees segment=4K", 15 * 75, -1, -1},
    {TOPO_OPERATION_bcast, 262115, "trees segment=32K", 15 * 14, -1, -1},
    {TOPO_OPERATION_reduce, 131080, "circulant segment=4K", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131084, "circulant segment=32K", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131096, "trees segment=4K", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131100, "trees segment=32K", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131088, "chain segment=5000", -1, -1, -1},
    {TOPO_OPERATION_reduce, 131092, "circulant segment=5000", -1, -1, -1},
    {TOPO_OPERATION_allgather, 65536, "lanes segment=4K", 16 * 15 * 16, -1, -1},
    {TOPO_OPERATION_allgather, 65540, "lanes segment=5000", -1, -1, -1},
    {TOPO_OPERATION_allgather, 65535, "lanes segment=32K", 16 * 15 * 2, -1, -1},
    {TOPO_OPERATION_allgatherv, 65536, "lanes segment=4K", -1, -1, -1},
    {TOPO_OPERATION_allgatherv, 65540, "lanes segment=32K", -1, -1, -1},
};
static const struct expected barriers[] = {{TOPO_OPERATION_barrier, 0, "leader", 16 * 4, 4, 4},
                                           {TOPO_OPERATION_barrier, 0, "leader radix=4", 16 * 2 * 3, 6, 4},
                                           {TOPO_OPERATION_barrier, 0, "leader radix=3", -1, -1, 4},
                                           {TOPO_OPERATION_barrier, 0, "tree", 30, 15, 4},
                                           {TOPO_OPERATION_barrier, 0, "tree radix=2", 30, 4, 4},
                                           {TOPO_OPERATION_barrier, 0, "tree radix=3", 30, -1, 4}};
enum { EXPECTED = sizeof all_expected / sizeof *all_expected, BARRIERS = sizeof barriers / sizeof *barriers };

static char path[64];

static void add_rule(FILE *file, const struct expected *expected)
{
    fprintf(file, "%s", topo_operation_name(expected->operation));
    if (expected->bytes)
        fprintf(file, " bytes=%zu", expected->bytes);
    fprintf(file, " %s\n", expected->words);
}

/* Rank 0 writes the file that the next machine is used with: all rules, the barrier's, and what else there is. */
static void write_rules(int barrier, const char *more)
{
    FILE *file = rank == 0 ? fopen(path, "w") : NULL;
    if (!file)
        return;
    for (int i = 0; i < EXPECTED; i++)
        add_rule(file, &all_expected[i]);
    add_rule(file, &barriers[barrier]);
    fputs(more, file);
    fclose(file);
}

/* Messages of all ranks for what was looked at last, and whether it is the second of a pair as above. */
static int before;
static const struct expected *last_one;

static bool is_second(const struct expected *expected)
{
    return last_one && expected->operation == last_one->operation && strstr(expected->words, "segment=32K") &&
           strstr(last_one->words, "segment=4K");
}

static void check(const struct expected *expected, MPI_Comm comm, const char *machine)
{
    run_function *const run = runs[expected->operation];
    bool good = true;
    for (int call = 0; call < 3; call++) {
        good &= run(expected->bytes, call, comm);
        good &= run_barrier(0, call, comm); /* in which a broadcast gets what it must not wait for */
    }
    sent = 0;
    counting = true;
    good &= run(expected->bytes, 3, comm);
    counting = false;
    harness_check(good, "%s %s on %s", topo_operation_name(expected->operation), expected->words, machine);
    int here[] = {sent, sent > 0}, sum[2], most;
    PMPI_Allreduce(here, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    PMPI_Allreduce(&sent, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!strcmp(machine, "synthetic:node:16 core:1")) {
        if (is_second(expected))
            harness_check(before >= 4 * sum[0] && sum[0] > 0, "%s %s on %s: %d messages, %d with segment=4K",
                          topo_operation_name(expected->operation), expected->words, machine, sum[0], before);
        harness_check(expected->messages < 0 || sum[0] == expected->messages, "%s %s on %s: %d messages",
                      topo_operation_name(expected->operation), expected->words, machine, sum[0]);
        harness_check(expected->most < 0 || most == expected->most, "%s %s on %s: %d messages of a rank",
                      topo_operation_name(expected->operation), expected->words, machine, most);
    }
    before = sum[0];
    last_one = expected;
    if (!strcmp(machine, "synthetic:node:4 core:4"))
        harness_check(expected->senders < 0 || sum[1] == expected->senders, "%s %s on %s: %d ranks send",
                      topo_operation_name(expected->operation), expected->words, machine, sum[1]);
}

static void check_machine(const char *machine, int barrier)
{
    MPI_Comm comm;
    write_rules(barrier, "");
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < EXPECTED; i++)
        check(&all_expected[i], comm, machine);
    check(&barriers[barrier], comm, machine);
    MPI_Comm_free(&comm);
}

/* While forms of one algorithm with other parameters take turns. */
static void check_turns(const char *machine)
{
    enum { CALLS = 400 };
    MPI_Comm comm;
    bool good = true;
    write_rules(0, "allgather bytes=500 leader radix=2 or radix radix=3 or radix radix=8 drivers=2 or ring\n");
    harness_option("TOPOMPI_GUARD", "on");
    if (harness_use_machine(machine)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < CALLS; call++)
            good &= run_allgather(500, call, comm);
        harness_check(good, "forms take turns on %s", machine);
        MPI_Comm_free(&comm);
    }
    harness_option("TOPOMPI_GUARD", "off");
}

int main(int argc, char **argv)
{
    const char *machine, *last = "auto";
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(path, sizeof path, "/tmp/test_parameters.%d", (int)getpid());
    PMPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
    harness_option("TOPOMPI_TUNING", path);
    harness_option("TOPOMPI_GUARD", "off");
    for (int i = 0; (machine = harness_machine(i)); i++)
        check_machine(last = machine, i % BARRIERS);
    for (int barrier = 0; ranks == 16 && barrier < BARRIERS; barrier++) {
        check_machine("synthetic:node:16 core:1", barrier);
        check_machine("synthetic:node:4 core:4", barrier);
    }
    check_turns(last);
    if (rank == 0)
        unlink(path);
    return harness_finish();
}
