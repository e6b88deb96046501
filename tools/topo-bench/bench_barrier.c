/* MPI_Barrier in the benchmark. It has no result to compare: that nobody leaves
 * before all have come is what tests/mpi/test_barrier.c checks. */
#include "coll/call/operations.h"
#include "topo-bench/operation.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    return variant->native ? PMPI_Barrier(variant->comm) : topo_barrier(variant->algorithm, call->comm);
}

const struct bench_operation bench_barrier = {
    .name = "barrier", .help = "nobody leaves before all have come", .sizeless = true, .run = run};
