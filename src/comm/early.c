#include "comm/early.h"

#include <stdalign.h>

#include "base/align.h"
#include "job/job.h"

alignas(TOPO_CACHE_LINE) struct topo_early topo_early[1 << TOPO_EARLY_BITS][TOPO_EARLY_LINE];
_Static_assert(sizeof topo_early[0] == TOPO_CACHE_LINE, "a cache line");
int topo_early_most;

bool topo_early_add(MPI_Comm comm, struct topo_early_kept kept)
{
    struct topo_early *line = topo_early_line(comm);
    int ranks;
    topo_early_remove(comm);
    if (topo_early_most == 0 || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS)
        return false;
    for (int i = 0; i < TOPO_EARLY_LINE; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&line[i].comm, &none, (uintptr_t)comm)) {
            line[i].kept = kept;
            line[i].ranks = ranks;
            return true;
        }
    }
    return false;
}

struct topo_early_kept topo_early_remove(MPI_Comm comm)
{
    struct topo_early *place = topo_early_of(comm);
    if (!place)
        return (struct topo_early_kept){.calls = -1};
    const struct topo_early_kept kept = place->kept;
    atomic_store_explicit(&place->comm, 0, memory_order_release);
    return kept;
}

void topo_early_stop(void)
{
    topo_early_most = 0;
    for (int i = 0; i < 1 << TOPO_EARLY_BITS; i++)
        for (int j = 0; j < TOPO_EARLY_LINE; j++)
            atomic_store_explicit(&topo_early[i][j].comm, 0, memory_order_release);
}
