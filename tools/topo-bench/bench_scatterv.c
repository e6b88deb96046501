/* MPI_Scatterv in the benchmark, from rank 0: blocks of irregular lengths, one after the other. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *all = &s->send;
    return BENCH_RUN(PMPI_Scatterv, topo_scatterv, all->memory, all->count, all->place, s->type, s->receive.memory,
                     s->receive.count[0], s->type, 0);
}

const struct bench_operation bench_scatterv = {.name = "scatterv",
                                               .help = "one rank's blocks, of any lengths, one to each rank",
                                               .describe = bench_irregular_describe,
                                               .blocks = BENCH_BLOCKS_FROM_ROOT,
                                               .open = bench_blocks_open,
                                               .close = bench_blocks_close,
                                               .fill = bench_blocks_fill,
                                               .run = run,
                                               .wrong = bench_blocks_wrong,
                                               .bound = bench_traffic_scatter,
                                               .length = bench_irregular_block};
