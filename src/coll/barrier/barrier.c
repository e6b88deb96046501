#include "coll/barrier/barrier.h"

#include "coll/call/choose.h"
#include "coll/call/call.h"
#include "job/native.h"

typedef int run_function(struct topo_comm *comm);

/* Indexed by id; NULL for `native`, which has no run of ours, and for rows of other operations. */
static run_function *run_of(enum topo_algorithm_id id)
{
    static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define BARRIER(name, ...) [TOPO_ALGORITHM_barrier_##name] = topo_barrier_##name,
#include "catalog/algorithms.def"
    };
    return runs[id];
}

/* Chooses and, unless that is native, runs; turn->ran says which it was. */
static int dispatch(const struct topo_algorithm *forced, struct topo_call *turn)
{
    const struct topo_algorithm *native = turn->ran, *algorithm;
    int code = MPI_SUCCESS;
    algorithm = topo_choose(TOPO_OPERATION_barrier, forced, turn->state, 0, NULL, &code);
    if (code != MPI_SUCCESS || algorithm == native || !topo_comm_prepare(turn->state, algorithm->graph))
        return code;
    turn->ran = algorithm;
    return topo_call_ran(turn, run_of(algorithm->id)(turn->state));
}

int topo_barrier(const struct topo_algorithm *forced, MPI_Comm comm)
{
    struct topo_call turn;
    int code;
    bool ours = topo_call_begin(&turn, TOPO_OPERATION_barrier, comm, true, &code);
    if (ours && (forced || !topo_native_anyway(TOPO_OPERATION_barrier, turn.state)))
        code = topo_call_raise(&turn, dispatch(forced, &turn));
    if (code == MPI_SUCCESS && turn.ran->id == TOPO_ALGORITHM_barrier_native)
        code = topo_native.barrier(comm);
    topo_call_end(&turn);
    return code;
}
