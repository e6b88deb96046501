/* MPI_Gatherv in the benchmark, to rank 0: blocks of irregular lengths, one after the other. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *all = &s->receive;
    return BENCH_RUN(PMPI_Gatherv, topo_gatherv, s->send.memory, s->send.count[0], s->type, all->memory, all->count,
                     all->place, s->type, 0);
}

const struct bench_operation bench_gatherv = {.name = "gatherv",
                                              .help = "every rank's block, of any length, to one rank",
                                              .describe = bench_irregular_describe,
                                              .blocks = BENCH_BLOCKS_TO_ROOT,
                                              .open = bench_blocks_open,
                                              .close = bench_blocks_close,
                                              .fill = bench_blocks_fill,
                                              .run = run,
                                              .wrong = bench_blocks_wrong,
                                              .bound = bench_traffic_gather,
                                              .length = bench_irregular_block};
