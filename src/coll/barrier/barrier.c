#include "coll/barrier/barrier.h"

#include "coll/call/call.h"

typedef int run_function(struct topo_comm *comm);

/* By id; NULL for native rows, which have no run of ours, and for rows of other operations. */
static run_function *const runs[TOPO_ALGORITHM_COUNT] = {
#define BARRIER(name, ...) [TOPO_ALGORITHM_barrier_##name] = topo_barrier_##name,
#include "catalog/algorithms.def"
};

bool topo_barrier_examine(struct topo_call *call, MPI_Comm comm)
{
    (void)comm;
    call->handles = (struct topo_call_handles){MPI_BYTE, MPI_OP_NULL};
    return true;
}

int topo_barrier_run(struct topo_call *call, MPI_Comm comm)
{
    int code = MPI_SUCCESS;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = 0}, &code);
    (void)comm;
    if (!algorithm)
        return code;
    call->ran = algorithm;
    return runs[algorithm->id](call->state);
}
