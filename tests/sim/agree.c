/* The library's own small all-reduces, and those of tests/sim/main.c. What SimGrid takes where nothing else is said
 * sends from everybody to everybody: a million messages for 1,024 ranks. Algorithms that are measured do not come
 * through here. */
#include <mpi.h>

int __wrap_PMPI_Allreduce(const void *own, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int __wrap_PMPI_Allreduce(const void *own, void *result, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (own == MPI_IN_PLACE && rank > 0)
        own = result;
    int code = PMPI_Reduce(own, result, count, type, op, 0, comm);
    return code == MPI_SUCCESS ? PMPI_Bcast(result, count, type, 0, comm) : code;
}
