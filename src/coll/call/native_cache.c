#include "coll/call/native_cache.h"

#include "coll/base/operators.h"
#include "coll/call/choose.h"
#include "coll/call/learn.h"
#include "job/job.h"
#include "observe/stats.h"
#include "observe/trace.h"

static bool is_predefined(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED;
}

bool topo_native_cache_add(const struct topo_call *call, struct topo_native_cache_row *row)
{
    const struct topo_call_handles *handles = &call->handles;
    enum topo_operation operation = call->ran->operation;
    if (!handles->type || call->forced || call->state->native ||
        (handles->op != MPI_OP_NULL && !topo_operation_is_mpis(handles->op)))
        return false;
    bool heard =
        topo_trace_on || topo_learn_wanted() || topo_stats_wanted() || topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
    const enum topo_awaited awaits = topo_awaited_by(operation, call->state);
    /* Calls of which the guard tries several forms, or will, are counted by all ranks. Those for which nothing was
     * chosen must be told from these as well. */
    bool by_rules = !call->guard.kind && !call->state->call.is_tried &&
                    topo_algorithm_for(call->comm, operation, call->bytes, call->state->call.one_form) == call->ran;
    if (by_rules && !call->state->call.one_form) {
        bool is_tried;
        topo_is_tried(operation, call->state, call->bytes, &is_tried);
        by_rules = !is_tried;
    }
    bool for_now = call->for_now && awaits != TOPO_AWAITS_NOTHING;
    if (heard || !(by_rules || for_now || call->guard.quiet) || !is_predefined(handles->type))
        return false;
    *row = (struct topo_native_cache_row){{0}, operation, call->state->layout.has_shm, awaits, call->guard.quiet};
    return true;
}
