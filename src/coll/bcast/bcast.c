#include "coll/call/operations.h"

#include <limits.h>
#include <string.h>

#include "coll/base/datatype.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/call/call.h"
#include "coll/engine/engine.h"
#include "comm/comm.h"
#include "node/shm_fifo.h"

/* The bytes lie in one piece at `data`. */
static int run_plan(struct topo_comm *comm, enum topo_algorithm_id id, int root, char *data, size_t bytes)
{
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    const bool shares = topo_shm_fifo_open(comm->node, bytes < TOPO_SEGMENT_BYTES ? bytes : TOPO_SEGMENT_BYTES);
    if (!shares && topo_comm_declines(comm))
        return TOPO_NOT_NOW;
    const struct topo_plan *plan = topo_comm_plan(
        comm, topo_plan_of(id), &(struct topo_plan_input){.root = root, .bytes = bytes, .shares = shares});
    const struct topo_engine_vector vector = {.base = data, .bytes = 1, .type = MPI_BYTE, .units = 1};
    return plan ? topo_engine_run(comm, plan, &vector, NULL) : MPI_ERR_NO_MEM;
}

/* data->bytes is equal on all ranks, and not 0; types need not be. */
static int run(struct topo_comm *comm, enum topo_algorithm_id id, int root, const struct topo_data *data)
{
    const bool is_root = comm->rank == root;
    MPI_Comm channel = comm->channel.comm;
    int code = MPI_SUCCESS;
    if (data->contiguous)
        return run_plan(comm, id, root, data->base, data->bytes);
    char *packed = topo_scratch_take(data->bytes);
    if (!packed)
        return MPI_ERR_NO_MEM;
    if (is_root)
        code = topo_data_pack(data, 0, packed, channel);
    int ran = run_plan(comm, id, root, packed, data->bytes);
    code = ran == TOPO_NOT_NOW ? ran : topo_first_error(code, ran);
    if (!is_root && ran != TOPO_NOT_NOW)
        code = topo_first_error(code, topo_data_unpack(data, 0, packed, channel));
    topo_scratch_give(packed);
    return code;
}

/* A buffer or type that the native call has an error for is a mistake of this rank alone, maybe: it takes part with
 * memory of its own, so that the others, and what they share with it, get on, and the native call reports it then. */
static int run_beside(struct topo_comm *comm, enum topo_algorithm_id id, int root, size_t bytes)
{
    char *instead = topo_scratch_take(bytes);
    if (!instead)
        return MPI_ERR_NO_MEM;
    memset(instead, 0, bytes);
    int code = run_plan(comm, id, root, instead, bytes);
    topo_scratch_give(instead);
    return code;
}

bool topo_bcast_examine(struct topo_call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root,
                        MPI_Comm comm)
{
    (void)buffer;
    (void)comm;
    call->root = root;
    call->handles = (struct topo_call_handles){type, MPI_OP_NULL};
    return topo_data_is_known(count, type);
}

int topo_bcast_run(struct topo_call *call, void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct topo_data data;
    int code = topo_data_bytes(count, type, &call->bytes);
    (void)comm;
    if (code != MPI_SUCCESS)
        return code;
    /* Equal on all ranks: bytes and root are, counts and types need not be. MPI_Pack knows int lengths only. */
    if (call->bytes == 0 || call->bytes > INT_MAX)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = call->bytes}, &code);
    if (!algorithm || (code = topo_data_describe(buffer, count, type, &data)) != MPI_SUCCESS)
        return code;
    if (buffer == MPI_IN_PLACE || !topo_data_committed(data.named, type, call->state->channel.comm))
        return run_beside(call->state, algorithm->id, root, call->bytes);
    call->ran = algorithm;
    return run(call->state, algorithm->id, root, &data);
}
