/* The core's side of libtopompi.so (preload/program.h): what it is opened with, besides the wrappers, which it finds by
 * the names of the MPI functions. */
#include "topompi.h"

#include "base/export.h"
#include "job/native.h"
#include "job/presence.h"
#include "intercept/guard.h"
#include "observe/trace.h"

static topo_symbol *(*next_of)(const char *name);
static void *(*further_of)(int *at, const char *name);

topo_symbol *topo_next(const char *name)
{
    return next_of(name);
}

void *topo_further(int *at, const char *name)
{
    return further_of(at, name);
}

/* Fills topo_native with the next library's MPI_* collectives. */
static void find_collectives(void)
{
#define OPERATION(name, Name, ...) topo_native.name = (__typeof__(topo_native.name))topo_next("MPI_" #Name);
#include "catalog/operations.def"
}

/* The version; libtopompi.so takes no other than its own. */
TOPO_EXPORT extern const char topo_core_version[];
const char topo_core_version[] = TOPOMPI_VERSION;

/* Before any wrapper: `next` finds what comes after libtopompi.so, `further` is topo_further(). Whatever becomes of the
 * job, a tool that is preloaded after us sees every native call. */
TOPO_EXPORT void topo_core_start(topo_symbol *(*next)(const char *name), void *(*further)(int *at, const char *name));
TOPO_EXPORT void topo_core_start(topo_symbol *(*next)(const char *name), void *(*further)(int *at, const char *name))
{
    next_of = next;
    further_of = further;
    find_collectives();
}

#ifdef OPEN_MPI
/* Before a PMIx_Commit() of the process. */
TOPO_EXPORT void topo_core_commit(void);
TOPO_EXPORT void topo_core_commit(void)
{
    topo_presence_commit();
}
#endif

/* MPI_Pcontrol(level) from `caller`. */
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller);
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller)
{
    topo_trace_pcontrol(level, caller);
}
