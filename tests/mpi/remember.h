/* What the native call gave: the same for every algorithm, machine and limit of shared memory, so it runs once for a
 * case. */
#ifndef TOPO_TESTS_MPI_REMEMBER_H
#define TOPO_TESTS_MPI_REMEMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

/* Of a case, which `key` of `key_bytes` bytes (none of them undefined, no handles of what is made anew) tells from all
 * others that this program has: copies what test_remember() was given to `block`. False where there is nothing: on the
 * first call, and on communicators whose ranks are not those of MPI_COMM_WORLD in its order. Local; as true on one rank
 * as on all. */
bool test_recall(const void *key, size_t key_bytes, MPI_Comm comm, void *block, size_t bytes, int *code);

/* Keeps a copy of `block` and `code` to the end of the program. */
void test_remember(const void *key, size_t key_bytes, MPI_Comm comm, const void *block, size_t bytes, int code);

#endif
