#include "coll/bcast/bcast.h"

#include <limits.h>
#include <string.h>

#include "coll/call/choose.h"
#include "coll/call/native_cache.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(const struct topo_bcast *call);

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define BCAST(name, ...) [TOPO_ALGORITHM_bcast_##name] = topo_bcast_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* A buffer or type that the native call has an error for is a mistake of this rank alone, maybe: it takes part with
 * memory of its own, so that the others, and what they share with it, get on, and the native call reports it then. */
static int run_beside(run_function *run, struct topo_bcast *call)
{
    size_t bytes = call->data.bytes;
    char *instead = topo_scratch_take(bytes);
    if (!instead)
        return MPI_ERR_NO_MEM;
    memset(instead, 0, bytes);
    int code = topo_data_describe(instead, (int)bytes, MPI_BYTE, &call->data);
    if (code == MPI_SUCCESS)
        code = run(call);
    topo_scratch_give(instead);
    return code;
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, void *buffer, int count,
                    MPI_Datatype type, int root)
{
    const struct topo_algorithm *native = turn->ran, *algorithm = native;
    struct topo_bcast call = {.comm = turn->state, .root = root};
    int code = topo_data_bytes(count, type, &turn->bytes);
    if (code != MPI_SUCCESS)
        return code;
    /* Equal on all ranks: bytes and root are, counts and types need not be. MPI_Pack knows int lengths
     * only. A root that does not exist is the native call's to report. */
    if (turn->bytes > 0 && turn->bytes <= INT_MAX && root >= 0 && root < turn->state->ranks)
        algorithm = topo_choose(TOPO_OPERATION_bcast, forced, turn->state, turn->bytes, NULL, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph) ||
        (code = topo_data_describe(buffer, count, type, &call.data)) != MPI_SUCCESS)
        return code;
    call.channel = &turn->state->channel;
    if (buffer == MPI_IN_PLACE || !topo_data_committed(call.data.named, type, turn->state->channel.comm))
        return topo_call_ran(turn, run_beside(run_of(algorithm->id), &call));
    turn->ran = algorithm;
    return topo_call_ran(turn, run_of(algorithm->id)(&call));
}

int topo_bcast(const struct topo_algorithm *forced, void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    if (!forced && topo_native_cache_has(TOPO_OPERATION_bcast, comm, count, type, MPI_OP_NULL))
        return topo_native.bcast(buffer, count, type, root, comm);
    bool valid = count >= 0 && type != MPI_DATATYPE_NULL;
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_bcast, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_bcast, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn, buffer, count, type, root));
    if (ours && !forced && code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_bcast_native)
        topo_native_cache_add(&turn, count, type, MPI_OP_NULL);
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_bcast_native)
        code = topo_native.bcast(buffer, count, type, root, comm);
    topo_call_end(&turn);
    return code;
}
