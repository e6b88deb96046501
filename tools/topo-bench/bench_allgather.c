/* MPI_Allgather in the benchmark. */
#include "coll/allgather/allgather.h"
#include "topo-bench/blocks.h"

static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, 1, call->ranks);
}

static void fill(struct bench_call *call)
{
    bench_blocks_fill(call, (uint64_t)call->rank);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct bench_blocks *s = call->state;
    if (variant->native)
        return PMPI_Allgather(s->send, s->count, s->type, s->receive, s->count, s->type, variant->comm);
    return topo_allgather(variant->algorithm, s->send, s->count, s->type, s->receive, s->count, s->type, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    return bench_blocks_wrong(call, 0, 1);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_allgather(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_allgather = {.name = "allgather",
                                                .help = "every rank's block to all ranks",
                                                .fit = bench_blocks_fit,
                                                .describe = bench_blocks_describe,
                                                .open = open_call,
                                                .close = bench_blocks_close,
                                                .fill = fill,
                                                .run = run,
                                                .wrong = wrong,
                                                .bound = bound};
