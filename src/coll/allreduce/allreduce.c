#include "coll/allreduce/allreduce.h"

#include "coll/base/datatype.h"
#include "coll/call/call.h"
#include "coll/reduction/node_sum.h"
#include "plan/sum_ranks.h"

/* The sum through node-shared memory, between nodes by a plan; without that memory by messages. */
static int run_plan(const struct topo_allreduce *call, enum topo_algorithm_id id)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node_exchange exchange = {topo_plan_of(id), -1};
    const struct topo_result_range all = {.end = call->vector.count};
    bool there;
    int code = topo_node_sum(comm, &call->vector, &exchange, &all, &there);
    if (there)
        return code;
    if (topo_comm_declines(comm))
        return TOPO_NOT_NOW;
    return topo_allreduce_by_ranks(
        call, id == TOPO_ALGORITHM_allreduce_halving ? TOPO_ALGORITHM_allreduce_recursive_halving : id);
}

static int run(const struct topo_allreduce *call, enum topo_algorithm_id id)
{
    if (id == TOPO_ALGORITHM_allreduce_lanes)
        return topo_allreduce_lanes(call);
    return topo_plan_sums_by_rank(topo_plan_of(id)) ? topo_allreduce_by_ranks(call, id) : run_plan(call, id);
}

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
    struct topo_facts facts;
    (void)comm;
    if (send == receive) /* which Open MPI lets pass for a single element */
        send = MPI_IN_PLACE;
    int code;
    const struct topo_algorithm *algorithm = topo_call_choose_sum(call, 1, (size_t)count, type, op, &facts, &code);
    if (!algorithm || (code = topo_vector_describe(send, receive, (int)count, type, op, &sum.vector)) != MPI_SUCCESS ||
        !topo_data_committed(sum.vector.named, type, sum.channel->comm))
        return code;
    call->ran = algorithm;
    sum.vector.channel = sum.channel;
    sum.commutative = !(facts.lacking & TOPO_TRAIT_COMMUTATIVE);
    code = run(&sum, algorithm->id);
    while (code == TOPO_NOT_NOW && (algorithm = topo_call_next(call, algorithm)))
        code = run(&sum, algorithm->id);
    return code;
}
