#include "coll/reduce/reduce.h"

#include <string.h>

#include "coll/base/datatype.h"
#include "coll/base/scratch.h"
#include "coll/call/call.h"

struct topo_result_range topo_reduce_range(const struct topo_reduce *call)
{
    const struct topo_comm *comm = call->comm;
    bool root = comm->rank == call->root;
    return (struct topo_result_range){.end = root ? call->vector.count : 0,
                                      .alone = root || topo_tree_node_of(comm->tree, comm->rank) !=
                                                           topo_tree_node_of(comm->tree, call->root)};
}

int topo_reduce_by_messages(const struct topo_reduce *call)
{
    const struct topo_vector *vector = &call->vector;
    return PMPI_Reduce(vector->in_place ? MPI_IN_PLACE : vector->input, vector->result, (int)vector->count,
                       vector->type, vector->op, call->root, vector->channel->user);
}

/* The sum through node-shared memory, between nodes by a plan; without that memory by messages. Only the root waits for
 * the sum; another rank leaves when its operands are in place and what it drives was sent. */
static int run_plan(const struct topo_reduce *call, enum topo_algorithm_id id)
{
    const struct topo_node_exchange exchange = {topo_plan_of(id), call->root};
    const struct topo_result_range range = topo_reduce_range(call);
    bool there;
    int code = topo_node_sum(call->comm, &call->vector, &exchange, &range, &there);
    if (there)
        return code;
    return topo_comm_declines(call->comm) ? TOPO_NOT_NOW : topo_reduce_by_messages(call);
}

static int run(const struct topo_reduce *call, enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_reduce_chain ? topo_reduce_chain(call) : run_plan(call, id);
}

/* True for buffers that the native call has an error for, and that do not hinder this rank from taking part. */
static bool is_mistaken(const void *send, const void *receive, bool root)
{
    return root && (receive == MPI_IN_PLACE || send == receive);
}

/* What the native call has an error for may be a mistake of this rank alone: it takes part with memory, and a type
 * where its was not committed, of its own, so that the others, and what they share with it, get on, and the native call
 * reports it then. */
static int run_beside(enum topo_algorithm_id id, struct topo_reduce *call, bool committed)
{
    struct topo_vector *vector = &call->vector;
    void *instead = NULL;
    size_t bytes;
    MPI_Datatype type;
    int code = MPI_SUCCESS;
    if (!committed) {
        if ((code = PMPI_Type_dup(vector->type, &type)) != MPI_SUCCESS)
            return code;
        code = PMPI_Type_commit(&type);
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
        code = run(call, id);
    topo_scratch_give(instead);
    if (!committed)
        PMPI_Type_free(&type);
    return code;
}

bool topo_reduce_examine(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                         MPI_Op op, int root, MPI_Comm comm)
{
    (void)receive;
    (void)comm;
    call->root = root;
    call->is_roots = send == MPI_IN_PLACE;
    call->handles = (struct topo_call_handles){type, op};
    return topo_data_is_known(count, type) && op != MPI_OP_NULL;
}

int topo_reduce_run(struct topo_call *call, const void *send, void *receive, MPI_Count count, MPI_Datatype type,
                    MPI_Op op, int root, MPI_Comm comm)
{
    struct topo_reduce sum = {.comm = call->state, .root = root};
    struct topo_facts facts;
    bool is_root = call->state->rank == root;
    (void)comm;
    int code;
    const struct topo_algorithm *algorithm = topo_call_choose_sum(call, 1, (size_t)count, type, op, &facts, &code);
    if (!algorithm)
        return code;
    code = topo_vector_describe(send, is_root ? receive : NULL, (int)count, type, op, &sum.vector);
    if (code != MPI_SUCCESS)
        return code;
    sum.vector.channel = &call->state->channel;
    bool committed = topo_data_committed(sum.vector.named, type, call->state->channel.comm);
    if (!committed || is_mistaken(send, receive, is_root))
        return run_beside(algorithm->id, &sum, committed);
    call->ran = algorithm;
    return run(&sum, algorithm->id);
}
