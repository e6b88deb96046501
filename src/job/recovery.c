#include "job/recovery.h"

#include "family/family.h"

bool topo_recovers(void)
{
    const bool *enabled = topo_family_symbol(TOPO_MPI_RECOVERS);
    return enabled && *enabled;
}
