/* MPI's calls for many requests, as the library makes them, at a price that a simulation of 1,024 ranks can pay. */
#include <string.h>

#include <mpi.h>
#include <simgrid/version.h>

#include "sim/waiting.h"

/* SMPI's MPI_Test has a simulated call for each request, and leaves each that is through in its rank's list of
 * activities (SimGrid 3.32, CommImpl::finish()), which is searched whenever a later one ends: long vectors took hours.
 * So this looks where 3.32 has the activity of a request, and the state of the activity. */
int sim_test(MPI_Request *request, int *through)
{
#if SIMGRID_VERSION_MAJOR == 3 && SIMGRID_VERSION_MINOR == 32 && defined(__LP64__)
    enum { ACTIVITY = 136, STATE = 56, WAITING = 0, RUNNING = 2 };
    const char *activity;
    int state = -1;
    memcpy(&activity, (const char *)*request + ACTIVITY, sizeof activity);
    if (activity)
        memcpy(&state, activity + STATE, sizeof state);
    *through = state != WAITING && state != RUNNING;
    return *through ? PMPI_Wait(request, MPI_STATUS_IGNORE) : MPI_SUCCESS;
#else
    return PMPI_Test(request, through, MPI_STATUS_IGNORE);
#endif
}

/* SMPI's own tests all requests but the first one that is through. */
int __wrap_PMPI_Waitsome(int count, MPI_Request *request, int *done, int *indices, MPI_Status *statuses);
int __wrap_PMPI_Waitsome(int count, MPI_Request *request, int *done, int *indices, MPI_Status *statuses)
{
    int first, through;
    int code = PMPI_Waitany(count, request, &first, MPI_STATUS_IGNORE);
    (void)statuses; /* nobody asks for them */
    *done = MPI_UNDEFINED;
    if (code != MPI_SUCCESS || first == MPI_UNDEFINED)
        return code;
    *done = 0;
    indices[(*done)++] = first;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++) {
        if (request[i] == MPI_REQUEST_NULL)
            continue;
        code = sim_test(&request[i], &through);
        if (through)
            indices[(*done)++] = i;
    }
    return code;
}

/* SMPI's own looks at all requests again for each one that ends; its MPI_Wait would have each wait beside a sleep. */
int __wrap_PMPI_Waitall(int count, MPI_Request *request, MPI_Status *statuses);
int __wrap_PMPI_Waitall(int count, MPI_Request *request, MPI_Status *statuses)
{
    int code = MPI_SUCCESS, index;
    for (int i = 0; i < count; i++) {
        MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
        int one = PMPI_Waitany(1, &request[i], &index, status);
        code = code == MPI_SUCCESS ? one : code;
    }
    return code;
}
