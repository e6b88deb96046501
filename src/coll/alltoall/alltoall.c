#include "coll/alltoall/alltoall.h"

#include <limits.h>

#include "coll/base/scratch.h"
#include "coll/call/call.h"

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

bool topo_alltoall_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                           void *receive, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    return topo_allgather_examine(call, send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int topo_alltoall_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                      void *receive, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_alltoallv exchange = {.comm = call->state, .channel = &call->state->channel};
    bool in_place = send == MPI_IN_PLACE;
    char *copy = NULL;
    size_t m;
    int code = topo_data_bytes(receive_count, receive_type, &m);
    (void)comm;
    call->bytes = m;
    if (code != MPI_SUCCESS || m == 0)
        return code;
    const struct topo_facts facts = {.bytes = m, .refusal = refusal_of(send, m, call->state->ranks)};
    const struct topo_algorithm *algorithm = topo_call_choose(call, &facts, &code);
    if (!algorithm)
        return code;
    code = topo_buffer_desc_describe_equal(receive, receive_count, receive_type, &exchange.receive);
    if (code == MPI_SUCCESS && !in_place)
        code = topo_buffer_desc_describe_equal(send, send_count, send_type, &exchange.send);
    if (code != MPI_SUCCESS || !topo_data_committed(exchange.receive.one.named, receive_type, exchange.channel->comm) ||
        (!in_place && !topo_data_committed(exchange.send.one.named, send_type, exchange.channel->comm)))
        return code;
    exchange.estimate = topo_count_estimate_of(call->state);
    if (!exchange.estimate)
        return MPI_ERR_NO_MEM;
    call->ran = exchange.estimate->ran = algorithm;
    if (in_place)
        code = copy_in_place(&exchange, m, &copy);
    if (code == MPI_SUCCESS)
        code = algorithm->id == TOPO_ALGORITHM_alltoall_direct ? topo_alltoallv_direct(&exchange)
                                                               : topo_alltoall_node_aware(&exchange);
    if (exchange.estimate->ran != algorithm) /* also node_aware, where there is no shared memory */
        call->ran = topo_algorithm(TOPO_ALGORITHM_alltoall_direct);
    topo_scratch_give(copy);
    return code;
}
