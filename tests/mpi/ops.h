/* Operations of a user's own, on any type of ints, and what they give. */
#ifndef TOPO_TESTS_MPI_OPS_H
#define TOPO_TESTS_MPI_OPS_H

#include <stdbool.h>

#include "mpi/types.h"
#include "catalog/algorithm.h"

/* b = a op b for `count` ints. Sums; pairs (p, q) that stand for x -> p x + q modulo 2^32: a, then b. */
typedef void test_combine(unsigned *a, unsigned *b, int count);
test_combine test_add, test_follow;

/* Elements of a user's function as runs of ints, whatever their type, combined and put back. */
void test_apply(void *in, void *inout, int count, MPI_Datatype type, test_combine *each);

/* The same as MPI_User_function: test_sum commutes, test_compose does not. */
void test_sum(void *in, void *inout, int *count, MPI_Datatype *type);
void test_compose(void *in, void *inout, int *count, MPI_Datatype *type);

/* The two as operations: the first commutes. */
struct test_user_op {
    MPI_Op op;
    test_combine *each;
    bool commutes;
};
enum { TEST_USER_OPS = 2 };
void test_user_ops_make(struct test_user_op ops[TEST_USER_OPS]);
void test_user_ops_free(struct test_user_op ops[TEST_USER_OPS]);

/* Calls `check` for every type, each operation that its elements allow, and each of counts[number], not in place and
 * then in place; `round` is another one in calls that follow one another. */
typedef void test_user_check(const struct test_type *type, const struct test_user_op *op, int count, bool in_place,
                             int round, const void *context);
void test_user_operations(const int *counts, int number, test_user_check *check, const void *context);

/* Checks that calls of a reduction with a mistake fail as natively: a negative count, no type, no operation, an
 * operation that is none of the type, no such root. Collective; errors return on `comm` from then on. */
void test_wrong_reductions(const struct topo_algorithm *algorithm, MPI_Comm comm);

/* All ranks' vectors, which test_fill() filled with rank + 1 in `comm`, combined one after the other, into the buffer
 * at `base`. Local. */
void test_reference(const struct test_type *type, int count, void *base, test_combine *each, MPI_Comm comm);

/* Open MPI 4.1's reductions take no account of where a type's bytes begin: with a negative lower bound they write
 * outside their buffers. True for what would go there. */
bool test_fails_natively(const struct topo_algorithm *algorithm, const struct test_type *type, bool commutes);

#endif
