/* MPI_Allgatherv in the benchmark: blocks of irregular lengths, one after the other. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *all = &s->receive;
    const void *send = s->send.memory;
    return BENCH_RUN(PMPI_Allgatherv, topo_allgatherv, send, s->send.count[0], s->type, all->memory, all->count,
                     all->place, s->type);
}

const struct bench_operation bench_allgatherv = {.name = "allgatherv",
                                                 .help = "every rank's block, of any length, to all ranks",
                                                 .describe = bench_irregular_describe,
                                                 .blocks = BENCH_BLOCKS_OF_ALL,
                                                 .open = bench_blocks_open,
                                                 .close = bench_blocks_close,
                                                 .fill = bench_blocks_fill,
                                                 .run = run,
                                                 .wrong = bench_blocks_wrong,
                                                 .bound = bench_traffic_allgather,
                                                 .length = bench_irregular_block};
