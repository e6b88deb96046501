/* MPI_Bcast in the benchmark, from rank 0. */
#include "coll/bcast/bcast.h"
#include "topo-bench/blocks.h"

static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, BENCH_BLOCK_OF_ROOT);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    int count = s->receive.count[0];
    if (variant->native)
        return PMPI_Bcast(s->receive.memory, count, s->type, 0, variant->comm);
    return topo_bcast(variant->algorithm, s->receive.memory, count, s->type, 0, call->comm);
}

const struct bench_operation bench_bcast = {.name = "bcast",
                                            .help = "one rank's vector to all ranks",
                                            BENCH_BLOCKS,
                                            .open = open_call,
                                            .run = run,
                                            .bound = bench_traffic_bcast};
