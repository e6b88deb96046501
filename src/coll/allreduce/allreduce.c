#include "coll/allreduce/allreduce.h"

#include "coll/base/datatype.h"
#include "coll/call/call.h"

typedef int run_function(const struct topo_allreduce *call);

/* By id; NULL for native rows, which have no run of ours, and for rows of other operations. */
static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLREDUCE(name, ...) [TOPO_ALGORITHM_allreduce_##name] = topo_allreduce_##name,
#include "catalog/algorithms.def"
};

bool topo_allreduce_examine(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                            MPI_Op op, MPI_Comm comm)
{
    (void)comm;
    call->handles = (struct topo_call_handles){type, op};
    return topo_data_is_known(count, type) && op != MPI_OP_NULL && receive != MPI_IN_PLACE &&
           (send != receive || count <= 1 || send == MPI_BOTTOM);
}

int topo_allreduce_run(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                       MPI_Op op, MPI_Comm comm)
{
    struct topo_allreduce sum = {.comm = call->state, .channel = &call->state->channel};
    struct topo_facts facts = {0};
    (void)comm;
    if (send == receive) /* which Open MPI lets pass for a single element */
        send = MPI_IN_PLACE;
    int code = MPI_SUCCESS;
    if (!call->known) {
        code = topo_reduction_facts(call->state, (size_t)count, type, op, &facts);
        call->bytes = facts.bytes;
    }
    if (code != MPI_SUCCESS || call->bytes == 0)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &facts, &code);
    if (!algorithm || (code = topo_vector_describe(send, receive, (int)count, type, op, &sum.vector)) != MPI_SUCCESS ||
        !topo_data_committed(sum.vector.named, type, sum.channel->comm))
        return code;
    call->ran = algorithm;
    sum.vector.channel = sum.channel;
    sum.commutative = !(facts.lacking & TOPO_TRAIT_COMMUTATIVE);
    code = runs[algorithm->id](&sum);
    while (code == TOPO_NOT_NOW && (algorithm = topo_call_next(call, algorithm)))
        code = runs[algorithm->id](&sum);
    return code;
}
