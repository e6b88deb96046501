#include "coll/allreduce/allreduce.h"

#include "coll/call/choose.h"
#include "coll/base/datatype.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(const struct topo_allreduce *call);

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define ALLREDUCE(name, ...) [TOPO_ALGORITHM_allreduce_##name] = topo_allreduce_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn, const void *send, void *receive,
                    int count, MPI_Datatype type, MPI_Op op)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    struct topo_allreduce call;
    struct topo_facts facts = {0};
    if (send == receive) /* which Open MPI lets pass for a single element */
        send = MPI_IN_PLACE;
    int code = topo_reduction_facts(count, type, op, &facts);
    turn->bytes = facts.bytes;
    if (code != MPI_SUCCESS || facts.bytes == 0)
        return code;
    algorithm = topo_choose_for(TOPO_OPERATION_allreduce, forced, turn->state, &facts, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph) ||
        (code = topo_vector_describe(send, receive, count, type, op, &call.vector)) != MPI_SUCCESS ||
        !topo_data_committed(call.vector.named, type, turn->state->channel.comm))
        return code;
    turn->ran = algorithm;
    call.comm = turn->state;
    call.channel = call.vector.channel = &turn->state->channel;
    call.commutative = !(facts.lacking & TOPO_TRAIT_COMMUTATIVE);
    return topo_call_ran(turn, run_of(algorithm->id)(&call));
}

int topo_allreduce(const struct topo_algorithm *forced, const void *send, void *receive, int count, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool valid = count >= 0 && type != MPI_DATATYPE_NULL && op != MPI_OP_NULL && receive != MPI_IN_PLACE &&
                 (send != receive || count <= 1 || send == MPI_BOTTOM);
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_allreduce, comm, valid, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_allreduce, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn, send, receive, count, type, op));
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_allreduce_native)
        code = topo_native.allreduce(send, receive, count, type, op, comm);
    topo_call_end(&turn);
    return code;
}
