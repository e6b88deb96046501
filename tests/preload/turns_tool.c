/* A tool of the profiling interface, between the library and MPI: makes the native MPI_Allgather slow, or the
 * messages of ours (TOPOMPI_ALLGATHER's ring), as the program says; see turns.c. */
#include <mpi.h>

#include "preload/tool.h"
#include "preload/turns.h"

__attribute__((visibility("default"))) struct turns_tool turns_tool;

static const double slow = 100e-6, fast = 20e-6;

TOOL_BELOW_LIBRARY
TOOL_BOTH_NAMES(Allgather)

int PMPI_Allgather(const void *send, int count, MPI_Datatype type, void *receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm)
{
    TOOL_NEXT(PMPI_Allgather);
    turns_tool.natives++;
    tool_wait(turns_tool.slow == TURNS_NATIVE ? slow : fast);
    return next(send, count, type, receive, receive_count, receive_type, comm);
}

int PMPI_Sendrecv(const void *send, int count, MPI_Datatype type, int to, int tag, void *receive, int receive_count,
                  MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm, MPI_Status *status)
{
    TOOL_NEXT(PMPI_Sendrecv);
    if (turns_tool.slow == TURNS_OURS)
        tool_wait(slow);
    return next(send, count, type, to, tag, receive, receive_count, receive_type, from, receive_tag, comm, status);
}
