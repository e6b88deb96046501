#include "coll/reduce_scatter/reduce_scatter.h"

#include "coll/base/datatype.h"
#include "coll/call/call.h"
#include "coll/reduction/node_sum.h"
#include "job/native.h"

/* The application's arguments. */
struct request {
    const void *send;
    void *receive;
    struct topo_counts counts; /* none: MPI_Reduce_scatter_block */
    MPI_Count count;
    MPI_Datatype type;
    MPI_Op op;
};

int topo_reduce_scatter_by_messages(const struct topo_reduce_scatter *call)
{
    const struct topo_vector *vector = &call->vector;
    const void *send = vector->in_place ? MPI_IN_PLACE : vector->input;
    if (!call->counts.at)
        return PMPI_Reduce_scatter_block(send, vector->result, (int)call->count, vector->type, vector->op,
                                         vector->channel->user);
    return topo_counts_are_int(call->counts)
               ? PMPI_Reduce_scatter(send, vector->result, call->counts.at, vector->type, vector->op,
                                     vector->channel->user)
               : topo_native.reduce_scatter_c(send, vector->result, call->counts.at, vector->type, vector->op,
                                              vector->channel->user);
}

/* All ranks' elements, and which are this rank's. */
static void measure(const struct request *request, const struct topo_comm *comm, struct topo_reduce_scatter *call)
{
    size_t all = 0, count = (size_t)request->count;
    for (int rank = 0; rank < comm->ranks && request->counts.at; rank++) {
        if (rank == comm->rank) {
            call->first = all;
            count = (size_t)topo_counts_of(request->counts, rank);
        }
        all += (size_t)topo_counts_of(request->counts, rank);
    }
    if (!request->counts.at) {
        call->first = (size_t)comm->rank * count;
        all = (size_t)comm->ranks * count;
    }
    call->end = call->first + count;
    call->vector.count = all;
}

/* The sum as in an all-reduce, of which each rank copies its own part out; on a single node each rank adds up that part
 * by itself. */
static int run_plan(const struct topo_reduce_scatter *call, enum topo_algorithm_id id)
{
    struct topo_comm *comm = call->comm;
    const struct topo_node_exchange exchange = {topo_plan_of(id), -1};
    const struct topo_result_range range = {.first = call->first, .end = call->end, .apart = true};
    bool there;
    int code = topo_node_sum(comm, &call->vector, &exchange, &range, &there);
    if (there)
        return code;
    return topo_comm_declines(comm) ? TOPO_NOT_NOW : topo_reduce_scatter_by_messages(call);
}

static int run_row(const struct topo_reduce_scatter *call, enum topo_algorithm_id id)
{
    return topo_plan_sums_in_rounds(topo_plan_of(id)) ? topo_reduce_scatter_lanes(call) : run_plan(call, id);
}

static int run(struct topo_call *call, const struct request *request)
{
    struct topo_reduce_scatter sum = {.comm = call->state, .counts = request->counts, .count = request->count};
    struct topo_facts facts;
    int code;
    measure(request, call->state, &sum);
    const size_t all = sum.vector.count;
    const struct topo_algorithm *algorithm =
        topo_call_choose_sum(call, call->state->ranks, all, request->type, request->op, &facts, &code);
    if (!algorithm)
        return code;
    /* One buffer for both, which no MPI library objects to, is what it looks like. */
    const void *send = request->send == request->receive ? MPI_IN_PLACE : request->send;
    code = topo_vector_describe(send, request->receive, (int)all, request->type, request->op, &sum.vector);
    if (code != MPI_SUCCESS || !topo_data_committed(sum.vector.named, request->type, call->state->channel.comm))
        return code;
    call->ran = algorithm;
    sum.vector.channel = &call->state->channel;
    code = run_row(&sum, algorithm->id);
    while (code == TOPO_NOT_NOW && (algorithm = topo_call_next(call, algorithm)))
        code = run_row(&sum, algorithm->id);
    return code;
}

bool topo_reduce_scatter_examine(struct topo_call *call, const void *send, void *receive, struct topo_counts counts,
                                 MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)send;
    (void)comm;
    call->counts = counts;
    call->handles = (struct topo_call_handles){type, op};
    return counts.at && type != MPI_DATATYPE_NULL && op != MPI_OP_NULL && receive != MPI_IN_PLACE;
}

int topo_reduce_scatter_run(struct topo_call *call, const void *send, void *receive, struct topo_counts counts,
                            MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)comm;
    return run(call, &(struct request){send, receive, counts, 0, type, op});
}

bool topo_reduce_scatter_block_examine(struct topo_call *call, const void *send, void *receive, MPI_Count count,
                                       MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)send;
    (void)comm;
    call->handles = (struct topo_call_handles){type, op};
    return topo_data_is_known(count, type) && op != MPI_OP_NULL && receive != MPI_IN_PLACE;
}

int topo_reduce_scatter_block_run(struct topo_call *call, const void *send, void *receive, MPI_Count count,
                                  MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)comm;
    return run(call, &(struct request){send, receive, {NULL, 0}, count, type, op});
}
