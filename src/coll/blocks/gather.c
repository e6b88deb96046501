#include "coll/blocks/gather.h"

#include "coll/base/scratch.h"
#include "plan/gather.h"

struct topo_data topo_allgather_block(const struct topo_allgather *call, int rank)
{
    return topo_data_of_rank(&call->receive, call->counts, call->places, rank);
}

size_t topo_allgather_longest(const struct topo_allgather *call)
{
    size_t longest = call->m;
    for (int at = 0; call->starts && at < call->comm->ranks; at++) {
        size_t bytes = call->starts[at + 1] - call->starts[at];
        longest = bytes > longest ? bytes : longest;
    }
    return longest;
}

int topo_allgather_place(const struct topo_allgather *call, int rank, const char *bytes)
{
    struct topo_data block = topo_allgather_block(call, rank);
    if (block.bytes == 0 || (block.contiguous && block.base == bytes))
        return MPI_SUCCESS;
    return topo_data_unpack(&block, 0, bytes, call->channel->comm);
}

static int run(const struct topo_allgather *call, enum topo_algorithm_id id)
{
    if (id == TOPO_ALGORITHM_allgather_lanes || id == TOPO_ALGORITHM_allgatherv_lanes)
        return topo_gather_lanes(call);
    return (topo_plan_is_by_rank(topo_plan_of(id)) ? topo_gather_by_rank : topo_gather_by_node)(call, id);
}

int topo_gather_all(struct topo_allgather *call, enum topo_algorithm_id id, const void *send, MPI_Count send_count,
                    MPI_Datatype send_type)
{
    struct topo_data own = topo_allgather_block(call, call->comm->rank);
    size_t bytes = own.bytes;
    char *packed = NULL;
    int code = MPI_SUCCESS;
    if (send != MPI_IN_PLACE)
        code = topo_data_describe(send, send_count, send_type, &own);
    if (code != MPI_SUCCESS)
        return code;
    if (!topo_data_committed(own.named, own.type, call->channel->comm))
        return MPI_ERR_TYPE;
    call->own = own.base;
    if (!own.contiguous) {
        packed = topo_scratch_take(bytes);
        if (!packed)
            return MPI_ERR_NO_MEM;
        code = topo_data_pack(&own, 0, packed, call->channel->comm);
        call->own = packed;
    }
    if (code == MPI_SUCCESS)
        code = run(call, id);
    topo_scratch_give(packed);
    return code;
}
