/* A tool of the profiling interface, to be preloaded after the library: makes the native MPI_Allgather slow, or the
 * messages of ours (TOPOMPI_ALLGATHER's ring), as the program says; see turns.c. */
#include <dlfcn.h>

#include <mpi.h>

#include "preload/turns.h"

__attribute__((visibility("default"))) struct turns_tool turns_tool;

static const double slow = 100e-6, fast = 20e-6;

static void wait_for(double seconds)
{
    for (double start = PMPI_Wtime(); PMPI_Wtime() - start < seconds;)
        ;
}

int MPI_Allgather(const void *send, int count, MPI_Datatype type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm)
{
    turns_tool.natives++;
    wait_for(turns_tool.slow == TURNS_NATIVE ? slow : fast);
    return PMPI_Allgather(send, count, type, receive, receive_count, receive_type, comm);
}

int PMPI_Sendrecv(const void *send, int count, MPI_Datatype type, int to, int tag, void *receive, int receive_count,
                  MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm, MPI_Status *status)
{
    static __typeof__(&PMPI_Sendrecv) mpi;
    if (!mpi)
        *(void **)&mpi = dlsym(RTLD_NEXT, "PMPI_Sendrecv");
    if (turns_tool.slow == TURNS_OURS)
        wait_for(slow);
    return mpi(send, count, type, to, tag, receive, receive_count, receive_type, from, receive_tag, comm, status);
}
