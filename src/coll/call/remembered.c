#include "coll/call/remembered.h"

#include <limits.h>

#include "coll/base/datatype.h"
#include "coll/base/operators.h"
#include "coll/call/choose.h"
#include "job/job.h"
#include "observe/stats.h"
#include "observe/trace.h"

bool topo_calls_are_heard(void)
{
    return topo_trace_on || topo_stats_wanted() || topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
}

/* True when it is certain that such a call, which is not one of those that take turns, always runs what it ran. Those
 * of which the guard will try several forms are counted by all ranks; those for which nothing was chosen must be told
 * from these as well. */
static bool is_by_rules(const struct topo_call *call)
{
    const struct topo_comm_call *chosen = &call->state->call;
    if (topo_algorithm_for(call->comm, call->ran->operation, call->bytes, chosen->one_form) != call->ran)
        return false;
    if (!topo_call_is_native(call))
        return !topo_coll_of(call->state)->guards || (!chosen->any_form && !chosen->ordered);
    bool is_tried = chosen->is_tried;
    if (!is_tried && !chosen->one_form)
        topo_is_tried(call->ran->operation, call->state, call->bytes, &is_tried);
    return !is_tried;
}

bool topo_remembered_add(const struct topo_call *call, uint64_t total, struct topo_remembered *row)
{
    const struct topo_call_handles *handles = &call->handles;
    struct topo_comm *state = call->state;
    if (!handles->type || call->forced || state->native || topo_calls_are_heard() ||
        !topo_data_is_predefined(handles->type) || (handles->op != MPI_OP_NULL && !topo_operation_is_mpis(handles->op)))
        return false;
    /* What it was chosen by is no more: ranks that remember nothing choose the next one by what is known now. */
    if (call->has_shm != state->layout.has_shm || (call->estimated && call->estimate != *call->estimated))
        return false;
    /* Some counts of the same sum may be too long, each of them, for what the operation takes. */
    if (call->counts.at && (total == TOPO_COUNTS_UNKNOWN || call->bytes > (size_t)INT_MAX / (size_t)state->ranks))
        return false;
    const enum topo_awaited awaits = topo_awaited_by(call->ran->operation, state);
    const bool for_now = call->for_now && awaits != TOPO_AWAITS_NOTHING;
    const bool waits = state->call.waits > 0 && topo_call_is_native(call) && !call->recheck;
    if (!call->guard.kind && !for_now && !waits && !is_by_rules(call))
        return false;
    *row = (struct topo_remembered){.operation = call->ran->operation,
                                    .has_shm = call->has_shm,
                                    .may_wait = state->consent.may_wait,
                                    .awaits = awaits,
                                    .algorithm = call->guard.kind || topo_call_is_native(call) ? NULL : call->ran,
                                    .kind = call->guard.kind,
                                    .contest = call->guard.contest,
                                    .counted = call->guard.counted,
                                    .call = state->call,
                                    .waiting = waits ? topo_coll_of(state)->waits : NULL,
                                    .until = topo_comm_calls_to_ask(state),
                                    .refusals = state->refusals,
                                    .recheck = call->recheck,
                                    .estimated = call->estimated,
                                    .estimate = call->estimate};
    row->call.bytes = call->bytes;
    return true;
}
