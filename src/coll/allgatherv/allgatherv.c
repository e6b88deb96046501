#include "coll/call/operations.h"

#include <limits.h>

#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "coll/blocks/gather.h"

/* Bytes of all blocks, each of which MPI_Pack, which knows int lengths only, can take; else 0. Counts and types need
 * not be equal on all ranks, but the bytes are. */
static size_t total_of(struct topo_counts counts, int ranks, size_t element)
{
    size_t total = 0;
    for (int rank = 0; rank < ranks; rank++) {
        size_t count = (size_t)topo_counts_of(counts, rank);
        if (element > 0 && count > INT_MAX / element)
            return 0;
        total += count * element;
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
        starts[at + 1] =
            starts[at] + (size_t)topo_counts_of(call->counts, topo_tree_rank(comm->tree, at)) * call->receive.bytes;
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

bool topo_allgatherv_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                             void *receive, struct topo_counts counts, struct topo_counts places,
                             MPI_Datatype receive_type, MPI_Comm comm)
{
    (void)comm;
    call->counts = counts;
    call->handles = (struct topo_call_handles){receive_type, MPI_OP_NULL};
    return receive != MPI_IN_PLACE && counts.at && places.at && receive_type != MPI_DATATYPE_NULL &&
           (send == MPI_IN_PLACE || topo_data_is_known(send_count, send_type));
}

int topo_allgatherv_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                        void *receive, struct topo_counts counts, struct topo_counts places, MPI_Datatype receive_type,
                        MPI_Comm comm)
{
    struct topo_allgather gather = {
        .comm = call->state, .channel = &call->state->channel, .counts = counts, .places = places};
    size_t element, total, ranks = (size_t)call->state->ranks;
    int code = topo_data_bytes(1, receive_type, &element);
    (void)comm;
    if (code != MPI_SUCCESS || (total = total_of(counts, call->state->ranks, element)) == 0)
        return code;
    call->bytes = (total + ranks - 1) / ranks;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = call->bytes}, &code);
    if (!algorithm || (code = topo_data_describe(receive, 1, receive_type, &gather.receive)) != MPI_SUCCESS ||
        !topo_data_committed(gather.receive.named, receive_type, gather.channel->comm))
        return code;
    call->ran = algorithm;
    size_t *starts = topo_scratch_take((ranks + 1) * sizeof *starts);
    if (!starts)
        return MPI_ERR_NO_MEM;
    lay_out(&gather, starts);
    code = topo_gather_all(&gather, algorithm->id, send, send_count, send_type);
    topo_scratch_give(starts);
    return code;
}
