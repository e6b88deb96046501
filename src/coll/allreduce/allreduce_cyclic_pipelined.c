/* Cyclic all-reduce of several parts of the vector in turn: two are under way at
 * a time, so that one is added up inside the nodes while the other one keeps the
 * network busy.
 *
 * Cost: that of cyclic with max() in place of the sum over the dimensions, plus
 * the other dimensions' share of the first and last part. */
#include "coll/allreduce/allreduce.h"

/* Parts are worth their extra messages only when they are long. */
enum { PART_BYTES = 128 << 10, PARTS_MAX = 8 };

int topo_allreduce_cyclic_pipelined(const struct topo_allreduce *call)
{
    struct topo_allreduce_shape shape;
    size_t parts = call->vector.count * call->vector.size / PART_BYTES;
    int code = topo_allreduce_shape_of(call, TOPO_SHAPE_CYCLIC, &shape);
    if (code != MPI_SUCCESS)
        return code;
    return topo_allreduce_run(call, &shape, parts < 1 ? 1 : parts < PARTS_MAX ? (int)parts : PARTS_MAX);
}
