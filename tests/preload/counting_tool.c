/* A tool of the profiling interface, to be preloaded after the library: counts what reaches it of the ten operations
 * that the library takes over, and says so on rank 0 as MPI ends. */
#include <stdio.h>

#include <mpi.h>

enum { OPERATIONS = 10 };
static int counts[OPERATIONS];

#define COUNTED(place, Name, parameters, arguments) \
    int MPI_##Name parameters \
    { \
        counts[place]++; \
        return PMPI_##Name arguments; \
    }

#define BLOCKS \
    (const void *send, int count, MPI_Datatype type, void *in, int in_count, MPI_Datatype in_type, MPI_Comm comm)
COUNTED(0, Allgather, BLOCKS, (send, count, type, in, in_count, in_type, comm))
COUNTED(1, Allgatherv,
        (const void *send, int count, MPI_Datatype type, void *in, const int *in_counts, const int *places,
         MPI_Datatype in_type, MPI_Comm comm),
        (send, count, type, in, in_counts, places, in_type, comm))
COUNTED(2, Allreduce, (const void *send, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, in, count, type, op, comm))
COUNTED(3, Alltoall, BLOCKS, (send, count, type, in, in_count, in_type, comm))
COUNTED(4, Alltoallv,
        (const void *send, const int *send_counts, const int *send_places, MPI_Datatype type, void *in,
         const int *in_counts, const int *in_places, MPI_Datatype in_type, MPI_Comm comm),
        (send, send_counts, send_places, type, in, in_counts, in_places, in_type, comm))
COUNTED(5, Barrier, (MPI_Comm comm), (comm))
COUNTED(6, Bcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (buffer, count, type, root, comm))
COUNTED(7, Reduce, (const void *send, void *in, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
        (send, in, count, type, op, root, comm))
COUNTED(8, Reduce_scatter,
        (const void *send, void *in, const int *in_counts, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, in, in_counts, type, op, comm))
COUNTED(9, Reduce_scatter_block, (const void *send, void *in, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, in, count, type, op, comm))

int MPI_Finalize(void)
{
    int rank;
    char line[128];
    int length = snprintf(line, sizeof line, "counted:");
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < OPERATIONS; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %d", counts[i]);
    if (rank == 0)
        fprintf(stderr, "%s\n", line);
    return PMPI_Finalize();
}
