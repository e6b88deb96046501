/* MPI_Gather in the benchmark, to rank 0. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    int count = s->send.count[0];
    return BENCH_RUN(PMPI_Gather, topo_gather, s->send.memory, count, s->type, s->receive.memory, count, s->type, 0);
}

const struct bench_operation bench_gather = {.name = "gather",
                                             .help = "every rank's block to one rank",
                                             BENCH_BLOCKS,
                                             .blocks = BENCH_BLOCKS_TO_ROOT,
                                             .run = run,
                                             .bound = bench_traffic_gather};
