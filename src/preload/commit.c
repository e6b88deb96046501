/* PMIx_Commit(), by which MPI libraries hand over in MPI_Init what other ranks may ask for: the core adds to it before
 * (job/presence.h). Nothing else of PMIx comes by here. */
#include <stdatomic.h>
#include <stddef.h>

#include "base/export.h"
#include "preload/program.h"

TOPO_EXPORT int PMIx_Commit(void);
TOPO_EXPORT int PMIx_Commit(void)
{
    static topo_symbol *_Atomic known;
    topo_symbol *before = topo_program_core("topo_core_commit"), *commit = atomic_load(&known);
    if (!commit) {
        commit = topo_program_next("PMIx_Commit", __builtin_return_address(0));
        atomic_store(&known, commit);
    }
    if (before)
        ((void (*)(topo_symbol *))before)(commit);
    return ((int (*)(void))commit)();
}
