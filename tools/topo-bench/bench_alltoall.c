/* MPI_Alltoall in the benchmark. */
#include "coll/alltoall/alltoall.h"
#include "topo-bench/blocks.h"

static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, BENCH_BLOCKS_EXCHANGED);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const void *send = s->send.memory;
    int count = s->send.count[0];
    if (variant->native)
        return PMPI_Alltoall(send, count, s->type, s->receive.memory, count, s->type, variant->comm);
    return topo_alltoall(variant->algorithm, send, count, s->type, s->receive.memory, count, s->type, call->comm);
}

const struct bench_operation bench_alltoall = {.name = "alltoall",
                                               .help = "a message of one length between every two ranks",
                                               BENCH_BLOCKS,
                                               .open = open_call,
                                               .run = run,
                                               .bound = bench_traffic_alltoall};
