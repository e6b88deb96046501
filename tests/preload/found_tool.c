/* A tool of the profiling interface, to be preloaded after the library: makes the library's messages between nodes of
 * FOUND_NODE ranks (by slot) take long, the native MPI_Allgather longer, and the job FOUND_AGE seconds older than it
 * is, so that it may measure its machine earlier; counts native calls. See found.c. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "preload/found.h"

__attribute__((visibility("default"))) struct found_tool found_tool;

static const double far = 150e-6, native = 600e-6;

static void wait_for(double seconds)
{
    for (double start = PMPI_Wtime(); PMPI_Wtime() - start < seconds;)
        ;
}

static void go(int to, MPI_Comm comm)
{
    const char *ranks = getenv("FOUND_NODE");
    int rank;
    PMPI_Comm_rank(comm, &rank);
    if (ranks && rank / atoi(ranks) != to / atoi(ranks))
        wait_for(far);
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    static __typeof__(&clock_gettime) next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    const char *older = clock == CLOCK_BOOTTIME ? getenv("FOUND_AGE") : NULL;
    int code = next(clock, time);
    if (code == 0 && older)
        time->tv_sec += atoi(older);
    return code;
}

int MPI_Allgather(const void *send, int count, MPI_Datatype type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm)
{
    found_tool.gathers++;
    wait_for(native);
    return PMPI_Allgather(send, count, type, receive, receive_count, receive_type, comm);
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    found_tool.sums += type == MPI_DOUBLE;
    return PMPI_Allreduce(send, receive, count, type, op, comm);
}

int PMPI_Send(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static __typeof__(&PMPI_Send) mpi;
    if (!mpi)
        *(void **)&mpi = dlsym(RTLD_NEXT, "PMPI_Send");
    go(to, comm);
    return mpi(send, count, type, to, tag, comm);
}

int PMPI_Isend(const void *send, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    static __typeof__(&PMPI_Isend) mpi;
    if (!mpi)
        *(void **)&mpi = dlsym(RTLD_NEXT, "PMPI_Isend");
    go(to, comm);
    return mpi(send, count, type, to, tag, comm, request);
}
