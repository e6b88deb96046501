#include "coll/call/first_call.h"

#include "coll/base/datatype.h"
#include "coll/base/operators.h"
#include "coll/call/choose.h"
#include "coll/call/remembered.h"
#include "job/job.h"
#include "job/recovery.h"

_Thread_local struct topo_first_call_kind topo_first_call_last __attribute__((tls_model("initial-exec")));
uint32_t topo_first_call_told;

/* Reductions of MPI's own operations and types whose bits do not depend on the order; *pair: that of two ranks. */
static bool has_one_result(const struct topo_first_call *call, bool *pair)
{
    if (!topo_operation_is_mpis(call->op) || !topo_operation_known(call->op, call->type))
        return false;
    *pair = topo_operation_depends_on_order(call->op, call->type);
    return !*pair || topo_operation_swaps(call->op, call->type);
}

bool topo_first_call_look(const struct topo_first_call *call, int ranks)
{
    struct topo_first_call_kind kind = {.op = call->op, .type = call->type};
    if (!topo_data_is_known(call->count, call->type) || topo_data_bytes(1, call->type, &kind.bytes) != MPI_SUCCESS ||
        (call->has_op && !has_one_result(call, &kind.pair)))
        return false;
    if (topo_data_is_predefined(call->type))
        topo_first_call_last = kind;
    return topo_first_call_fits(&kind, call->count, ranks);
}

/* The operation's setting, or a line of the user's file, may name a form of ours, which runs from the first call on. */
static bool is_told(enum topo_operation operation)
{
    const struct topo_algorithm *asked = topo_users_choice(operation);
    return asked ? asked != topo_algorithm_native(operation) : topo_job.tuning.first[operation] > 0;
}

void topo_first_calls_start(const struct topo_comm *world)
{
    /* Where ranks may be lost, those of a group may have different memories of its earlier communicators. */
    const bool counts = !topo_calls_are_heard() && !topo_recovers;
    topo_early_most = counts ? (int)topo_comm_calls_to_pay(world) : 0;
    topo_first_call_told = 0;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        topo_first_call_told |= (uint32_t)is_told((enum topo_operation)operation) << operation;
}
