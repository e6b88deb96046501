/* Alltoallv without detours: every message by itself, long ones a few at once.
 *
 * Cost: the bytes of the busiest link times beta, and (n - 1) (alpha + o) for its
 * messages. */
#include "coll/alltoallv/alltoallv.h"
#include "coll/exchange/pairs.h"

int topo_alltoallv_direct(const struct topo_alltoallv *call)
{
    struct topo_pairs pairs;
    int code = topo_pairs_start(call, 0, &pairs);
    int copied = topo_pairs_copy_own(call);
    int finished = topo_pairs_finish(&pairs);
    return code != MPI_SUCCESS ? code : copied != MPI_SUCCESS ? copied : finished;
}
