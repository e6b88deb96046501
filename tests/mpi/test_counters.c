/* Counters of iterations, calls and pieces come to the ends of their 32 bits: every algorithm of every operation in
 * rows of calls across them, from start values shortly before (node/node.h), each result compared. Rows of equal calls,
 * which leave a segment laid out as it was when it was new, and mixed ones; then operations among each other.
 *
 *   test_counters [crowded]   `crowded`: fewer calls, on nodes of all ranks and of half of them, for jobs of 64 ranks
 *                             and more, in fours (docs/LEVELS.md, nodes of many ranks) */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "node/flag.h"
#include "node/node.h"
#include "mpi/calls.h"
#include "mpi/harness.h"

enum {
    SETS = 6,
    BEFORE = 5, /* iterations, pieces, or calls in each of eight areas before an end */
    EQUAL = 80,
    MIXED = 45,
    CROWDED = 14 /* more than there are buffers */
};

/* Ends: the sign of a difference, 32 bits, and those of later iterations round. Where no call had parts, their counters
 * stay behind. */
static const struct topo_counters starts[] = {
    {(UINT64_C(1) << 31) - BEFORE, (UINT32_C(1) << 31) - BEFORE},
    {(UINT64_C(1) << 32) - BEFORE, UINT32_MAX - BEFORE},
    {(UINT64_C(1) << 31) + BEFORE, 0},
    {(UINT64_C(1) << 32) - BEFORE, 0},
    {(UINT64_C(5) << 32) - BEFORE, UINT32_MAX - 3 * BEFORE},
};

static int rank, ranks;
static bool crowded;

/* What a call sends and what it is to give. */
struct set {
    struct test_call call;
    unsigned *send, *expected;
    size_t bytes; /* received */
};

static void make(struct set *set, enum topo_operation operation, int count, int root, MPI_Comm comm)
{
    set->call = (struct test_call){.operation = operation,
                                   .count = count,
                                   .send_type = MPI_UNSIGNED,
                                   .receive_type = MPI_UNSIGNED,
                                   .op = MPI_SUM,
                                   .root = root};
    size_t sent = (size_t)test_call_sends(&set->call, comm);
    set->bytes = (size_t)test_call_receives(&set->call, comm) * sizeof(unsigned);
    set->send = malloc(sent * sizeof(unsigned) + 1);
    set->expected = malloc(set->bytes + 1);
    for (size_t i = 0; i < sent; i++)
        set->send[i] = (unsigned)(rank + 1) * 2654435761u + (unsigned)(i + (size_t)count) * 40503u;
    for (size_t i = 0; i < set->bytes / sizeof(unsigned); i++)
        set->expected[i] = (unsigned)(root + 7) * (unsigned)(i + 3) * (rank == root); /* what a broadcast sends */
    set->call.send = set->send;
    set->call.receive = set->expected;
    test_call(&set->call, NULL, comm);
}

static void forget(struct set *set)
{
    free(set->send);
    free(set->expected);
}

/* One call; true when it gives what it is to give. */
static bool works(const struct set *set, const struct topo_algorithm *algorithm, unsigned *receive, MPI_Comm comm)
{
    struct test_call call = set->call;
    call.receive = receive;
    memset(receive, 0x5a, set->bytes);
    if ((call.operation == TOPO_OPERATION_bcast && rank == call.root) ||
        (call.operation == TOPO_OPERATION_exscan && rank == 0)) /* who gets nothing keeps what is there */
        memcpy(receive, set->expected, set->bytes);
    return test_call(&call, algorithm, comm) == MPI_SUCCESS && !memcmp(receive, set->expected, set->bytes);
}

/* A row of calls on a communicator whose segments are new; `set` of them, all alike or in turn. */
static bool row(const struct topo_algorithm *algorithm, const struct set *set, int sets, int calls)
{
    MPI_Comm comm;
    size_t bytes = 0;
    bool good = true;
    for (int i = 0; i < sets; i++)
        bytes = set[i].bytes > bytes ? set[i].bytes : bytes;
    unsigned *receive = malloc(bytes + 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < calls; call++) {
        if (call % 37 == rank)
            usleep(100); /* others get ahead */
        good &= works(&set[call * 5 / 3 % sets], algorithm, receive, comm);
    }
    MPI_Comm_free(&comm);
    free(receive);
    return good;
}

/* Short, of several pieces and iterations, and some between. */
static const int counts[SETS] = {1, 45000, 300, 9000, 2, 1300};

static void one_by_one(const char *machine, const struct topo_counters *start)
{
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        struct set set[SETS];
        if (algorithm == topo_algorithm_native(algorithm->operation))
            continue;
        for (int i = 0; i < SETS; i++) {
            bool shares = !test_call_reduces(algorithm->operation) && algorithm->operation != TOPO_OPERATION_bcast;
            make(&set[i], algorithm->operation, shares ? counts[i] / ranks + 1 : counts[i], i % ranks, MPI_COMM_WORLD);
        }
        for (int kind = crowded ? 2 : 0; kind < 3; kind++) {
            static const char *const kinds[] = {"short", "long", "mixed"};
            int calls = crowded ? CROWDED : kind == 0 ? EQUAL : kind == 1 ? MIXED / 3 : MIXED;
            harness_check(row(algorithm, set + (kind == 1), kind == 2 ? SETS : 1, calls),
                          "%s %s on %s: %s calls from turn %llu on, parts from %u",
                          topo_operation_name(algorithm->operation), algorithm->name, machine, kinds[kind],
                          (unsigned long long)start->iterations, start->parts);
        }
        for (int i = 0; i < SETS; i++)
            forget(&set[i]);
    }
}

/* All of them in turn on one communicator. */
static void together(const char *machine, const struct topo_counters *start)
{
    struct set set[TOPO_OPERATION_COUNT][2];
    unsigned *receive = malloc((size_t)counts[3] * (size_t)(ranks + 4) * sizeof *receive);
    MPI_Comm comm;
    bool good = true;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (int i = 0; i < 2; i++)
            make(&set[operation][i], (enum topo_operation)operation, counts[i ? 3 : 0], i, MPI_COMM_WORLD);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < (crowded ? 1 : 4) * TOPO_ALGORITHM_COUNT; call++) {
        const struct topo_algorithm *algorithm =
            topo_algorithm((enum topo_algorithm_id)(call * 7 % TOPO_ALGORITHM_COUNT));
        good &= works(&set[algorithm->operation][call / TOPO_ALGORITHM_COUNT % 2], algorithm, receive, comm);
    }
    MPI_Comm_free(&comm);
    harness_check(good, "all operations in turn on %s: from turn %llu on, parts from %u", machine,
                  (unsigned long long)start->iterations, start->parts);
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        for (int i = 0; i < 2; i++)
            forget(&set[operation][i]);
    free(receive);
}

/* Idle iterations of a rank that waits for hours: their number stops growing. */
static void idle(void)
{
    const struct topo_wait_policy policy = {.oversubscribed = true};
    int iterations = 0, most = 0;
    for (int i = 0; i < 1000; i++) {
        topo_idle(&iterations, false, &policy);
        most = iterations > most ? iterations : most;
    }
    harness_check(iterations == most && most < 1000, "idle turns without end: %d, at most %d", iterations, most);
}

static void on_machine(const char *machine, const struct topo_counters *start)
{
    topo_counters_start = *start;
    one_by_one(machine, start);
    together(machine, start);
    topo_counters_start = (struct topo_counters){0, 0};
}

/* Nodes of many ranks: with NUMA domains, without, and uneven ones. */
static void on_crowded_nodes(void)
{
    const struct topo_counters *const from[] = {&(const struct topo_counters){0, 0}, &starts[1]};
    char machine[3][80];
    snprintf(machine[0], sizeof *machine, "synthetic:node:1 package:2 numa:2 core:%d", ranks / 4);
    snprintf(machine[1], sizeof *machine, "synthetic:node:2 core:%d by:node", ranks / 2);
    snprintf(machine[2], sizeof *machine, "synthetic:node:3 core:%d,3,%d", ranks - ranks / 4 - 3, ranks / 4);
    for (int m = 0; m < 3; m++)
        if (harness_use_machine(machine[m]))
            on_machine(machine[m], from[m % 2]);
}

int main(int argc, char **argv)
{
    const char *machine;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    crowded = argc > 1 && !strcmp(argv[1], "crowded");
    idle();
    if (crowded)
        on_crowded_nodes();
    for (size_t i = 0; i < sizeof starts / sizeof *starts && !crowded; i++)
        for (int m = 0; (machine = harness_machine(m)); m++) {
            /* One node, two, as many as ranks, uneven ones. */
            if (!strncmp(machine, "synthetic:node", 14) && !strstr(machine, "package") && harness_use_machine(machine))
                on_machine(machine, &starts[i]);
        }
    return harness_finish();
}
