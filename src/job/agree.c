#include "job/agree.h"

#include <mpi.h>

#include "base/processors.h"
#include "job/channel.h"

struct topo_agreement topo_agree(bool usable)
{
    enum { USABLE, UNBOUND, UNITS, FACTS };
    int mine[FACTS] = {usable, !topo_bound(), usable ? topo_channels_reserve() : 0}, least[FACTS] = {0};
    if (PMPI_Allreduce(mine, least, FACTS, MPI_INT, MPI_MIN, MPI_COMM_WORLD) != MPI_SUCCESS)
        least[USABLE] = 0;
    if (!least[USABLE])
        topo_channels_stop();
    return (struct topo_agreement){.usable = least[USABLE], .bound = !least[UNBOUND], .units = least[UNITS]};
}
