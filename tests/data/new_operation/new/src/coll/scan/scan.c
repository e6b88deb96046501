#include "coll/scan/scan.h"

#include "coll/call/call.h"

typedef int run_function(const struct topo_scan *call);

/* By id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define SCAN(name, ...) [TOPO_ALGORITHM_scan_##name] = topo_scan_##name,
#include "catalog/algorithms.def"
};

bool topo_scan_examine(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    (void)call;
    (void)send;
    (void)comm;
    return topo_data_is_known(count, type) && op != MPI_OP_NULL && receive != MPI_IN_PLACE;
}

int topo_scan_run(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    struct topo_scan scan = {.comm = call->state};
    struct topo_facts facts = {0};
    int code = topo_reduction_facts(call->state, (size_t)count, type, op, &facts);
    (void)comm;
    call->bytes = facts.bytes;
    if (code != MPI_SUCCESS || facts.bytes == 0)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &facts, &code);
    if (!algorithm || (code = topo_vector_describe(send, receive, (int)count, type, op, &scan.vector)) != MPI_SUCCESS ||
        !topo_data_committed(scan.vector.named, type, call->state->channel.comm))
        return code;
    call->ran = algorithm;
    scan.vector.channel = &call->state->channel;
    return runs[algorithm->id](&scan);
}
