/* MPI_Allreduce beyond sums of small numbers: the same bits on every rank and every time, NaN's included; user
 * operations, commutative and not, on types with gaps and of any order; errors; packets longer than memory; threads;
 * vectors of more than 2 GiB. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/allreduce/allreduce.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/types.h"

static int rank, ranks;

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state ^ *state >> 29;
}

/* Ordinary values, whose sums depend on the order, among NaNs of many kinds, infinities and zeros of both signs. */
static void fill_doubles(double *values, int count, bool special)
{
    uint64_t state = (uint64_t)rank * 977 + 5;
    for (int i = 0; i < count; i++) {
        uint64_t bits = next_random(&state);
        unsigned kind = special ? bits >> 40 & 31 : 31;
        values[i] = (double)(int64_t)bits * 1e-7 / (double)(1 + (bits & 1023));
        bits = kind == 0   ? UINT64_C(0x7ff8000000000000) | (bits & UINT64_C(0x8000ffffffffffff))
               : kind == 1 ? UINT64_C(0x7ff0000000000000) | (bits & UINT64_C(0x8000000000000000))
               : kind == 2 ? bits & UINT64_C(0x8000000000000000)
                           : 0;
        if (kind <= 2)
            memcpy(&values[i], &bits, sizeof bits);
    }
}

/* Bits that all ranks and two calls, the second on another communicator, agree on. */
static bool same_bits(const struct topo_algorithm *algorithm, MPI_Op op, int count, bool special)
{
    size_t bytes = sizeof(double) * (size_t)count;
    double *send = malloc(bytes), *receive[2] = {malloc(bytes), malloc(bytes)}, *first = malloc(bytes);
    bool equal = true;
    fill_doubles(send, count, special);
    for (int i = 0; i < 2; i++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        if (i)
            memcpy(receive[i], send, bytes);
        equal = topo_allreduce(algorithm, i ? MPI_IN_PLACE : send, receive[i], count, MPI_DOUBLE, op, comm) ==
                    MPI_SUCCESS &&
                equal;
        memcpy(first, receive[i], bytes);
        PMPI_Bcast(first, count, MPI_DOUBLE, 0, comm);
        equal = equal && !memcmp(first, receive[i], bytes);
        MPI_Comm_free(&comm);
    }
    /* Where the input lies decides nothing but where NaNs meet; without them both calls agree. */
    if (!special)
        equal = equal && !memcmp(receive[0], receive[1], bytes);
    free(send);
    free(receive[0]);
    free(receive[1]);
    free(first);
    return equal;
}

static void all_bits(const struct topo_algorithm *algorithm, const char *machine)
{
    static const int counts[] = {1, 5, 37, 1001, 20011};
    const bool by_mpich = HARNESS_MPICH && (algorithm == topo_algorithm_native(algorithm->operation) ||
                                            !topo_algorithm_applies(algorithm, ranks, NULL));
    const struct {
        const char *name;
        MPI_Op op;
    } ops[] = {{"sum", MPI_SUM}, {"prod", MPI_PROD}, {"max", MPI_MAX}, {"min", MPI_MIN}};
    for (int c = 0; c < 5; c++)
        for (int o = 0; o < 4; o++)
            /* With NaNs the ranks of MPICH's own do not agree. */
            for (int special = 0; special < (by_mpich ? 1 : 2); special++)
                harness_check(same_bits(algorithm, ops[o].op, counts[c], special), "%s on %s: bits of the %s of %d%s",
                              algorithm->name, machine, ops[o].name, counts[c], special ? ", NaNs among them" : "");
}

/* -- user operations ------------------------------------------------------- */

static bool is_right(const struct topo_algorithm *algorithm, const struct test_type *type, MPI_Op op,
                     test_combine *each, int count, bool in_place, MPI_Comm comm)
{
    void *base[3], *block[3];
    size_t bytes;
    bool equal;
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(type, count, 0x5a, &base[i], &bytes);
    for (int i = 0; i < 3; i++)
        if (i == 2 || in_place)
            test_fill(type, count, base[i], (unsigned)rank + 1);
    test_reference(type, count, base[1], each, MPI_COMM_WORLD);
    equal = topo_allreduce(algorithm, in_place ? MPI_IN_PLACE : base[2], base[0], count, type->type, op, comm) ==
                MPI_SUCCESS &&
            !memcmp(block[0], block[1], bytes);
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

/* Open MPI 4.1's ring takes no account of where a type's bytes begin: with a negative
 * lower bound it writes outside its buffers. What goes to it is left out. */
static bool native_fails(const struct topo_algorithm *algorithm, const struct test_type *type, bool commutes)
{
    MPI_Aint lb, extent;
    PMPI_Type_get_true_extent(type->type, &lb, &extent);
    return lb < 0 &&
           (algorithm->id == TOPO_ALGORITHM_allreduce_native || !topo_algorithm_applies(algorithm, ranks, NULL) ||
            (!commutes && topo_algorithm_misses(algorithm, TOPO_TRAIT_COMMUTATIVE, NULL)));
}

struct on {
    const struct topo_algorithm *algorithm;
    MPI_Comm comm;
    const char *machine;
};

static void user_operation(const struct test_type *type, const struct test_user_op *op, int count, bool in_place,
                           int round, const void *context)
{
    const struct on *on = context;
    (void)round;
    harness_check(native_fails(on->algorithm, type, op->commutes) ||
                      is_right(on->algorithm, type, op->op, op->each, count, in_place, on->comm),
                  "%s on %s: a user's operation that %s on %d x %s%s", on->algorithm->name, on->machine,
                  op->commutes ? "commutes" : "does not commute", count, type->name, in_place ? ", in place" : "");
}

static void user_operations(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int counts[] = {1, 2, 16, 1003};
    test_user_operations(counts, 4, user_operation, &(struct on){algorithm, comm, machine});
}

/* -- threads --------------------------------------------------------------- */

/* What the library calls in place of MPI's: with threads it is not to (job/threads.h). */
static _Atomic int waits;

int PMPI_Waitany(int count, MPI_Request *request, int *index, MPI_Status *status)
{
    waits++;
    return MPI_Waitany(count, request, index, status);
}

struct worker {
    int index;
    MPI_Comm comm;
    bool right;
    pthread_t thread;
};

static void *work(void *argument)
{
    enum { COUNT = 3000 };
    struct worker *worker = argument;
    double *values = malloc(sizeof *values * COUNT), *sums = malloc(sizeof *sums * COUNT);
    worker->right = true;
    for (int id = 0, iteration = 0; iteration < 3 * TOPO_ALGORITHM_COUNT; id = ++iteration % TOPO_ALGORITHM_COUNT) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        int count = 1 + (iteration * 577 + worker->index * 31) % COUNT;
        if (algorithm->operation != TOPO_OPERATION_allreduce)
            continue;
        for (int i = 0; i < count; i++)
            values[i] = rank + i * (worker->index + 1);
        int code = topo_allreduce(algorithm, values, sums, count, MPI_DOUBLE, MPI_SUM, worker->comm);
        for (int i = 0; i < count; i++)
            worker->right = worker->right && code == MPI_SUCCESS &&
                            sums[i] == ranks * (ranks - 1) / 2 + (double)ranks * i * (worker->index + 1);
    }
    free(values);
    free(sums);
    return NULL;
}

static void threads(const char *machine)
{
    enum { WORKERS = 3 };
    struct worker workers[WORKERS];
    int level;
    bool right = true;
    MPI_Query_thread(&level);
    if (level < MPI_THREAD_MULTIPLE || !harness_use_machine(machine))
        return;
    for (int i = 0; i < WORKERS; i++) {
        workers[i] = (struct worker){.index = i};
        MPI_Comm_dup(MPI_COMM_WORLD, &workers[i].comm);
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        right = right && workers[i].right;
        MPI_Comm_free(&workers[i].comm);
    }
    harness_check(right, "three threads at once on %s", machine);
    harness_check(waits == 0, "%d calls of MPI_Waitany in a job with MPI_THREAD_MULTIPLE", waits);
}

/* -- long ------------------------------------------------------------------ */

/* Packets longer than any block, and than memory. */
static void long_packets(const char *machine)
{
    static const char *const packets[] = {"1G", "64G"};
    const struct test_type type = {"int", MPI_INT, 1};
    for (int i = 0; i < 2; i++) {
        MPI_Comm comm;
        harness_option("TOPOMPI_PACKET", packets[i]);
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
            if (topo_algorithm(id)->operation == TOPO_OPERATION_allreduce)
                harness_check(is_right(topo_algorithm(id), &type, MPI_SUM, test_add, 40001, false, comm),
                              "%s in packets of %s", topo_algorithm(id)->name, packets[i]);
        MPI_Comm_free(&comm);
    }
    harness_option("TOPOMPI_PACKET", "auto");
}

/* More bytes than an int counts, in place; where two such vectors and a block are at hand. */
static void huge(const char *machine)
{
    static const char *const cases[][2] = {{"cyclic", "auto"}, {"cyclic", "0"}, {"recursive_doubling", "auto"}};
    const int count = (1 << 28) + 4099;
    const int64_t needed = (int64_t)14 << 30;
    int64_t there = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
    PMPI_Bcast(&there, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    if (ranks != 2 || there < needed || getenv("TEST_MACHINES"))
        return;
    double *values = malloc(sizeof *values * (size_t)count);
    for (int i = 0; i < 3; i++) {
        MPI_Comm comm;
        harness_option("TOPOMPI_PACKET", cases[i][1]);
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int k = 0; values && k < count; k++)
            values[k] = (k & 0xffff) + rank;
        int code = values ? topo_allreduce(topo_algorithm_find(TOPO_OPERATION_allreduce, cases[i][0]), MPI_IN_PLACE,
                                           values, count, MPI_DOUBLE, MPI_SUM, comm)
                          : MPI_ERR_NO_MEM;
        bool right = code == MPI_SUCCESS;
        for (int k = 0; right && k < count; k++)
            right = values[k] == 2 * (k & 0xffff) + 1;
        harness_check(right, "%s of more than 2 GiB in packets of %s", cases[i][0], cases[i][1]);
        MPI_Comm_free(&comm);
    }
    free(values);
    harness_option("TOPOMPI_PACKET", "auto");
}

int main(int argc, char **argv)
{
    const char *machine, *last = NULL;
    setenv("OMPI_MPI_THREAD_LEVEL", "3", 1); /* MPI_Init gives MPI_THREAD_MULTIPLE */
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        /* One node of all: the MPI library's own. The others: dealt and uneven ones, and the first. */
        if (!strstr(machine, "by:node") && !strstr(machine, "core:1"))
            continue;
        if (!harness_use_machine(machine))
            continue;
        last = machine;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            if (topo_algorithm(id)->operation != TOPO_OPERATION_allreduce)
                continue;
            all_bits(topo_algorithm(id), machine);
            user_operations(topo_algorithm(id), comm, machine);
            test_wrong_reductions(topo_algorithm(id), comm);
        }
        MPI_Comm_free(&comm);
    }
    if (last && ranks > 1) {
        threads(last);
        long_packets(last);
        huge(last);
    }
    return harness_finish();
}
