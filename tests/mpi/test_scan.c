/* Every algorithm of MPI_Scan and MPI_Exscan against MPI's own call: byte for byte, gaps included, by operations that
 * do not commute, too, and on communicators of every kind; and the same bits of sums that round, every time. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/call/operations.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/ops.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

static int rank, ranks;

static bool is_scan(const struct topo_algorithm *algorithm)
{
    return algorithm->operation == TOPO_OPERATION_scan || algorithm->operation == TOPO_OPERATION_exscan;
}

/* Ours, or, `form` NULL, MPI's. */
static int make_call(enum topo_operation operation, const struct topo_algorithm *form, const void *send, void *receive,
                     int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    if (operation == TOPO_OPERATION_scan)
        return form ? topo_scan(form, send, receive, count, type, op, comm)
                    : PMPI_Scan(send, receive, count, type, op, comm);
    return form ? topo_exscan(form, send, receive, count, type, op, comm)
                : PMPI_Exscan(send, receive, count, type, op, comm);
}

/* One call in both ways; `ints` of the type, or whole numbers of doubles or of pairs with a gap. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *type, MPI_Op op,
                 int count, bool in_place)
{
    const enum topo_operation operation = algorithm->operation;
    MPI_Aint lb, extent;
    void *base[3], *block[3];
    size_t bytes;
    int self, native;
    MPI_Comm_rank(comm, &self);
    PMPI_Type_get_extent(type->type, &lb, &extent);
    for (int i = 0; i < 3; i++) {
        block[i] = test_buffer(type, count, 0x5a, &base[i], &bytes);
        for (int k = 0; k < count && type->type == MPI_DOUBLE; k++)
            ((double *)base[i])[k] = (self * 7 + k) % 11;
        for (int k = 0; k < count && type->type == MPI_SHORT_INT; k++) {
            char *at = (char *)base[i] + k * extent;
            *(short *)(void *)at = (short)((self * 5 + k) % 4), ((int *)(void *)at)[1] = self;
        }
        if (type->ints > 0)
            test_fill(type, count, base[i], (unsigned)self + 1);
    }
    const void *from = in_place ? MPI_IN_PLACE : base[2];
    const int ours = make_call(operation, algorithm, from, base[0], count, type->type, op, comm);
    const struct key {
        const char *type, *operation;
        MPI_Op op;
        long count, in_place;
    } key = {type->name, topo_operation_name(operation), op, count, in_place};
    /* The handle of a freed operation of the program's own may be another's, on some ranks alone. */
    const bool kept = op == MPI_SUM || op == MPI_MAX || op == MPI_MINLOC;
    if (!kept || !test_recall(&key, sizeof key, comm, block[1], bytes, &native)) {
        native = make_call(operation, NULL, from, base[1], count, type->type, op, comm);
        if (kept)
            test_remember(&key, sizeof key, comm, block[1], bytes, native);
    }
    const bool equal = ours == native && !memcmp(block[0], block[1], bytes);
    for (int i = 0; i < 3; i++)
        free(block[i]);
    return equal;
}

static void all_counts(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    static const int counts[] = {0, 1, 3, 200, 700, 20001};
    static const struct test_type doubles = {"double", MPI_DOUBLE, 0}, pairs = {"short and int", MPI_SHORT_INT, 0};
    for (int c = 0; c < 6; c++)
        for (int in_place = 0; in_place < 2; in_place++) {
            harness_check(same(algorithm, comm, &doubles, MPI_SUM, counts[c], in_place), "%s %s on %s: %d doubles%s",
                          topo_operation_name(algorithm->operation), algorithm->name, machine, counts[c],
                          in_place ? ", in place" : "");
            harness_check(same(algorithm, comm, &pairs, MPI_MINLOC, counts[c], in_place),
                          "%s %s on %s: %d pairs with gaps%s", topo_operation_name(algorithm->operation),
                          algorithm->name, machine, counts[c], in_place ? ", in place" : "");
        }
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
    if (!test_fails_natively(topo_algorithm_native(on->algorithm->operation), type, op->commutes))
        harness_check(same(on->algorithm, on->comm, type, op->op, count, in_place),
                      "%s %s on %s: a user's operation that %s on %d x %s%s",
                      topo_operation_name(on->algorithm->operation), on->algorithm->name, on->machine,
                      op->commutes ? "commutes" : "does not commute", count, type->name, in_place ? ", in place" : "");
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    (void)context;
    static const struct test_type type = {"int", MPI_INT, 1};
    return comm->inter || same(algorithm, comm->comm, &type, MPI_SUM, 12, false); /* there is none between groups */
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    static const struct test_type type = {"int", MPI_INT, 1};
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, &type, MPI_MAX, 90, false), algorithm->name);
}

/* Calls in a row, while some ranks are late: the bits of a sum that rounds are the same every time, and no message of
 * one call is taken for another's. */
static void in_a_row(const struct topo_algorithm *scan, const struct topo_algorithm *exscan, MPI_Comm comm,
                     const char *machine)
{
    enum { CALLS = 60, MOST = 3000 };
    static const int counts[] = {1, MOST, 1, 100};
    double own[MOST], sum[MOST], first[2][4][MOST];
    bool good = true;
    for (int i = 0; i < MOST; i++)
        own[i] = 1e-7 * (double)((uint32_t)(rank * 7919 + i) * 2654435761u) / (1 + i % 1023);
    for (int call = 0; call < CALLS; call++) {
        const int count = counts[call % 4], exclusive = call / 4 % 2;
        double *kept = first[exclusive][call % 4];
        if (call % 7 == rank % 7)
            usleep(300);
        memset(sum, 0, sizeof sum);
        good &= (exclusive ? topo_exscan(exscan, own, sum, count, MPI_DOUBLE, MPI_SUM, comm)
                           : topo_scan(scan, own, sum, count, MPI_DOUBLE, MPI_SUM, comm)) == MPI_SUCCESS;
        if (call < 8)
            memcpy(kept, sum, sizeof sum);
        good &= !memcmp(kept, sum, sizeof sum);
    }
    harness_check(good, "calls in a row on %s", machine);
}

/* A rank comes back from a short call before any higher one makes it. */
static void nobody_waits_for_higher_ones(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    int own = rank + 1, sum = 0, go = 1, expected = rank * (rank + 1) / 2;
    if (rank > 0)
        PMPI_Recv(&go, 1, MPI_INT, rank - 1, 1, comm, MPI_STATUS_IGNORE);
    const int code = make_call(algorithm->operation, algorithm, &own, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank + 1 < ranks)
        PMPI_Send(&go, 1, MPI_INT, rank + 1, 1, comm);
    if (algorithm->operation == TOPO_OPERATION_scan)
        expected += own;
    harness_check(code == MPI_SUCCESS && sum == expected, "%s %s on %s: one rank after the other",
                  topo_operation_name(algorithm->operation), algorithm->name, machine);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    static const int counts[] = {1, 2, 16, 1003};
    (void)context;
    if (strcmp(node, "64M") != 0) /* they share no memory */
        return;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (!is_scan(algorithm) || algorithm == topo_algorithm_native(algorithm->operation))
            continue;
        all_counts(algorithm, comm, machine);
        nobody_waits_for_higher_ones(algorithm, comm, machine);
        if (thorough) {
            test_user_operations(counts, 4, user_operation, &(struct on){algorithm, comm, machine});
            application_messages(algorithm, comm);
            test_each_comm(algorithm, is_right_on, NULL);
        }
    }
    in_a_row(topo_algorithm_find(TOPO_OPERATION_scan, "leader"), topo_algorithm_find(TOPO_OPERATION_exscan, "leader"),
             comm, machine);
    if (thorough) {
        test_wrong_reductions(topo_algorithm_find(TOPO_OPERATION_scan, "leader"), comm);
        test_wrong_reductions(topo_algorithm_find(TOPO_OPERATION_exscan, "leader"), comm);
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
