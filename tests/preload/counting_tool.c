/* A tool of the profiling interface, to be preloaded after the library: counts what reaches it of the operations that
 * the library takes over, and says so on rank 0 as MPI ends, in the order of catalog/operations.def. */
#include <stdio.h>

#include <mpi.h>

#include "catalog/arguments.h"

enum {
#define OPERATION(name, Name, NAME, ...) NAME,
#include "catalog/operations.def"
    OPERATIONS
};
static int counts[OPERATIONS];

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        counts[NAME]++; \
        return PMPI_##Name(TOPO_ARGUMENTS(count, kinds)); \
    }
#include "catalog/operations.def"

int MPI_Finalize(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        fprintf(stderr, "counted:");
        for (int i = 0; i < OPERATIONS; i++)
            fprintf(stderr, " %d", counts[i]);
        fprintf(stderr, "\n");
    }
    return PMPI_Finalize();
}
