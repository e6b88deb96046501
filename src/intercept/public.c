/* The functions of the public interface, include/topompi.h. */
#include <string.h>

#include <mpi.h>

#include "topompi.h"

#include "base/export.h"
#include "coll/call/choose.h"
#include "job/about.h"
#include "observe/trace.h"

TOPO_EXPORT const char *topompi_algorithm(MPI_Comm comm, const char *operation, size_t bytes)
{
    for (int i = 0; i < TOPO_OPERATION_COUNT; i++)
        if (!strcmp(operation, topo_operation_name(i))) {
            const struct topo_algorithm *takes = topo_algorithm_for(comm, i, bytes, false);
            return takes ? takes->name : NULL;
        }
    return NULL;
}

TOPO_EXPORT const char *topompi_machine(void)
{
    return topo_job_machine();
}

TOPO_EXPORT void topompi_interval_begin(const char *name, const char *file, int line)
{
    topo_trace_interval_begin(name, file, line);
}

TOPO_EXPORT void topompi_interval_end(void)
{
    topo_trace_interval_end();
}
