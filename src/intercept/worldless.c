#include "intercept/worldless.h"

#include <unistd.h>

#include <mpi.h>

#include "base/environment.h"
#include "base/log.h"
#include "catalog/flag.h"
#include "catalog/options.h"
#include "family/known.h"

atomic_bool topo_is_worldless = true;

static atomic_long calls;
static _Atomic pid_t counted_by; /* a child that the program forks has nothing to tell */

void topo_worldless_count(void)
{
    int begun = 0, ended = 0;
    PMPI_Initialized(&begun);
    PMPI_Finalized(&ended);
    if (begun && !ended) { /* by a function that we do not see, as OpenSHMEM's */
        topo_is_worldless = false;
        return;
    }
    counted_by = getpid();
    atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed);
}

bool topo_worldless_was_called(void)
{
    return atomic_load(&calls) > 0;
}

static bool is_asked(void)
{
    return topo_flag_stats(topo_environment(topo_option_info(TOPO_OPTION_STATS)->name)) ||
           topo_flag_of(topo_environment(topo_option_info(TOPO_OPTION_VERBOSE)->name), false);
}

/* Not as MPI ends: of sessions no process sees the last. */
static __attribute__((destructor)) void tell(void)
{
    const long count = atomic_load(&calls);
    if (count > 0 && counted_by == getpid() && is_asked() && topo_launched_first())
        topo_say("%ld calls were native, as there was no MPI_COMM_WORLD: MPI was started by sessions, not by MPI_Init",
                 count);
}
