/* MPI_Allreduce and MPI_Reduce, to rank 0, in the benchmark. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduce/reduce.h"
#include "job/job.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static bool open_call(struct bench_call *call)
{
    return bench_operands_open(call, 1);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    if (variant->native)
        return PMPI_Allreduce(s->send, s->receive, (int)s->count, s->type, s->op, variant->comm);
    size_t *packet = &topo_job.options.value[TOPO_OPTION_PACKET].size, as_set = *packet;
    if (variant->packet != BENCH_PACKET_AS_SET)
        *packet = variant->packet;
    int code = topo_allreduce(variant->algorithm, s->send, s->receive, (int)s->count, s->type, s->op, call->comm);
    *packet = as_set;
    return code;
}

static size_t wrong(const struct bench_call *call)
{
    return bench_operands_wrong(call, 0, ((const struct bench_operands *)call->state)->count);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_allreduce(traffic, ranks, count, (double)bytes);
}

static int run_reduce(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    if (variant->native)
        return PMPI_Reduce(s->send, s->receive, (int)s->count, s->type, s->op, 0, variant->comm);
    return topo_reduce(variant->algorithm, s->send, s->receive, (int)s->count, s->type, s->op, 0, call->comm);
}

static size_t wrong_on_root(const struct bench_call *call)
{
    return call->rank == 0 ? wrong(call) : 0;
}

static void bound_reduce(struct bench_traffic *traffic, const int *ranks, int count,
                         const struct bench_request *request, size_t bytes)
{
    (void)request;
    bench_traffic_reduce(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_allreduce = {.name = "allreduce",
                                                .help = "all ranks' vectors combined element by element, on all ranks",
                                                .fit = bench_operands_fit,
                                                .describe = bench_operands_describe,
                                                .open = open_call,
                                                .close = bench_operands_close,
                                                .fill = bench_operands_fill,
                                                .run = run,
                                                .wrong = wrong,
                                                .bound = bound};

const struct bench_operation bench_reduce = {.name = "reduce",
                                             .help = "all ranks' vectors combined element by element, on one rank",
                                             .fit = bench_operands_fit,
                                             .describe = bench_operands_describe,
                                             .open = open_call,
                                             .close = bench_operands_close,
                                             .fill = bench_operands_fill,
                                             .run = run_reduce,
                                             .wrong = wrong_on_root,
                                             .bound = bound_reduce};
