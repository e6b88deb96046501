#include "coll/call/operations.h"

#include <limits.h>

#include "coll/call/call.h"
#include "coll/blocks/gather.h"

bool topo_allgather_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                            void *receive, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    (void)comm;
    call->handles = (struct topo_call_handles){receive_type, MPI_OP_NULL};
    return receive != MPI_IN_PLACE && topo_data_is_known(receive_count, receive_type) &&
           (send == MPI_IN_PLACE || topo_data_is_known(send_count, send_type));
}

int topo_allgather_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                       void *receive, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_allgather gather = {.comm = call->state, .channel = &call->state->channel};
    int code = topo_data_bytes(receive_count, receive_type, &gather.m);
    (void)comm;
    if (code != MPI_SUCCESS)
        return code;
    call->bytes = gather.m;
    /* Equal on all ranks: m is, counts and types need not be. MPI_Pack knows int lengths only. */
    if (gather.m == 0 || gather.m > INT_MAX)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = gather.m}, &code);
    if (!algorithm ||
        (code = topo_data_describe(receive, receive_count, receive_type, &gather.receive)) != MPI_SUCCESS ||
        !topo_data_committed(gather.receive.named, receive_type, gather.channel->comm))
        return code;
    call->ran = algorithm;
    gather.whole = gather.receive.contiguous ? gather.receive.base : NULL;
    return topo_gather_all(&gather, algorithm->id, send, send_count, send_type);
}
