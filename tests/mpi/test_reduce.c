/* Every algorithm of MPI_Reduce: against PMPI_Reduce and against the operands combined one after the other, byte for
 * byte, gaps included, to every root; only the root's buffer is written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "coll/reduce/reduce.h"
#include "job/job.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

static int rank, ranks;

/* One call of `count` elements of a predefined type in both ways. On an inter-communicator `root` is a rank of the
 * lower group's. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, MPI_Datatype datatype, MPI_Op op, int count,
                 int root, bool in_place)
{
    const struct test_type type = {"", datatype, 1};
    int self, inter;
    MPI_Aint lb, extent;
    void *send, *base[2], *block[3];
    size_t bytes;
    MPI_Comm_rank(comm, &self);
    MPI_Comm_test_inter(comm, &inter);
    bool gets = self == root;
    if (HARNESS_MPICH && count > 100)
        in_place = false; /* 4.0.2 reads long vectors at MPI_IN_PLACE itself where the root is no power of two */
    if (inter) {
        gets = rank == 0;
        root = rank >= ranks / 2 ? 0 : gets ? MPI_ROOT : MPI_PROC_NULL;
        in_place = false;
    }
    PMPI_Type_get_extent(datatype, &lb, &extent);
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(&type, count, 0, i < 2 ? &base[i] : &send, &bytes);
    for (int i = 0; i < count; i++) /* whole numbers, which add up exactly in any order */
        for (int k = 0; k < 3; k++) {
            char *at = (char *)(k < 2 ? base[k] : send) + i * extent;
            if (datatype == MPI_DOUBLE)
                *(double *)(void *)at = (self * 7 + i) % 11;
            else if (datatype == MPI_SHORT_INT) /* a short, a gap, the place of the least */
                *(short *)(void *)at = (short)((self * 5 + i) % 4), ((int *)(void *)at)[1] = self;
            else
                *(int *)(void *)at = (self * 7 + i) % 11;
        }
    bool from_result = in_place && gets;
    const void *from = from_result ? MPI_IN_PLACE : send;
    int ours = topo_reduce(algorithm, from, base[0], count, datatype, op, root, comm);
    const struct key {
        MPI_Datatype type;
        MPI_Op op;
        int count, root;
        long in_place;
    } key = {datatype, op, count, root, in_place};
    int native;
    if (!test_recall(&key, sizeof key, comm, block[1], bytes, &native)) {
        native = PMPI_Reduce(from, base[1], count, datatype, op, root, comm);
        test_remember(&key, sizeof key, comm, block[1], bytes, native);
    }
    bool equal = ours == native && (gets ? !memcmp(block[0], block[1], bytes) : !memcmp(block[0], block[2], bytes));
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

static void all_counts(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int counts[] = {0, 1, 3, 16, 1000, 4099, 50001};
    for (int c = 0; c < 7; c++)
        for (int in_place = 0; in_place < 2; in_place++) {
            int root = (2 * c + in_place) % ranks;
            harness_check(same(algorithm, comm, MPI_DOUBLE, MPI_SUM, counts[c], root, in_place),
                          "%s on %s: %d doubles to %d%s", algorithm->name, machine, counts[c], root,
                          in_place ? ", in place" : "");
            harness_check(same(algorithm, comm, MPI_SHORT_INT, MPI_MINLOC, counts[c], root, in_place),
                          "%s on %s: %d pairs with gaps to %d%s", algorithm->name, machine, counts[c], root,
                          in_place ? ", in place" : "");
        }
}

/* A user's operation; the result must be that of the ranks' operands one after the other. */
static bool is_right(const struct topo_algorithm *algorithm, const struct test_type *type, MPI_Op op,
                     test_combine *each, int count, int root, bool in_place, MPI_Comm comm)
{
    void *base[3], *block[3];
    size_t bytes;
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(type, count, 0x5a, &base[i], &bytes);
    in_place = in_place && rank == root;
    for (int i = 0; i < 3; i++)
        if (i == 2 || in_place)
            test_fill(type, count, base[i], (unsigned)rank + 1);
    test_reference(type, count, base[1], each, comm);
    int code = topo_reduce(algorithm, in_place ? MPI_IN_PLACE : base[2], base[0], count, type->type, op, root, comm);
    bool equal = code == MPI_SUCCESS && (rank != root || !memcmp(block[0], block[1], bytes));
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

struct on {
    const struct topo_algorithm *algorithm;
    MPI_Comm comm;
    const char *machine;
    bool native;
};

static void user_operation(const struct test_type *type, const struct test_user_op *op, int count, bool in_place,
                           int round, const void *context)
{
    const struct on *on = context;
    const struct topo_algorithm *runs = on->native ? topo_algorithm_native(on->algorithm->operation) : on->algorithm;
    int root = round % ranks;
    in_place = in_place && !(HARNESS_MPICH && count > 100);
    if (!test_fails_natively(runs, type, op->commutes))
        harness_check(is_right(on->algorithm, type, op->op, op->each, count, root, in_place, on->comm),
                      "%s on %s: a user's operation that %s on %d x %s to %d%s", on->algorithm->name, on->machine,
                      op->commutes ? "commutes" : "does not commute", count, type->name, root,
                      in_place ? ", in place" : "");
}

static void user_operations(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine, bool native)
{
    static const int counts[] = {1, 2, 16, 1003};
    test_user_operations(counts, 4, user_operation, &(struct on){algorithm, comm, machine, native});
}

/* Values whose sum depends on the order of additions. */
static double *delicate(int count)
{
    double *values = malloc((size_t)count * sizeof *values);
    for (int i = 0; i < count; i++)
        values[i] = 1e-7 * (double)((uint32_t)(rank * 7919 + i) * 2654435761u) / (1 + i % 1023);
    return values;
}

/* Such sums by `chain` have the same bits every time, in place, too; on up to 4 nodes, where it is no tree
 * (topo_reduce_cut_chain()), whatever the length of the vector and whether ranks share processors. */
static void same_bits_every_time(MPI_Comm comm, const char *machine)
{
    static const int counts[] = {3, 5003, 40001, 17};
    enum { MOST = 40001 };
    const struct topo_algorithm *chain = topo_algorithm_find(TOPO_OPERATION_reduce, "chain");
    double *values = delicate(MOST), *first = malloc(MOST * sizeof *first), *again = malloc(MOST * sizeof *again);
    bool equal = true, oversubscribed = topo_job.oversubscribed;
    struct topo_comm *state = NULL;
    topo_comm_of(comm, &state);
    for (int root = 0; root < ranks; root += 2) {
        topo_reduce(chain, values, first, MOST, MPI_DOUBLE, MPI_SUM, root, comm);
        for (int i = 0; i < 4; i++) {
            topo_job.oversubscribed = i >= 2;
            size_t bytes = (size_t)counts[i] * sizeof *values;
            bool in_place = i % 2 && rank == root;
            if (state && state->layout.nodes > 4)
                topo_reduce(chain, values, first, counts[i], MPI_DOUBLE, MPI_SUM, root, comm);
            memcpy(again, values, bytes);
            topo_reduce(chain, in_place ? MPI_IN_PLACE : values, again, counts[i], MPI_DOUBLE, MPI_SUM, root, comm);
            equal &= !memcmp(again, rank == root ? first : values, bytes);
        }
        topo_job.oversubscribed = oversubscribed;
    }
    harness_check(equal, "bits of every time on %s", machine);
    free(values);
    free(first);
    free(again);
}

/* Such sums by `circulant` and `trees` have the same bits every time, for one length. */
static void same_bits_for_a_length(const char *name, MPI_Comm comm, const char *machine)
{
    enum { COUNT = 40001 };
    const struct topo_algorithm *algorithm = topo_algorithm_find(TOPO_OPERATION_reduce, name);
    double *values = delicate(COUNT), *first = malloc(COUNT * sizeof *first), *again = malloc(COUNT * sizeof *again);
    bool equal = true;
    for (int root = 0; root < ranks; root += 2) {
        topo_reduce(algorithm, values, first, COUNT, MPI_DOUBLE, MPI_SUM, root, comm);
        memcpy(again, values, COUNT * sizeof *again);
        topo_reduce(algorithm, rank == root ? MPI_IN_PLACE : values, again, COUNT, MPI_DOUBLE, MPI_SUM, root, comm);
        equal &= !memcmp(again, rank == root ? first : values, COUNT * sizeof *again);
    }
    harness_check(equal, "bits of %s on %s", name, machine);
    free(values);
    free(first);
    free(again);
}

/* Such sums by `leader` and `halving` have the bits of all-reduce `leader`, whichever the root, every time. */
static void same_bits(MPI_Comm comm, const char *machine)
{
    enum { COUNT = 5003 };
    const struct topo_algorithm *all = topo_algorithm_find(TOPO_OPERATION_allreduce, "leader");
    const struct topo_algorithm *const one[] = {topo_algorithm_find(TOPO_OPERATION_reduce, "leader"),
                                                topo_algorithm_find(TOPO_OPERATION_reduce, "halving")};
    double *values = delicate(COUNT), *sums[2];
    bool equal = true;
    for (int i = 0; i < 2; i++)
        sums[i] = calloc(COUNT, sizeof *sums[i]);
    for (int root = 0; root < ranks; root++) {
        int count = root % 2 ? COUNT : 3;
        topo_allreduce(all, values, sums[0], count, MPI_DOUBLE, MPI_SUM, comm);
        for (int i = 0; i < 2; i++) {
            topo_reduce(one[i], values, sums[1], count, MPI_DOUBLE, MPI_SUM, root, comm);
            equal &= rank != root || !memcmp(sums[0], sums[1], (size_t)count * sizeof *values);
            memset(sums[1], 0, COUNT * sizeof *values);
        }
    }
    harness_check(equal, "bits of allreduce on %s", machine);
    free(values);
    free(sums[0]);
    free(sums[1]);
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    (void)context;
    return same(algorithm, comm->comm, MPI_INT, MPI_MAX, 1001, comm->ranks - 1, false);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, MPI_INT, MPI_SUM, 90, ranks / 2, true), algorithm->name);
}

/* Calls in a row to changing roots, among others that use the same memory of the node, while some ranks are late:
 * what a call left there must not be taken for another's. */
static void in_a_row(MPI_Comm comm, const char *machine, const char *node)
{
    enum { CALLS = 120, INTS = 70000 };
    static const int sizes[] = {1, 700, 1, 20000, 3, 100, 9000, INTS};
    const struct topo_algorithm *const reduce[] = {topo_algorithm_find(TOPO_OPERATION_reduce, "leader"),
                                                   topo_algorithm_find(TOPO_OPERATION_reduce, "chain"),
                                                   topo_algorithm_find(TOPO_OPERATION_reduce, "circulant"),
                                                   topo_algorithm_find(TOPO_OPERATION_reduce, "halving"), NULL};
    const struct topo_algorithm *all_reduce = topo_algorithm_find(TOPO_OPERATION_allreduce, "lanes");
    const struct topo_algorithm *gather = topo_algorithm_find(TOPO_OPERATION_allgather, "leader");
    const struct topo_algorithm *bcast = topo_algorithm_find(TOPO_OPERATION_bcast, "leader");
    int *data = malloc(INTS * sizeof *data), *sums = malloc(INTS * sizeof *sums);
    int *all = malloc((size_t)ranks * sizeof *all);
    bool good = true;
    for (int call = 0; call < CALLS; call++) {
        int root = call * 5 / 3 % ranks, ints = sizes[call % 8], last = rank;
        if (call % 7 == rank % 7)
            usleep(300);
        for (int i = 0; i < ints; i++)
            data[i] = call * 1009 + i + rank;
        good &= topo_reduce(reduce[call % 4 == 3 ? 4 : call / 2 % 4], data, sums, ints, MPI_INT, MPI_SUM, root, comm) ==
                MPI_SUCCESS;
        for (int i = 0; i < ints && rank == root; i++)
            good &= sums[i] == ranks * (call * 1009 + i) + ranks * (ranks - 1) / 2;
        if (call % 5 == 0) {
            topo_allreduce(all_reduce, data, sums, ints, MPI_INT, MPI_SUM, comm);
            for (int i = 0; i < ints; i++)
                good &= sums[i] == ranks * (call * 1009 + i) + ranks * (ranks - 1) / 2;
        }
        if (call % 5 == 2) {
            topo_allgather(gather, &rank, 1, MPI_INT, all, 1, MPI_INT, comm);
            for (int i = 0; i < ranks; i++)
                good &= all[i] == i;
        }
        if (call % 5 == 4) {
            topo_bcast(bcast, &last, 1, MPI_INT, ranks - 1, comm);
            good &= last == ranks - 1;
        }
    }
    harness_check(good, "calls in a row on %s, %s shared", machine, node);
    free(data);
    free(sums);
    free(all);
}

/* A rank that is not the root and drives nothing is through before the others come: it tells them to. */
static void others_go_on(MPI_Comm comm, const char *machine, const char *name)
{
    const struct topo_algorithm *algorithm = topo_algorithm_find(TOPO_OPERATION_reduce, name);
    const int root = 0;
    int first, data = 1, sum = 0, token = 0;
    struct topo_comm *state;
    topo_comm_of(comm, &state);
    bool idle = state && state->node && rank != root && state->node->local > 0;
    int number = idle ? rank : ranks;
    MPI_Allreduce(&number, &first, 1, MPI_INT, MPI_MIN, comm);
    if (first == ranks)
        return; /* one rank a node */
    if (rank != first)
        MPI_Recv(&token, 1, MPI_INT, first, 1, comm, MPI_STATUS_IGNORE);
    topo_reduce(algorithm, &data, &sum, 1, MPI_INT, MPI_SUM, root, comm);
    for (int to = 0; rank == first && to < ranks; to++)
        if (to != first)
            MPI_Send(&token, 1, MPI_INT, to, 1, comm);
    harness_check(rank != root || sum == ranks, "rank %d goes on by %s on %s", first, name, machine);
}

/* As where each rank has a processor to itself: vectors are cut in other ways. */
static void with_processors(MPI_Comm comm, const char *machine, const char *node)
{
    bool oversubscribed = topo_job.oversubscribed;
    topo_job.oversubscribed = false;
    static const char *const names[] = {"chain", "leader", "circulant", "trees"};
    enum { NAMES = sizeof names / sizeof *names, OTHER_BITS = 2 }; /* from there on they depend on the length */
    for (int i = 0; i < NAMES; i++) {
        const struct topo_algorithm *algorithm = topo_algorithm_find(TOPO_OPERATION_reduce, names[i]);
        all_counts(algorithm, comm, machine);
        user_operations(algorithm, comm, machine, !strcmp(node, "0"));
    }
    in_a_row(comm, machine, node);
    for (int i = OTHER_BITS; i < NAMES && !strcmp(node, "64M"); i++)
        same_bits_for_a_length(names[i], comm, machine);
    topo_job.oversubscribed = oversubscribed;
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *none)
{
    (void)none;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (algorithm->operation != TOPO_OPERATION_reduce)
            continue;
        all_counts(algorithm, comm, machine);
        user_operations(algorithm, comm, machine, !strcmp(node, "0"));
        if (thorough) {
            application_messages(algorithm, comm);
            test_each_comm(algorithm, is_right_on, NULL);
        }
    }
    in_a_row(comm, machine, node);
    with_processors(comm, machine, node);
    if (!strcmp(node, "64M")) {
        same_bits(comm, machine);
        same_bits_every_time(comm, machine);
        same_bits_for_a_length("circulant", comm, machine);
        same_bits_for_a_length("trees", comm, machine);
        others_go_on(comm, machine, "leader");
        others_go_on(comm, machine, "chain");
        others_go_on(comm, machine, "circulant");
        others_go_on(comm, machine, "trees");
        others_go_on(comm, machine, "halving");
        test_wrong_reductions(topo_algorithm_find(TOPO_OPERATION_reduce, "leader"), comm);
    }
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_on_machines(on_machine, "20K", NULL);
    return harness_finish();
}
