/* Every algorithm of MPI_Reduce_scatter and MPI_Reduce_scatter_block: against the native call and against the operands
 * combined one after the other, byte for byte, gaps included, for parts of many lengths; nothing but a rank's own part
 * is written. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "coll/reduce/reduce.h"
#include "coll/reduce_scatter/reduce_scatter.h"
#include "job/job.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

static int rank, ranks;

/* How long the parts are. Those of MPI_Reduce_scatter_block are all EQUAL. */
enum shape { EQUAL, UNEVEN, ONE_HAS_ALL, SHAPES };
static const char *const shapes[] = {"equal", "uneven", "all to one"};

/* Counts of `size` ranks; returns their sum. */
static int cut(enum shape shape, int unit, int size, int *counts)
{
    int all = 0;
    for (int i = 0; i < size; i++) {
        counts[i] = shape == EQUAL ? unit : shape == UNEVEN ? i * 5 % 7 * unit / 3 : i == size / 2 ? unit * size : 0;
        all += counts[i];
    }
    return all;
}

static bool is_block(const struct topo_algorithm *algorithm)
{
    return algorithm->operation == TOPO_OPERATION_reduce_scatter_block;
}

static int ours(const struct topo_algorithm *algorithm, const void *send, void *receive, const int *counts,
                MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return is_block(algorithm) ? topo_reduce_scatter_block(algorithm, send, receive, counts[0], type, op, comm)
                               : topo_reduce_scatter(algorithm, send, receive, counts, type, op, comm);
}

static int native(const struct topo_algorithm *algorithm, const void *send, void *receive, const int *counts,
                  MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    return is_block(algorithm) ? PMPI_Reduce_scatter_block(send, receive, counts[0], type, op, comm)
                               : PMPI_Reduce_scatter(send, receive, counts, type, op, comm);
}

/* One call on elements of a predefined type in both ways. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, MPI_Datatype datatype, MPI_Op op,
                 enum shape shape, int unit, bool in_place)
{
    const struct test_type type = {"", datatype, 1};
    int self, size, inter, other = 0;
    MPI_Aint lb, extent;
    void *send, *base[2], *block[3];
    size_t bytes;
    MPI_Comm_rank(comm, &self);
    MPI_Comm_size(comm, &size);
    MPI_Comm_test_inter(comm, &inter);
    if (inter) { /* as many elements on both sides */
        MPI_Comm_remote_size(comm, &other);
        shape = EQUAL;
        unit = other;
        in_place = false;
    }
    int counts[64], all = cut(shape, unit, size, counts), mine = counts[self];
    PMPI_Type_get_extent(datatype, &lb, &extent);
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(&type, in_place || i == 2 ? all : mine, 0x5a, i < 2 ? &base[i] : &send, &bytes);
    for (int k = in_place ? 0 : 2; k < 3; k++)
        for (int i = 0; i < all; i++) { /* whole numbers, which add up exactly in any order */
            char *at = (char *)(k < 2 ? base[k] : send) + i * extent;
            if (datatype == MPI_DOUBLE)
                *(double *)(void *)at = (self * 7 + i) % 11;
            else if (datatype == MPI_SHORT_INT) /* a short, a gap, the place of the least */
                *(short *)(void *)at = (short)((self * 5 + i) % 4), ((int *)(void *)at)[1] = self;
            else
                *(int *)(void *)at = (self * 7 + i) % 11;
        }
    const void *from = in_place ? MPI_IN_PLACE : send;
    const struct key {
        MPI_Datatype type;
        MPI_Op op;
        enum shape shape;
        int unit, in_place, block;
    } key = {datatype, op, shape, unit, in_place, is_block(algorithm)};
    int codes[2] = {ours(algorithm, from, base[0], counts, datatype, op, comm)};
    /* In place, what lies behind this rank's part is anybody's. */
    size_t kept = (size_t)((char *)base[0] - (char *)block[0]) + (size_t)mine * (size_t)extent;
    size_t compared = in_place ? kept : (size_t)((char *)base[0] - (char *)block[0]) + kept;
    if (!test_recall(&key, sizeof key, comm, block[1], compared, &codes[1])) {
        codes[1] = native(algorithm, from, base[1], counts, datatype, op, comm);
        test_remember(&key, sizeof key, comm, block[1], compared, codes[1]);
    }
    bool equal = codes[0] == codes[1] && !memcmp(block[0], block[1], compared);
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

static void all_shapes(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int units[] = {0, 1, 3, 250, 5001};
    /* Open MPI packs and unpacks elements with gaps one by one: with 16 ranks, a vector of as many in all as with 4. */
    const int pairs[] = {0, 1, 3, 250, ranks < 16 || harness_everything() ? 5001 : 1251};
    for (int s = 0; s < (is_block(algorithm) ? 1 : SHAPES); s++)
        for (int u = 0; u < 5; u++)
            for (int in_place = 0; in_place < 2; in_place++) {
                harness_check(same(algorithm, comm, MPI_DOUBLE, MPI_SUM, (enum shape)s, units[u], in_place),
                              "%s %s on %s: doubles, %s, unit %d%s", topo_operation_name(algorithm->operation),
                              algorithm->name, machine, shapes[s], units[u], in_place ? ", in place" : "");
                harness_check(same(algorithm, comm, MPI_SHORT_INT, MPI_MINLOC, (enum shape)s, pairs[u], in_place),
                              "%s %s on %s: pairs with gaps, %s, unit %d%s", topo_operation_name(algorithm->operation),
                              algorithm->name, machine, shapes[s], pairs[u], in_place ? ", in place" : "");
            }
}

/* A user's operation; the result must be that of the ranks' operands one after the other. */
static bool is_right(const struct topo_algorithm *algorithm, const struct test_type *type, MPI_Op op,
                     test_combine *each, enum shape shape, int unit, bool in_place, MPI_Comm comm)
{
    void *base[3], *block[3];
    int counts[64], all = cut(shape, unit, ranks, counts), first = 0;
    size_t bytes;
    MPI_Aint lb, extent, true_lb, true_extent;
    PMPI_Type_get_extent(type->type, &lb, &extent);
    PMPI_Type_get_true_extent(type->type, &true_lb, &true_extent);
    for (int i = 0; i < 3; i++)
        block[i] = test_buffer(type, all, 0x5a, &base[i], &bytes);
    test_fill(type, all, base[2], (unsigned)rank + 1);
    if (in_place)
        test_fill(type, all, base[0], (unsigned)rank + 1);
    test_reference(type, all, base[1], each, comm);
    for (int i = 0; i < rank; i++)
        first += counts[i];
    bool equal =
        ours(algorithm, in_place ? MPI_IN_PLACE : base[2], base[0], counts, type->type, op, comm) == MPI_SUCCESS;
    const char *got = base[0], *wanted = (const char *)base[1] + first * extent;
    for (int i = 0; i < counts[rank] && equal; i++)
        equal = !memcmp(got + i * extent + true_lb, wanted + i * extent + true_lb, (size_t)true_extent);
    const unsigned char *behind = (const unsigned char *)got + counts[rank] * extent + true_extent + true_lb;
    const unsigned char *end = (const unsigned char *)block[0] + bytes;
    while (!in_place && equal && behind < end)
        equal = *behind++ == 0x5a;
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

struct on {
    const struct topo_algorithm *algorithm;
    MPI_Comm comm;
    const char *machine;
    bool natively;
};

static void user_operation(const struct test_type *type, const struct test_user_op *op, int count, bool in_place,
                           int round, const void *context)
{
    const struct on *on = context;
    const struct topo_algorithm *runs = on->natively ? topo_algorithm_native(on->algorithm->operation) : on->algorithm;
    enum shape shape = is_block(on->algorithm) ? EQUAL : (enum shape)(round % SHAPES);
    if (!test_fails_natively(runs, type, op->commutes))
        harness_check(is_right(on->algorithm, type, op->op, op->each, shape, count, in_place, on->comm),
                      "%s %s on %s: a user's operation that %s on %d x %s, %s%s",
                      topo_operation_name(on->algorithm->operation), on->algorithm->name, on->machine,
                      op->commutes ? "commutes" : "does not commute", count, type->name, shapes[shape],
                      in_place ? ", in place" : "");
}

static void user_operations(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine, bool natively)
{
    static const int units[] = {1, 4, 203};
    test_user_operations(units, 3, user_operation, &(struct on){algorithm, comm, machine, natively});
}

/* Sums whose bits depend on the order of additions have those of all-reduce `leader`, however they are cut. */
static void same_bits(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int units[] = {3, 2501};
    const struct topo_algorithm *whole = topo_algorithm_find(TOPO_OPERATION_allreduce, "leader");
    bool equal = true;
    for (int s = 0; s < (is_block(algorithm) ? 1 : SHAPES); s++)
        for (int u = 0; u < 2; u++) {
            int counts[64], all = cut((enum shape)s, units[u], ranks, counts), first = 0;
            size_t bytes = ((size_t)all + 1) * sizeof(double);
            double *values = malloc(bytes), *sums = malloc(bytes), *part = malloc(bytes);
            for (int i = 0; i < rank; i++)
                first += counts[i];
            for (int i = 0; i < all; i++)
                values[i] = 1e-7 * (double)((uint32_t)(rank * 7919 + i) * 2654435761u) / (1 + i % 1023);
            topo_allreduce(whole, values, sums, all, MPI_DOUBLE, MPI_SUM, comm);
            ours(algorithm, values, part, counts, MPI_DOUBLE, MPI_SUM, comm);
            equal &= !memcmp(part, sums + first, (size_t)counts[rank] * sizeof *part);
            free(values);
            free(sums);
            free(part);
        }
    harness_check(equal, "%s %s on %s: bits of allreduce", topo_operation_name(algorithm->operation), algorithm->name,
                  machine);
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    (void)context;
    return same(algorithm, comm->comm, MPI_INT, MPI_MAX, is_block(algorithm) ? EQUAL : UNEVEN, 101, false);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, MPI_INT, MPI_SUM, EQUAL, 90, true), algorithm->name);
}

/* Calls in a row, among others that use the same memory of the node, while some ranks are late: what a call left there
 * must not be taken for another's. */
static void in_a_row(MPI_Comm comm, const char *machine, const char *node)
{
    enum { CALLS = 90, UNIT = 9000 };
    static const int units[] = {1, 60, 1, 2000, 3, 20, 800, UNIT};
    const struct topo_algorithm *scatter[] = {topo_algorithm_find(TOPO_OPERATION_reduce_scatter, "leader"),
                                              topo_algorithm_find(TOPO_OPERATION_reduce_scatter_block, "lanes"),
                                              topo_algorithm_find(TOPO_OPERATION_reduce_scatter, "lanes"),
                                              topo_algorithm_find(TOPO_OPERATION_reduce_scatter_block, "leader")};
    const struct topo_algorithm *all_reduce = topo_algorithm_find(TOPO_OPERATION_allreduce, "lanes");
    const struct topo_algorithm *reduce = topo_algorithm_find(TOPO_OPERATION_reduce, "chain");
    size_t most = (size_t)UNIT * (size_t)ranks;
    int *data = malloc(most * sizeof *data), *sums = malloc(most * sizeof *sums), counts[64];
    bool good = true, oversubscribed = topo_job.oversubscribed;
    for (int call = 0; call < CALLS; call++) {
        const struct topo_algorithm *algorithm = scatter[call * 3 / 2 % 4];
        enum shape shape = is_block(algorithm) || call % 3 ? EQUAL : ONE_HAS_ALL;
        int all = cut(shape, units[call % 8], ranks, counts), first = 0, root = call % ranks;
        topo_job.oversubscribed = call / 3 % 2; /* else ranks add long vectors in turn */
        if (call % 7 == rank % 7)
            usleep(300);
        for (int i = 0; i < rank; i++)
            first += counts[i];
        for (int i = 0; i < all; i++)
            data[i] = call * 1009 + i + rank;
        good &= ours(algorithm, data, sums, counts, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
        for (int i = 0; i < counts[rank]; i++)
            good &= sums[i] == ranks * (call * 1009 + first + i) + ranks * (ranks - 1) / 2;
        if (call % 5 == 0) {
            topo_allreduce(all_reduce, data, sums, all, MPI_INT, MPI_SUM, comm);
            for (int i = 0; i < all; i++)
                good &= sums[i] == ranks * (call * 1009 + i) + ranks * (ranks - 1) / 2;
        }
        if (call % 5 == 2) {
            topo_reduce(reduce, data, sums, all, MPI_INT, MPI_SUM, root, comm);
            for (int i = 0; i < all && rank == root; i++)
                good &= sums[i] == ranks * (call * 1009 + i) + ranks * (ranks - 1) / 2;
        }
    }
    topo_job.oversubscribed = oversubscribed;
    harness_check(good, "calls in a row on %s, %s shared", machine, node);
    free(data);
    free(sums);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *none)
{
    (void)none;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (algorithm->operation != TOPO_OPERATION_reduce_scatter &&
            algorithm->operation != TOPO_OPERATION_reduce_scatter_block)
            continue;
        all_shapes(algorithm, comm, machine);
        user_operations(algorithm, comm, machine, !strcmp(node, "0"));
        if (thorough) {
            application_messages(algorithm, comm);
            test_each_comm(algorithm, is_right_on, NULL);
        }
        if (!strcmp(node, "64M") && algorithm != topo_algorithm_native(algorithm->operation)) {
            same_bits(algorithm, comm, machine);
            test_wrong_reductions(algorithm, comm);
        }
    }
    in_a_row(comm, machine, node);
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_on_machines(on_machine, "20K", NULL);
    return harness_finish();
}
