/* MPI_Allgatherv in the benchmark: blocks of irregular lengths, one after the other. */
#include "coll/call/operations.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

static void describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_addf(out, "blocks of 0 to twice the length%s", request->gaps ? ", elements with gaps" : "");
}

static size_t length(const struct bench_request *request, int ranks, int from, int to, size_t mean)
{
    (void)ranks;
    return bench_irregular_length(request, from, to, mean);
}

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
                                                 .describe = describe,
                                                 .blocks = BENCH_BLOCKS_OF_ALL,
                                                 .open = bench_blocks_open,
                                                 .close = bench_blocks_close,
                                                 .fill = bench_blocks_fill,
                                                 .run = run,
                                                 .wrong = bench_blocks_wrong,
                                                 .bound = bench_traffic_allgather,
                                                 .length = length};
