#include "coll/call/first_call.h"

#include "coll/base/datatype.h"
#include "coll/base/operators.h"
#include "coll/call/choose.h"
#include "coll/call/remembered.h"
#include "job/job.h"
#include "job/recovery.h"
#include "observe/trace.h"

/* Reductions of MPI's own operations and types whose bits do not depend on the order. */
static bool has_one_result(const struct topo_first_call *call, int ranks)
{
    static _Thread_local struct {
        MPI_Op op;
        MPI_Datatype type;
        bool pair; /* of two ranks alone */
    } last __attribute__((tls_model("initial-exec")));
    if (call->op != last.op || call->type != last.type) {
        if (!topo_operation_is_mpis(call->op) || !topo_operation_known(call->op, call->type))
            return false;
        const bool depends = topo_operation_depends_on_order(call->op, call->type);
        if (depends && !topo_operation_swaps(call->op, call->type))
            return false;
        last.op = call->op;
        last.type = call->type;
        last.pair = depends;
    }
    return !last.pair || ranks == 2;
}

bool topo_first_call_is_native(const struct topo_first_call *call, int ranks)
{
    size_t bytes = 0;
    if (call->varies || topo_trace_on)
        return false;
    if (call->has_type && (!topo_data_is_known(call->count, call->type) ||
                           topo_data_bytes(call->count, call->type, &bytes) != MPI_SUCCESS))
        return false;
    return bytes * (size_t)ranks < TOPO_EARLY_BYTES && (!call->has_op || has_one_result(call, ranks));
}

/* The selector chooses in all operations, by the rules that are shipped. */
static bool is_free(void)
{
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        if (topo_job.options.value[topo_option_of((enum topo_operation)operation)].choice > 0)
            return false;
    return topo_job.tuning.count == 0;
}

void topo_first_calls_start(const struct topo_comm *world)
{
    /* Where ranks may be lost, those of a group may have different memories of its earlier communicators. */
    const bool counts = is_free() && !topo_calls_are_heard() && !topo_recovers;
    topo_early_most = counts ? (int)topo_comm_calls_to_pay(world) : 0;
}
