/* MPI_Gather to rank 0 and MPI_Scatter from it in the benchmark, and MPI_Gatherv and MPI_Scatterv, whose blocks of
 * irregular lengths lie one after the other. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

static int run_gather(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const int count = s->send.count[0];
    return BENCH_RUN(PMPI_Gather, topo_gather, s->send.memory, count, s->type, s->receive.memory, count, s->type, 0);
}

static int run_scatter(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const int count = s->receive.count[0];
    return BENCH_RUN(PMPI_Scatter, topo_scatter, s->send.memory, count, s->type, s->receive.memory, count, s->type, 0);
}

static int run_gatherv(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *all = &s->receive;
    return BENCH_RUN(PMPI_Gatherv, topo_gatherv, s->send.memory, s->send.count[0], s->type, all->memory, all->count,
                     all->place, s->type, 0);
}

static int run_scatterv(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *all = &s->send;
    return BENCH_RUN(PMPI_Scatterv, topo_scatterv, all->memory, all->count, all->place, s->type, s->receive.memory,
                     s->receive.count[0], s->type, 0);
}

#define ROOTED(operation, form, way, text, ...) \
    const struct bench_operation bench_##operation = {.name = #operation, \
                                                      .help = text, \
                                                      __VA_ARGS__, \
                                                      .blocks = form, \
                                                      .run = run_##operation, \
                                                      .bound = bench_traffic_##way};
#define IRREGULAR \
    .describe = bench_irregular_describe, .open = bench_blocks_open, .close = bench_blocks_close, \
    .fill = bench_blocks_fill, .wrong = bench_blocks_wrong, .length = bench_irregular_block

ROOTED(gather, BENCH_BLOCKS_TO_ROOT, gather, "every rank's block to one rank", BENCH_BLOCKS)
ROOTED(scatter, BENCH_BLOCKS_FROM_ROOT, scatter, "one rank's blocks, one to each rank", BENCH_BLOCKS)
ROOTED(gatherv, BENCH_BLOCKS_TO_ROOT, gather, "every rank's block, of any length, to one rank", IRREGULAR)
ROOTED(scatterv, BENCH_BLOCKS_FROM_ROOT, scatter, "one rank's blocks, of any lengths, one to each rank", IRREGULAR)
