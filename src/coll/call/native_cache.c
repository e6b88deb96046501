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

void topo_native_cache_add(const struct topo_call *turn, int count, MPI_Datatype type, MPI_Op op)
{
    enum topo_operation operation = turn->ran->operation;
    bool heard =
        topo_trace_on || topo_learn_wanted() || topo_stats_wanted() || topo_job.options.value[TOPO_OPTION_VERBOSE].flag;
    if (!heard && topo_algorithm_for(turn->comm, operation, turn->bytes) == turn->ran &&
        (op == MPI_OP_NULL || topo_operation_is_mpis(op)) && is_predefined(type))
        *topo_native_cache_place(turn->state, operation, count) =
            (struct topo_native_cache_row){operation, count, type, op, turn->state->layout.has_shm};
}
