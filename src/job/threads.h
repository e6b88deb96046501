/* Programs whose threads call MPI at the same time. */
#ifndef TOPO_JOB_THREADS_H
#define TOPO_JOB_THREADS_H

#include <stdbool.h>

/* Whether they may (MPI_THREAD_MULTIPLE). After MPI_Init. */
bool topo_threads_many(void);

/* After MPI_Init: where they may, MPI_Waitany of job/mpi.h is replaced by calls of MPI_Testany.
 *
 * Open MPI (4.1 to 5.0, ompi/request/req_wait.c) counts in a variable on the waiting thread's stack what completes. A
 * second request of the array that another thread completes just then is counted when the wait has returned, in
 * whatever lies there by now: often the next wait's variable, which then ends before anything has come and follows an
 * index that was never set. MPI_Wait and MPI_Waitall return after the last count. */
void topo_threads_start(void);

#endif
