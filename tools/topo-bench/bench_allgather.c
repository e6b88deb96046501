/* MPI_Allgather in the benchmark. */
#include "coll/allgather/allgather.h"
#include "topo-bench/blocks.h"

static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, BENCH_BLOCKS_OF_ALL);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const void *send = s->send.memory;
    int count = s->send.count[0];
    if (variant->native)
        return PMPI_Allgather(send, count, s->type, s->receive.memory, count, s->type, variant->comm);
    return topo_allgather(variant->algorithm, send, count, s->type, s->receive.memory, count, s->type, call->comm);
}

const struct bench_operation bench_allgather = {.name = "allgather",
                                                .help = "every rank's block to all ranks",
                                                BENCH_BLOCKS,
                                                .open = open_call,
                                                .run = run,
                                                .bound = bench_traffic_allgather};
