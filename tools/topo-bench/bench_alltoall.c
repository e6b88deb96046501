/* MPI_Alltoall in the benchmark. */
#include "coll/alltoall/alltoall.h"
#include "topo-bench/blocks.h"

static bool open_call(struct bench_call *call)
{
    return bench_blocks_open(call, call->ranks, call->ranks);
}

/* The block from rank i to rank j has number i * ranks + j. */
static void fill(struct bench_call *call)
{
    bench_blocks_fill(call, (uint64_t)call->rank * (uint64_t)call->ranks);
}

static size_t wrong(const struct bench_call *call)
{
    return bench_blocks_wrong(call, (uint64_t)call->rank, (uint64_t)call->ranks);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct bench_blocks *s = call->state;
    if (variant->native)
        return PMPI_Alltoall(s->send, s->count, s->type, s->receive, s->count, s->type, variant->comm);
    return topo_alltoall(variant->algorithm, s->send, s->count, s->type, s->receive, s->count, s->type, call->comm);
}

static double block(int from, int to, const void *bytes)
{
    (void)from;
    (void)to;
    return (double)*(const size_t *)bytes;
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_alltoallv(traffic, ranks, count, block, &bytes);
}

const struct bench_operation bench_alltoall = {.name = "alltoall",
                                               .help = "a message of one length between every two ranks",
                                               .fit = bench_blocks_fit,
                                               .describe = bench_blocks_describe,
                                               .open = open_call,
                                               .close = bench_blocks_close,
                                               .fill = fill,
                                               .run = run,
                                               .wrong = wrong,
                                               .bound = bound};
