#include "coll/allgatherv/allgatherv.h"

#include <limits.h>

#include "coll/call/choose.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "job/native.h"

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static topo_allgather_function *run_of(enum topo_algorithm_id id)
{
    static topo_allgather_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLGATHERV(name, ...) [TOPO_ALGORITHM_allgatherv_##name] = topo_allgatherv_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* Bytes of all blocks, each of which MPI_Pack, which knows int lengths only, can take; else, and where the
 * native call has a count to report, 0. Counts and types need not be equal on all ranks, but the bytes are. */
static size_t total_of(const int *counts, int ranks, size_t element)
{
    size_t total = 0;
    for (int rank = 0; rank < ranks; rank++) {
        if (counts[rank] < 0 || (element > 0 && (size_t)counts[rank] > INT_MAX / element))
            return 0;
        total += (size_t)counts[rank] * element;
    }
    return total;
}

/* Fills starts[] and `whole`; call->receive and the like are there. */
static void lay_out(struct topo_allgather *call, size_t *starts)
{
    const struct topo_comm *comm = call->comm;
    size_t before = 0;
    call->starts = starts;
    starts[0] = 0;
    for (int at = 0; at < comm->ranks; at++)
        starts[at + 1] = starts[at] + (size_t)call->counts[comm->order[at]] * call->receive.bytes;
    bool consecutive = call->receive.contiguous;
    for (int rank = 0; rank < comm->ranks && consecutive; rank++) {
        struct topo_data block = topo_allgather_block(call, rank);
        if (block.bytes == 0)
            continue;
        if (before == 0)
            call->whole = block.base;
        consecutive = block.base == call->whole + before;
        before += block.bytes;
    }
    if (!consecutive)
        call->whole = NULL;
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, struct topo_allgather *call,
                    const void *send, int send_count, MPI_Datatype send_type, void *receive, MPI_Datatype receive_type)
{
    const struct topo_algorithm *native = turn->ran, *algorithm = native;
    size_t element, total;
    int ranks = call->comm->ranks, code = topo_data_bytes(1, receive_type, &element);
    if (code != MPI_SUCCESS || (total = total_of(call->counts, ranks, element)) == 0)
        return code;
    turn->bytes = (total + (size_t)ranks - 1) / (size_t)ranks;
    algorithm = topo_choose(TOPO_OPERATION_allgatherv, forced, turn->state, turn->bytes, NULL, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph) ||
        (code = topo_data_describe(receive, 1, receive_type, &call->receive)) != MPI_SUCCESS ||
        !topo_data_committed(call->receive.named, receive_type, turn->state->channel.comm))
        return code;
    turn->ran = algorithm;
    call->channel = &turn->state->channel;
    size_t *starts = topo_scratch_take(((size_t)ranks + 1) * sizeof *starts);
    if (!starts)
        return MPI_ERR_NO_MEM;
    lay_out(call, starts);
    code = topo_allgather_run(run_of(algorithm->id), call, send, send_count, send_type);
    topo_scratch_give(starts);
    return code;
}

int topo_allgatherv(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                    void *receive, const int *counts, const int *places, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool valid = receive != MPI_IN_PLACE && counts && places && receive_type != MPI_DATATYPE_NULL &&
                 (send == MPI_IN_PLACE || (send_count >= 0 && send_type != MPI_DATATYPE_NULL));
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_allgatherv, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_allgatherv, turn.state))) {
        struct topo_allgather call = {.comm = turn.state, .counts = counts, .places = places};
        code =
            topo_call_raise(&turn, dispatch(forced, &turn, &call, send, send_count, send_type, receive, receive_type));
    }
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_allgatherv_native)
        code = topo_native.allgatherv(send, send_count, send_type, receive, counts, places, receive_type, comm);
    topo_call_end(&turn);
    return code;
}
