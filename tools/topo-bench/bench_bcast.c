/* MPI_Bcast in the benchmark, from rank 0. */
#include "coll/bcast/bcast.h"
#include "topo-bench/blocks.h"

/* What the root sends lies in the same place as what the others receive. */
static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, 0, 1);
}

static void fill(struct bench_call *call)
{
    struct bench_blocks *s = call->state;
    bench_blocks_fill(call, 0);
    if (call->rank == 0)
        bench_pattern_write(&s->layout, s->receive, call->bytes, 0, call->round);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct bench_blocks *s = call->state;
    if (variant->native)
        return PMPI_Bcast(s->receive, s->count, s->type, 0, variant->comm);
    return topo_bcast(variant->algorithm, s->receive, s->count, s->type, 0, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    return bench_blocks_wrong(call, 0, 1);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_bcast(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_bcast = {.name = "bcast",
                                            .help = "one rank's vector to all ranks",
                                            .fit = bench_blocks_fit,
                                            .describe = bench_blocks_describe,
                                            .open = open_call,
                                            .close = bench_blocks_close,
                                            .fill = fill,
                                            .run = run,
                                            .wrong = wrong,
                                            .bound = bound};
