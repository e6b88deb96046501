/* Cyclic all-reduce of several parts of the vector in turn: two are under way at
 * a time, so that one is added up inside the nodes while the other one keeps the
 * network busy.
 *
 * Cost: that of cyclic with max() in place of the sum over the dimensions, plus
 * the other dimensions' share of the first and last part. */
#include "coll/allreduce/allreduce.h"
#include "patterns/limits.h"

int topo_allreduce_cyclic_pipelined(const struct topo_allreduce *call)
{
    struct topo_allreduce_shape shape;
    size_t parts = call->vector.count * call->vector.size / TOPO_PART_BYTES;
    int code = topo_allreduce_shape_of(call, TOPO_SHAPE_CYCLIC, &shape);
    if (code != MPI_SUCCESS)
        return code;
    return topo_allreduce_by_shape(call, &shape, parts < 1 ? 1 : parts < TOPO_PARTS_MAX ? (int)parts : TOPO_PARTS_MAX);
}
