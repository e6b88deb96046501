#include "coll/reduce/reduce.h"

#include <string.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/choose.h"
#include "coll/base/datatype.h"
#include "coll/call/native_cache.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(const struct topo_reduce *call);

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define REDUCE(name, ...) [TOPO_ALGORITHM_reduce_##name] = topo_reduce_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

int topo_reduce_by_messages(const struct topo_reduce *call)
{
    const struct topo_vector *vector = &call->vector;
    return PMPI_Reduce(vector->in_place ? MPI_IN_PLACE : vector->input, vector->result, (int)vector->count,
                       vector->type, vector->op, call->root, vector->channel->user);
}

/* True for buffers that the native call has an error for, and that do not hinder this rank from taking part. */
static bool is_mistaken(const void *send, const void *receive, bool root)
{
    return root && (receive == MPI_IN_PLACE || send == receive);
}

/* What the native call has an error for may be a mistake of this rank alone: it takes part with memory, and a type, of
 * its own, so that the others, and what they share with it, get on, and the native call reports it then. */
static int run_beside(run_function *run, struct topo_reduce *call)
{
    struct topo_vector *vector = &call->vector;
    void *instead = NULL;
    size_t bytes;
    MPI_Datatype type;
    int code = PMPI_Type_dup(vector->type, &type);
    if (code != MPI_SUCCESS)
        return code;
    code = PMPI_Type_commit(&type);
    if (!vector->named) { /* MPI's own are committed, and its operations take no others */
        vector->type = type;
        vector->stored.wire = vector->stored.packed ? MPI_BYTE : type;
    }
    if (call->comm->rank == call->root && !topo_vector_scratch(vector, vector->count, &instead, &vector->result))
        code = MPI_ERR_NO_MEM;
    topo_vector_span(vector, vector->count, &bytes);
    if (instead)
        memset(instead, 0, bytes);
    if (vector->in_place)
        vector->input = vector->result;
    if (code == MPI_SUCCESS)
        code = run(call);
    topo_scratch_give(instead);
    PMPI_Type_free(&type);
    return code;
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const void *send, void *receive,
                    int count, MPI_Datatype type, MPI_Op op, int root)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    struct topo_reduce call = {.comm = turn->state, .root = root};
    struct topo_facts facts = {0};
    int code = topo_reduction_facts(count, type, op, &facts);
    turn->bytes = facts.bytes;
    /* A root that does not exist is the native call's to report. */
    if (code != MPI_SUCCESS || facts.bytes == 0 || root < 0 || root >= turn->state->ranks)
        return code;
    algorithm = topo_choose_for(TOPO_OPERATION_reduce, forced, turn->state, &facts, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph))
        return code;
    bool is_root = turn->state->rank == root, mistaken = is_mistaken(send, receive, is_root);
    code = topo_vector_describe(send, is_root ? receive : NULL, count, type, op, &call.vector);
    if (code != MPI_SUCCESS)
        return code;
    call.vector.channel = &turn->state->channel;
    if (mistaken || !topo_data_committed(call.vector.named, type, turn->state->channel.comm))
        return topo_call_ran(turn, run_beside(run_of(algorithm->id), &call));
    turn->ran = algorithm;
    return topo_call_ran(turn, run_of(algorithm->id)(&call));
}

int topo_reduce(const struct topo_algorithm *forced, const void *send, void *receive, int count, MPI_Datatype type,
                MPI_Op op, int root, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    if (!forced && topo_native_cache_has(TOPO_OPERATION_reduce, comm, count, type, op))
        return topo_native.reduce(send, receive, count, type, op, root, comm);
    bool valid = count >= 0 && type != MPI_DATATYPE_NULL && op != MPI_OP_NULL;
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_reduce, comm, valid, &code);
    if (ours && turn.state->rank != root)
        ours = send != MPI_IN_PLACE;
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_reduce, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn, send, receive, count, type, op, root));
    if (ours && !forced && code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_reduce_native)
        topo_native_cache_add(&turn, count, type, op);
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_reduce_native)
        code = topo_native.reduce(send, receive, count, type, op, root, comm);
    topo_call_end(&turn);
    return code;
}
