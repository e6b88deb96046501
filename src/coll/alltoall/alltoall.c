#include "coll/alltoall/alltoall.h"

#include <limits.h>

#include "coll/call/choose.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(const struct topo_alltoallv *call);

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLTOALL(name, ...) [TOPO_ALGORITHM_alltoall_##name] = topo_alltoall_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* In place ours send from a copy; of at most so many bytes a rank. */
enum { IN_PLACE_BYTES = 64 << 20 };

/* The call's own reason to leave it to the MPI library; NULL: none. `m` is equal on all ranks, counts and types need
 * not be; MPI_Pack knows int lengths only. */
static const char *refusal_of(const void *send, size_t m, int ranks)
{
    if (m > INT_MAX)
        return "blocks of more than 2 GiB are left to the MPI library";
    if (send == MPI_IN_PLACE && m > IN_PLACE_BYTES / (size_t)ranks)
        return "long MPI_IN_PLACE calls are left to the MPI library";
    return NULL;
}

/* Makes a copy of what is sent in place the send side; *memory is to be given back. */
static int copy_in_place(struct topo_alltoallv *call, size_t m, char **memory)
{
    int code = MPI_SUCCESS;
    *memory = topo_scratch_take(m * (size_t)call->comm->ranks);
    if (!*memory)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < call->comm->ranks && code == MPI_SUCCESS; rank++)
        code = topo_buffer_desc_pack(&call->receive, rank, *memory + (size_t)rank * m, call->channel->comm);
    return code != MPI_SUCCESS ? code : topo_buffer_desc_describe_equal(*memory, (int)m, MPI_BYTE, &call->send);
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const void *send, int send_count,
                    MPI_Datatype send_type, void *receive, int receive_count, MPI_Datatype receive_type)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    struct topo_alltoallv call = {.comm = turn->state};
    bool in_place = send == MPI_IN_PLACE;
    char *copy = NULL;
    size_t m;
    int code = topo_data_bytes(receive_count, receive_type, &m);
    turn->bytes = m;
    if (code != MPI_SUCCESS || m == 0)
        return code;
    algorithm =
        topo_choose(TOPO_OPERATION_alltoall, forced, turn->state, m, refusal_of(send, m, turn->state->ranks), &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph))
        return code;
    code = topo_buffer_desc_describe_equal(receive, receive_count, receive_type, &call.receive);
    if (code == MPI_SUCCESS && !in_place)
        code = topo_buffer_desc_describe_equal(send, send_count, send_type, &call.send);
    if (code != MPI_SUCCESS || !topo_data_committed(call.receive.one.named, receive_type, turn->state->channel.comm) ||
        (!in_place && !topo_data_committed(call.send.one.named, send_type, turn->state->channel.comm)))
        return code;
    turn->ran = algorithm;
    call.channel = &turn->state->channel;
    call.estimate = topo_count_estimate_of(turn->state);
    if (!call.estimate)
        return MPI_ERR_NO_MEM;
    if (in_place)
        code = copy_in_place(&call, m, &copy);
    if (code == MPI_SUCCESS)
        code = run_of(algorithm->id)(&call);
    topo_scratch_give(copy);
    return code;
}

int topo_alltoall(const struct topo_algorithm *forced, const void *send, int send_count, MPI_Datatype send_type,
                  void *receive, int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool valid = receive != MPI_IN_PLACE && receive_count >= 0 && receive_type != MPI_DATATYPE_NULL &&
                 (send == MPI_IN_PLACE || (send_count >= 0 && send_type != MPI_DATATYPE_NULL));
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_alltoall, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_alltoall, turn.state)))
        code = topo_call_raise(
            &turn, dispatch(forced, &turn, send, send_count, send_type, receive, receive_count, receive_type));
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_alltoall_native)
        code = topo_native.alltoall(send, send_count, send_type, receive, receive_count, receive_type, comm);
    topo_call_end(&turn);
    return code;
}
