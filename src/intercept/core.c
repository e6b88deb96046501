/* The core's side of libtopompi.so (preload/program.h): what it is opened with, besides the wrappers, which it finds by
 * the names of the MPI functions. */
#include "topompi.h"

#include "base/export.h"
#include "family/family.h"
#include "family/presence_exchange.h"
#include "job/mpi.h"
#include "job/native.h"
#include "intercept/next.h"
#include "observe/stats.h"
#include "observe/trace.h"

struct topo_mpi topo_mpi;
struct topo_native topo_native;
TOPO_MPI_TABLES

static topo_symbol *(*own_of)(const char *name), *(*next_of)(const char *name);
static void *(*further_of)(int *at, const char *name);

topo_symbol *topo_own(const char *name)
{
    topo_symbol *symbol = own_of(name);
    return symbol ? symbol : next_of(name);
}

topo_symbol *topo_next(const char *name)
{
    return next_of(name);
}

void *topo_further(int *at, const char *name)
{
    return further_of(at, name);
}

/* The version; libtopompi.so takes no other than its own. */
TOPO_EXPORT extern const char topo_core_version[];
const char topo_core_version[] = TOPOMPI_VERSION;

/* Before any wrapper, with what topo_own(), topo_next() and topo_further() are to find, and where calls are counted;
 * `own` gives NULL where the MPI library has no such symbol. NULL when all is there that the core needs of it; else
 * what is missing. */
TOPO_EXPORT const char *topo_core_start(topo_symbol *(*own)(const char *name), topo_symbol *(*next)(const char *name),
                                        void *(*further)(int *at, const char *name),
                                        struct topo_functions *_Atomic *functions);
TOPO_EXPORT const char *topo_core_start(topo_symbol *(*own)(const char *name), topo_symbol *(*next)(const char *name),
                                        void *(*further)(int *at, const char *name),
                                        struct topo_functions *_Atomic *functions)
{
    own_of = own;
    next_of = next;
    further_of = further;
    topo_stats_functions = functions;
#define FIND(member, symbol) \
    member = (__typeof__(member))own(symbol); \
    if (!member) \
        return symbol;
#define FUNCTION(Name) FIND(topo_mpi.Name, "PMPI_" #Name)
#include "job/mpi.def"
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    FIND(topo_native.name, "PMPI_" #Name) \
    TOPO_IF_COUNTS(count, topo_native.name##_c = (__typeof__(topo_native.name##_c))own("PMPI_" #Name "_c");)
#include "catalog/operations.def"
    return topo_family_start();
}

/* Before a PMIx_Commit() of the process, `commit`. */
TOPO_EXPORT void topo_core_commit(topo_symbol *commit);
TOPO_EXPORT void topo_core_commit(topo_symbol *commit)
{
    topo_presence_commit(commit);
}

/* MPI_Pcontrol(level) from `caller`. */
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller);
TOPO_EXPORT void topo_core_pcontrol(int level, const void *caller)
{
    topo_trace_pcontrol(level, caller);
}
