/* The core's side of libtopompi.so (preload/program.h): what it is opened with, besides the wrappers, which it finds by
 * the names of the MPI functions. */
#include "topompi.h"

#include "base/export.h"
#include "job/native.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static topo_symbol *(*next_of)(const char *name);

topo_symbol *topo_next(const char *name)
{
    return next_of(name);
}

/* Fills topo_native with the next library's MPI_* collectives. */
static void find_collectives(void)
{
    topo_native.allgather =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))topo_next("MPI_Allgather");
    topo_native.allreduce =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Allreduce");
    topo_native.alltoall =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))topo_next("MPI_Alltoall");
    topo_native.alltoallv = (int (*)(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                                     const int *, MPI_Datatype, MPI_Comm))topo_next("MPI_Alltoallv");
    topo_native.bcast = (int (*)(void *, int, MPI_Datatype, int, MPI_Comm))topo_next("MPI_Bcast");
    topo_native.allgatherv = (int (*)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                                      MPI_Comm))topo_next("MPI_Allgatherv");
    topo_native.reduce =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm))topo_next("MPI_Reduce");
    topo_native.reduce_scatter =
        (int (*)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Reduce_scatter");
    topo_native.reduce_scatter_block =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Reduce_scatter_block");
    topo_native.barrier = (int (*)(MPI_Comm))topo_next("MPI_Barrier");
}

/* The version; libtopompi.so takes no other than its own. */
TOPO_EXPORT extern const char topo_core_version[];
const char topo_core_version[] = TOPOMPI_VERSION;

/* Before any wrapper: `next` finds what comes after libtopompi.so. Whatever becomes of the job, a tool that is
 * preloaded after us sees every native call. */
TOPO_EXPORT void topo_core_start(topo_symbol *(*next)(const char *name));
TOPO_EXPORT void topo_core_start(topo_symbol *(*next)(const char *name))
{
    next_of = next;
    find_collectives();
}

/* MPI_Pcontrol(level) from `caller`. */
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller);
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller)
{
    topo_trace_pcontrol(level, caller);
}
