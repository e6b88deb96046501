#include "coll/call/call.h"

#include "coll/call/choose.h"
#include "coll/call/learn.h"
#include "coll/call/state.h"
#include "job/job.h"
#include "model/cost.h"
#include "observe/stats.h"
#include "observe/trace.h"

/* True when every rank of every call comes here: MPI_Reduce_scatter_block may be short-cut (coll/call/native_cache.h).
 */
static bool waits_for_all(enum topo_operation operation)
{
    return !topo_is_rooted(operation) && operation != TOPO_OPERATION_reduce_scatter_block;
}

bool topo_call_begin(struct topo_call *turn, enum topo_operation operation, MPI_Comm comm, bool valid, int *code)
{
    *turn = (struct topo_call){.comm = comm, .ran = topo_algorithm_native(operation), .start = -1};
    *code = MPI_SUCCESS;
    if (!valid || comm == MPI_COMM_NULL)
        return false;
    *code = topo_comm_of(comm, &turn->state);
    if (topo_call_raise(turn, *code) != MPI_SUCCESS || !turn->state || turn->state->native)
        return false;
    turn->state->call = (struct topo_comm_call){0};
    turn->state->consent.may_wait = !topo_is_rooted(operation);
    turn->state->consent.postponed = false;
    if (turn->state->consent.wishes && waits_for_all(operation))
        topo_comm_grant(turn->state);
    if (topo_stats_wanted() || topo_learn_wanted())
        turn->start = PMPI_Wtime();
    return true;
}

int topo_call_raise(const struct topo_call *turn, int code)
{
    if (code != MPI_SUCCESS)
        PMPI_Comm_call_errhandler(turn->comm, code);
    return code;
}

int topo_call_ran(struct topo_call *turn, int code)
{
    if (code != TOPO_NOT_NOW) {
        turn->state->uses++;
        return code;
    }
    turn->ran = topo_algorithm_native(turn->ran->operation);
    return MPI_SUCCESS;
}

/* What the model gives the native algorithm for such a call; below 0: nothing. Remembered, as calls repeat. */
static double native_seconds(const struct topo_call *turn)
{
    enum topo_operation operation = turn->ran->operation;
    struct topo_comm *state = turn->state;
    struct topo_coll_state *own = topo_coll_of(state);
    const struct topo_cost_call call = {.bytes = turn->bytes};
    if (topo_job.rank != 0) /* rank 0's calls are shown */
        return -1;
    if (!own->modelled[operation].known || own->modelled[operation].bytes != turn->bytes) {
        own->modelled[operation].known = true;
        own->modelled[operation].bytes = turn->bytes;
        own->modelled[operation].seconds =
            topo_cost(topo_algorithm_native(operation)->id, state->tree, &topo_job.tuning.params, &call);
    }
    return own->modelled[operation].seconds;
}

void topo_call_end(const struct topo_call *turn)
{
    if (topo_trace_on)
        topo_trace_ran(turn->ran);
    if (turn->start < 0)
        return;
    double seconds = PMPI_Wtime() - turn->start;
    if (topo_stats_wanted())
        topo_stats_add(turn->ran, turn->bytes, seconds, native_seconds(turn));
    if (topo_learn_wanted())
        topo_learn_record(turn->state, turn->ran->operation, turn->bytes, seconds);
}
