/* MPI_Bcast in the benchmark, from rank 0. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    return BENCH_RUN(PMPI_Bcast, topo_bcast, s->receive.memory, s->receive.count[0], s->type, 0);
}

const struct bench_operation bench_bcast = {.name = "bcast",
                                            .help = "one rank's vector to all ranks",
                                            BENCH_BLOCKS,
                                            .blocks = BENCH_BLOCK_OF_ROOT,
                                            .run = run,
                                            .bound = bench_traffic_bcast};
