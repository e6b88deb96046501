#include "coll/allgather/allgather.h"

#include <limits.h>

#include "coll/call/choose.h"
#include "coll/call/call.h"
#include "job/native.h"

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static topo_allgather_function *run_of(enum topo_algorithm_id id)
{
    static topo_allgather_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLGATHER(name, ...) [TOPO_ALGORITHM_allgather_##name] = topo_allgather_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const void *send, int send_count,
                    MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type)
{
    const struct topo_algorithm *native = turn->ran, *algorithm = native;
    struct topo_allgather call = {.comm = turn->state};
    int code = topo_data_bytes(receive_count, receive_type, &call.m);
    if (code != MPI_SUCCESS)
        return code;
    turn->bytes = call.m;
    /* Equal on all ranks: m is, counts and types need not be. MPI_Pack knows int lengths only. */
    if (call.m > 0 && call.m <= INT_MAX)
        algorithm = topo_choose(TOPO_OPERATION_allgather, forced, turn->state, call.m, NULL, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph) ||
        (code = topo_data_describe(receive, receive_count, receive_type, &call.receive)) != MPI_SUCCESS ||
        !topo_data_committed(call.receive.named, receive_type, turn->state->channel.comm))
        return code;
    turn->ran = algorithm;
    call.channel = &turn->state->channel;
    call.whole = call.receive.contiguous ? call.receive.base : NULL;
    return topo_allgather_run(run_of(algorithm->id), &call, send, send_count, send_type);
}

int topo_allgather(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                   void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool valid = receive != MPI_IN_PLACE && receive_count >= 0 && receive_type != MPI_DATATYPE_NULL &&
                 (send == MPI_IN_PLACE || (send_count >= 0 && send_type != MPI_DATATYPE_NULL));
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_allgather, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_allgather, turn.state)))
        code = topo_call_raise(
            &turn, dispatch(forced, &turn, send, send_count, send_type, receive, receive_count, receive_type));
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_allgather_native)
        code = topo_native.allgather(send, send_count, send_type, receive, receive_count, receive_type, comm);
    topo_call_end(&turn);
    return code;
}
