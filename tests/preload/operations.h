/* One call of any of the operations that the library takes, with its result checked; for programs that know nothing of
 * the library. */
#ifndef TOPO_TESTS_PRELOAD_OPERATIONS_H
#define TOPO_TESTS_PRELOAD_OPERATIONS_H

#include <mpi.h>

enum {
#define OPERATION(name, ...) OPERATION_##name,
#include "catalog/operations.def"
    OPERATIONS
};

/* Such as "allgather". */
const char *operation_name(int operation);

/* Calls `operation` on `comm` with `count` ints a rank (0 too; a vector of `count` ints where all ranks have the same);
 * `seed`, equal on all ranks, makes the values and the root. Returns how many values are wrong; *code (may be NULL)
 * becomes the error code, and after an error 0 is returned; an operation that is not known here is not called. Ends the
 * process when memory is out. */
long operation_call(int operation, int count, unsigned seed, MPI_Comm comm, int *code);

/* Frees the buffers that calls share. */
void operation_free(void);

#endif
