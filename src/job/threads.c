#include "job/threads.h"

#include <sched.h>

#include "job/mpi.h"

bool topo_threads_many(void)
{
    int level = MPI_THREAD_MULTIPLE;
    PMPI_Query_thread(&level);
    return level == MPI_THREAD_MULTIPLE;
}

/* MPI makes progress in each look. */
static int waitany(int count, MPI_Request *request, int *index, MPI_Status *status)
{
    enum { LOOKS = 100 };
    int code, through = 0, looks = 0;
    while ((code = PMPI_Testany(count, request, index, &through, status)) == MPI_SUCCESS && !through) {
        if (looks < LOOKS)
            looks++;
        else
            sched_yield();
    }
    return code;
}

void topo_threads_start(void)
{
    if (topo_threads_many())
        topo_mpi.Waitany = waitany;
}
