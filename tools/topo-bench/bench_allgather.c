/* MPI_Allgather in the benchmark. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    int count = s->send.count[0];
    return BENCH_RUN(PMPI_Allgather, topo_allgather, s->send.memory, count, s->type, s->receive.memory, count, s->type);
}

const struct bench_operation bench_allgather = {.name = "allgather",
                                                .help = "every rank's block to all ranks",
                                                BENCH_BLOCKS,
                                                .blocks = BENCH_BLOCKS_OF_ALL,
                                                .run = run,
                                                .bound = bench_traffic_allgather};
