/* MPI_Alltoall in the benchmark. */
#include "coll/alltoall/alltoall.h"
#include "topo-bench/blocks.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    int count = s->send.count[0];
    return BENCH_RUN(PMPI_Alltoall, topo_alltoall, s->send.memory, count, s->type, s->receive.memory, count, s->type);
}

const struct bench_operation bench_alltoall = {.name = "alltoall",
                                               .help = "a message of one length between every two ranks",
                                               BENCH_BLOCKS,
                                               .blocks = BENCH_BLOCKS_EXCHANGED,
                                               .run = run,
                                               .bound = bench_traffic_alltoall};
