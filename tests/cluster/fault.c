/* Preloaded under topo-bench, it makes the MPI library's allgather of 64 bytes go wrong, as FAULT says: "byte" changes
 * one byte of rank 1's result, "error" returns an MPI error, "crash" ends the process. Everything else is left alone.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

typedef int allgather_call(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);

int PMPI_Allgather(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm)
{
    static allgather_call *real;
    const char *fault = getenv("FAULT");
    int rank, size = 0;
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "PMPI_Allgather");
    PMPI_Type_size(receive_type, &size);
    if (!fault || (receive_type != MPI_BYTE && receive_type != MPI_DOUBLE) || receive_count * size != 64)
        return real(send, send_count, send_type, receive, receive_count, receive_type, comm);
    if (!strcmp(fault, "error"))
        return MPI_ERR_OTHER;
    PMPI_Comm_rank(comm, &rank);
    if (!strcmp(fault, "crash") && rank == 1)
        raise(SIGSEGV);
    int code = real(send, send_count, send_type, receive, receive_count, receive_type, comm);
    if (!strcmp(fault, "byte") && rank == 1)
        ((char *)receive)[64 + 5] ^= 16;
    return code;
}
