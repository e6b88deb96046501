#include "coll/neighbor_allgather/neighbor_allgather.h"

#include "coll/call/call.h"

typedef int run_function(const struct topo_neighbors *call);

/* By id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define NEIGHBOR_ALLGATHER(name, ...) [TOPO_ALGORITHM_neighbor_allgather_##name] = topo_neighbor_allgather_##name,
#include "catalog/algorithms.def"
};

bool topo_neighbor_allgather_examine(struct topo_call *call, const void *send, MPI_Count send_count,
                                     MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                                     MPI_Datatype receive_type, MPI_Comm comm)
{
    (void)comm;
    call->handles = (struct topo_call_handles){send_type, MPI_OP_NULL};
    return topo_data_is_known(send_count, send_type) && topo_data_is_known(receive_count, receive_type) &&
           send != MPI_IN_PLACE && receive != MPI_IN_PLACE;
}

int topo_neighbor_allgather_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                                void *receive, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    struct topo_neighbors neighbors = {.comm = call->state, .user = comm};
    struct topo_facts facts = {0};
    int kind, code = topo_data_bytes(send_count, send_type, &facts.bytes);
    PMPI_Topo_test(comm, &kind);
    if (kind != MPI_CART)
        facts.refusal = "its neighbours are no grid's";
    call->bytes = facts.bytes;
    if (code != MPI_SUCCESS || facts.bytes == 0)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &facts, &code);
    if (!algorithm ||
        (code = topo_data_describe(send, send_count, send_type, &neighbors.send)) != MPI_SUCCESS ||
        (code = topo_data_describe(receive, receive_count, receive_type, &neighbors.receive)) != MPI_SUCCESS ||
        !topo_data_committed(neighbors.send.named, send_type, call->state->channel.comm) ||
        !topo_data_committed(neighbors.receive.named, receive_type, call->state->channel.comm))
        return code;
    call->ran = algorithm;
    return runs[algorithm->id](&neighbors);
}
