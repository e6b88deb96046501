#include "mpi/ops.h"

#include <stdlib.h>

#include "coll/base/datatype.h"
#include "mpi/calls.h"
#include "mpi/harness.h"

void test_apply(void *in, void *inout, int count, MPI_Datatype type, test_combine *each)
{
    int size;
    PMPI_Type_size(type, &size);
    int bytes = size * count;
    unsigned *a = malloc((size_t)bytes + 1), *b = malloc((size_t)bytes + 1);
    topo_pack(in, count, type, a, bytes, MPI_COMM_SELF); /* of MPI_BOTTOM, too */
    topo_pack(inout, count, type, b, bytes, MPI_COMM_SELF);
    each(a, b, bytes / (int)sizeof *a);
    topo_unpack(b, bytes, inout, count, type, MPI_COMM_SELF);
    free(a);
    free(b);
}

void test_add(unsigned *a, unsigned *b, int count)
{
    for (int i = 0; i < count; i++)
        b[i] += a[i];
}

void test_follow(unsigned *a, unsigned *b, int count)
{
    for (int i = 0; i + 1 < count; i += 2) {
        unsigned p = a[i] * b[i], q = b[i] * a[i + 1] + b[i + 1];
        b[i] = p;
        b[i + 1] = q;
    }
}

void test_sum(void *in, void *inout, int *count, MPI_Datatype *type)
{
    test_apply(in, inout, *count, *type, test_add);
}

void test_compose(void *in, void *inout, int *count, MPI_Datatype *type)
{
    test_apply(in, inout, *count, *type, test_follow);
}

void test_user_ops_make(struct test_user_op ops[TEST_USER_OPS])
{
    ops[0] = (struct test_user_op){.each = test_add, .commutes = true};
    ops[1] = (struct test_user_op){.each = test_follow};
    MPI_Op_create(test_sum, 1, &ops[0].op);
    MPI_Op_create(test_compose, 0, &ops[1].op);
}

void test_user_ops_free(struct test_user_op ops[TEST_USER_OPS])
{
    for (int o = 0; o < TEST_USER_OPS; o++)
        MPI_Op_free(&ops[o].op);
}

void test_user_operations(const int *counts, int number, test_user_check *check, const void *context)
{
    struct test_type types[TEST_TYPES];
    struct test_user_op ops[TEST_USER_OPS];
    test_types_make(types);
    test_user_ops_make(ops);
    for (int t = 0; t < TEST_TYPES; t++)
        for (int c = 0; c < 2 * number; c++)
            for (int o = 0; o < TEST_USER_OPS; o++)
                if (ops[o].each == test_add || types[t].ints % 2 == 0)
                    check(&types[t], &ops[o], counts[c % number], c >= number, t + c, context);
    test_types_free(types);
    test_user_ops_free(ops);
}

static int error_class(int code)
{
    int class = code;
    MPI_Error_class(code, &class);
    return class;
}

void test_wrong_reductions(const struct topo_algorithm *algorithm, MPI_Comm comm)
{
    enum { BEYOND = 1 };
    const struct {
        const char *name;
        int count;
        MPI_Datatype type;
        MPI_Op op;
        int root; /* of a reduction to one rank; BEYOND: as many as there are ranks */
    } wrong[] = {{"count -1", -1, MPI_INT, MPI_SUM, 0},        {"no type", 1, MPI_DATATYPE_NULL, MPI_SUM, 0},
                 {"no operation", 1, MPI_INT, MPI_OP_NULL, 0}, {"and of doubles", 1, MPI_DOUBLE, MPI_BAND, 0},
                 {"root beyond", 1, MPI_INT, MPI_SUM, BEYOND}, {"root below", 1, MPI_INT, MPI_SUM, -7}};
    static double send[512], receive[512];
    int ranks;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (wrong[i].root && algorithm->operation != TOPO_OPERATION_reduce)
            continue;
        if (HARNESS_MPICH && wrong[i].count < 0)
            continue; /* 4.0.2 copies so many bytes */
        struct test_call call = {
            algorithm->operation, wrong[i].count, send,        receive,
            wrong[i].type,        wrong[i].type,  wrong[i].op, wrong[i].root == BEYOND ? ranks : wrong[i].root};
        int ours = error_class(test_call(&call, algorithm, comm)), native = error_class(test_call(&call, NULL, comm));
        harness_check(ours != MPI_SUCCESS && ours == native, "%s %s: error of %s",
                      topo_operation_name(algorithm->operation), algorithm->name, wrong[i].name);
    }
}

/* What ranks' ints come to. A few cases are asked for again and again, so each is computed once. */
static const unsigned *combined(int ints, int ranks, test_combine *each)
{
    static struct sum {
        struct sum *next;
        int ints, ranks;
        test_combine *each;
        unsigned values[];
    } * sums;
    for (struct sum *sum = sums; sum; sum = sum->next)
        if (sum->ints == ints && sum->ranks == ranks && sum->each == each)
            return sum->values;
    struct sum *sum = malloc(sizeof *sum + (size_t)ints * sizeof *sum->values);
    unsigned *before = malloc((size_t)ints * sizeof *before + 1);
    *sum = (struct sum){.next = sums, .ints = ints, .ranks = ranks, .each = each};
    sums = sum;
    for (int r = 0; r < ranks; r++) {
        for (int i = 0; i < ints; i++) {
            before[i] = sum->values[i];
            sum->values[i] = test_value((unsigned)r + 1, (size_t)i);
        }
        if (r)
            each(before, sum->values, ints);
    }
    free(before);
    return sum->values;
}

void test_reference(const struct test_type *type, int count, void *base, test_combine *each, MPI_Comm comm)
{
    int ints = count * type->ints, ranks;
    PMPI_Comm_size(comm, &ranks);
    topo_unpack(combined(ints, ranks, each), ints * (int)sizeof(unsigned), base, count, type->type, MPI_COMM_SELF);
}

bool test_fails_natively(const struct topo_algorithm *algorithm, const struct test_type *type, bool commutes)
{
    MPI_Aint lb, extent;
    PMPI_Type_get_true_extent(type->type, &lb, &extent);
    return lb < 0 && (algorithm == topo_algorithm_native(algorithm->operation) || !commutes);
}
