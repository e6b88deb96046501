/* Alltoall without detours: as alltoallv's. */
#include "coll/alltoall/alltoall.h"

int topo_alltoall_direct(const struct topo_alltoallv *call)
{
    return topo_alltoallv_direct(call);
}
