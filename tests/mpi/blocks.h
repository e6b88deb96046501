/* What the tests of operations on equal blocks (allgather, alltoall) share: ours against the native call. */
#ifndef TOPO_TESTS_MPI_BLOCKS_H
#define TOPO_TESTS_MPI_BLOCKS_H

#include <stdbool.h>

#include <mpi.h>

#include "mpi/types.h"
#include "catalog/algorithm.h"

struct test_blocks {
    int (*ours)(const struct topo_algorithm *, const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    int (*native)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
    bool to_each; /* a rank sends a block to every rank, not one to all */
};

/* One call in both ways, `ints` ints in a block; true when the receive buffers, gaps included, and the codes are equal.
 */
bool test_blocks_same(const struct test_blocks *operation, const struct topo_algorithm *algorithm, MPI_Comm comm,
                      const struct test_type *send_type, const struct test_type *receive_type, int ints, bool in_place);

/* Checks (collective): ranks describe one signature by different types; every kind of communicator; a receive of
 * anything, posted before, catches no message of ours. */
void test_blocks_types_by_rank(const struct test_blocks *operation, const struct topo_algorithm *algorithm,
                               MPI_Comm comm, const struct test_type *types);
void test_blocks_all_comms(const struct test_blocks *operation, const struct topo_algorithm *algorithm,
                           const struct test_type *types);
void test_blocks_application(const struct test_blocks *operation, const struct topo_algorithm *algorithm, MPI_Comm comm,
                             const struct test_type *types);

#endif
