/* MPI_Scatter in the benchmark, from rank 0. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    int count = s->receive.count[0];
    return BENCH_RUN(PMPI_Scatter, topo_scatter, s->send.memory, count, s->type, s->receive.memory, count, s->type, 0);
}

const struct bench_operation bench_scatter = {.name = "scatter",
                                              .help = "one rank's blocks, one to each rank",
                                              BENCH_BLOCKS,
                                              .blocks = BENCH_BLOCKS_FROM_ROOT,
                                              .run = run,
                                              .bound = bench_traffic_scatter};
