/* Operations of a user's own, on any type of ints, and what they give. */
#ifndef TOPO_TESTS_MPI_OPS_H
#define TOPO_TESTS_MPI_OPS_H

#include <stdbool.h>

#include "mpi/types.h"
#include "catalog/algorithm.h"

/* b = a op b for `count` ints. Sums; pairs (p, q) that stand for x -> p x + q modulo 2^32: a, then b. */
typedef void test_combine(unsigned *a, unsigned *b, int count);
test_combine test_add, test_follow;

/* The same as MPI_User_function: test_sum commutes, test_compose does not. */
void test_sum(void *in, void *inout, int *count, MPI_Datatype *type);
void test_compose(void *in, void *inout, int *count, MPI_Datatype *type);

/* All ranks' vectors combined one after the other, into the buffer at `base`. Collective. */
void test_reference(const struct test_type *type, int count, const void *input, void *base, test_combine *each,
                    MPI_Comm comm);

/* Open MPI 4.1's reductions take no account of where a type's bytes begin: with a negative lower bound they write
 * outside their buffers. True for what would go there. */
bool test_fails_natively(const struct topo_algorithm *algorithm, const struct test_type *type, bool commutes);

#endif
