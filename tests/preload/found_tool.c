/* A tool of the profiling interface, to be preloaded after the library: makes the library's messages between nodes of
 * FOUND_NODE ranks (by slot) take long and the native MPI_Allgather longer; counts native calls. See found.c. */
#include <stdlib.h>

#include <mpi.h>

#include "preload/found.h"
#include "preload/tool.h"

__attribute__((visibility("default"))) struct found_tool found_tool;

static const double far = 150e-6, native = 600e-6;

static void go(int to, MPI_Comm comm)
{
    const char *ranks = getenv("FOUND_NODE");
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (ranks && rank / atoi(ranks) != to / atoi(ranks))
        tool_wait(far);
}

int MPI_Allgather(const void *send, int count, MPI_Datatype type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm)
{
    found_tool.gathers++;
    tool_wait(native);
    return PMPI_Allgather(send, count, type, receive, receive_count, receive_type, comm);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    found_tool.sums += type == MPI_DOUBLE;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int PMPI_Send(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    TOOL_NEXT(PMPI_Send);
    go(to, comm);
    return next(send, count, type, to, tag, comm);
}

int PMPI_Isend(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    TOOL_NEXT(PMPI_Isend);
    go(to, comm);
    return next(send, count, type, to, tag, comm, request);
}
