#include "topo-bench/settle.h"

#include "coll/call/choose.h"
#include "coll/call/guard.h"
#include "coll/rooted/rooted.h"
#include "comm/comm.h"
#include "job/job.h"
#include "topo-bench/plan.h"

void bench_grant(MPI_Comm comm)
{
    struct topo_comm *state;
    if (topo_comm_of(comm, &state) != MPI_SUCCESS || !state)
        return;
    if (state->consent.wishes)
        topo_comm_grant(state);
    state->consent.may_wait = true;
    if (state->consent.undecided)
        topo_guard_agree(state);
}

/* What the library takes for the bytes of such a call. */
static size_t bytes_of(const struct bench_settling *of)
{
    const bool any = of->operation == TOPO_OPERATION_gatherv || of->operation == TOPO_OPERATION_scatterv;
    return any ? TOPO_ROOTED_ANY_BYTES : of->bytes;
}

const struct topo_algorithm *bench_taken(const struct bench_settling *of, bool *settled)
{
    struct topo_comm *state = NULL;
    const struct topo_algorithm *named = topo_algorithm_for(of->comm, of->operation, bytes_of(of), of->one_form);
    *settled = true;
    return !named || topo_comm_of(of->comm, &state) != MPI_SUCCESS || !state || state->native
               ? named
               : topo_guard_verdict(state, named, bytes_of(of), settled);
}

/* A call that was remembered as native is not looked at, so what another variant's call left must not be taken for its
 * own: as long as no forms of it are compared there is nothing to find out. */
static void forget_call(MPI_Comm comm)
{
    struct topo_comm *state;
    if (topo_comm_of(comm, &state) == MPI_SUCCESS && state)
        state->call = (struct topo_comm_call){.one_form = true};
}

/* Up to `calls` of them, until it has; returns how many. Ranks agree on that. */
static int call_row(const struct bench_settling *settling, int calls, bool *settled)
{
    int called = 0;
    PMPI_Barrier(settling->comm);
    while (called < calls && !*settled) {
        forget_call(settling->comm);
        settling->call(settling->context);
        bench_grant(settling->comm);
        bench_taken(settling, settled);
        called++;
    }
    return called;
}

void bench_settle(const struct bench_settling *settling)
{
    enum { FEWEST = 32, MOST = 200000 };
    /* Without the guard nothing is compared that could settle. */
    const double wait_seconds = topo_job.options.value[TOPO_OPTION_GUARD].flag ? 5 : 0;
    double start = PMPI_Wtime(), all = 0;
    bool settled = false;
    for (int calls = 0, row = 1; !settled && calls < MOST && (calls < FEWEST || all < wait_seconds);) {
        double begin = PMPI_Wtime();
        int called = call_row(settling, row, &settled);
        double end = PMPI_Wtime(), took[] = {(end - begin) / called, end - start};
        PMPI_Allreduce(MPI_IN_PLACE, took, 2, MPI_DOUBLE, MPI_MAX, settling->comm);
        row = bench_plan_calls(settling->batch, took[0]);
        all = took[1];
        calls += called;
    }
}
