#include "coll/reduce_scatter/reduce_scatter.h"

#include <limits.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/choose.h"
#include "coll/base/datatype.h"
#include "coll/call/native_cache.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(const struct topo_reduce_scatter *call);

/* Indexed by id; NULL for the native rows, which have no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define REDUCE_SCATTER(name, ...) [TOPO_ALGORITHM_reduce_scatter_##name] = topo_reduce_scatter_##name,
#define REDUCE_SCATTER_BLOCK(name, ...) [TOPO_ALGORITHM_reduce_scatter_block_##name] = topo_reduce_scatter_block_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* The application's arguments. */
struct request {
    const void *send;
    void *receive;
    const int *counts; /* NULL: MPI_Reduce_scatter_block */
    int count;
    MPI_Datatype type;
    MPI_Op op;
};

static int natively(const struct request *request, MPI_Comm comm)
{
    if (request->counts)
        return topo_native.reduce_scatter(request->send, request->receive, request->counts, request->type, request->op,
                                          comm);
    return topo_native.reduce_scatter_block(request->send, request->receive, request->count, request->type, request->op,
                                            comm);
}

int topo_reduce_scatter_by_messages(const struct topo_reduce_scatter *call)
{
    const struct topo_vector *vector = &call->vector;
    const void *send = vector->in_place ? MPI_IN_PLACE : vector->input;
    if (call->counts)
        return PMPI_Reduce_scatter(send, vector->result, call->counts, vector->type, vector->op, vector->channel->user);
    return PMPI_Reduce_scatter_block(send, vector->result, call->count, vector->type, vector->op,
                                     vector->channel->user);
}

/* All ranks' elements, and which are this rank's. False: a count is negative. */
static bool measure(const struct request *request, const struct topo_comm *comm, struct topo_reduce_scatter *call)
{
    size_t all = 0, count = (size_t)request->count;
    for (int rank = 0; rank < comm->ranks && request->counts; rank++) {
        if (request->counts[rank] < 0)
            return false;
        if (rank == comm->rank) {
            call->first = all;
            count = (size_t)request->counts[rank];
        }
        all += (size_t)request->counts[rank];
    }
    if (!request->counts) {
        call->first = (size_t)comm->rank * count;
        all = (size_t)comm->ranks * count;
    }
    call->end = call->first + count;
    call->vector.count = all;
    return true;
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const struct request *request)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    struct topo_reduce_scatter call = {.comm = turn->state, .counts = request->counts, .count = request->count};
    struct topo_facts facts = {0};
    if (!measure(request, turn->state, &call))
        return MPI_SUCCESS;
    size_t all = call.vector.count;
    int code = topo_reduction_facts(1, request->type, request->op, &facts);
    /* Of a rank's part, on average. */
    turn->bytes = facts.bytes = (facts.bytes * all + (size_t)turn->state->ranks - 1) / (size_t)turn->state->ranks;
    if (code != MPI_SUCCESS || facts.bytes == 0)
        return code;
    if (all > INT_MAX)
        facts.refusal = "more elements than an int can count are left to the MPI library";
    algorithm = topo_choose_for(native->operation, forced, turn->state, &facts, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph))
        return code;
    /* One buffer for both, which no MPI library objects to, is what it looks like. */
    const void *send = request->send == request->receive ? MPI_IN_PLACE : request->send;
    code = topo_vector_describe(send, request->receive, (int)all, request->type, request->op, &call.vector);
    if (code != MPI_SUCCESS || !topo_data_committed(call.vector.named, request->type, turn->state->channel.comm))
        return code;
    turn->ran = algorithm;
    call.vector.channel = &turn->state->channel;
    return topo_call_ran(turn, run_of(algorithm->id)(&call));
}

static int run(enum topo_operation operation, const struct topo_algorithm *forced, const struct request *request,
               MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool valid = request->count >= 0 && request->type != MPI_DATATYPE_NULL && request->op != MPI_OP_NULL &&
                 request->receive != MPI_IN_PLACE;
    bool ours = topo_call_begin(&turn, operation, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(operation, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn, request));
    if (code == MPI_SUCCESS && turn.ran == topo_algorithm_native(operation)) {
        if (ours && !forced && !request->counts)
            topo_native_cache_add(&turn, request->count, request->type, request->op);
        code = natively(request, comm);
    }
    topo_call_end(&turn);
    return code;
}

int topo_reduce_scatter(const struct topo_algorithm *forced, const void *send, void *receive, const int *counts,
                        MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const struct request request = {send, receive, counts, 0, type, op};
    if (!counts) /* the native call's to report */
        return topo_native.reduce_scatter(send, receive, counts, type, op, comm);
    return run(TOPO_OPERATION_reduce_scatter, forced, &request, comm);
}

int topo_reduce_scatter_block(const struct topo_algorithm *forced, const void *send, void *receive, int count,
                              MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const struct request request = {send, receive, NULL, count, type, op};
    if (!forced && topo_native_cache_has(TOPO_OPERATION_reduce_scatter_block, comm, count, type, op))
        return natively(&request, comm);
    return run(TOPO_OPERATION_reduce_scatter_block, forced, &request, comm);
}
