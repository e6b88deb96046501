/* MPI_Reduce_scatter, every rank's part as long, and MPI_Reduce_scatter_block in the benchmark. */
#include "coll/reduce_scatter/reduce_scatter.h"

#include "base/memory.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static bool open_call(struct bench_call *call)
{
    return bench_operands_open(call, (size_t)call->ranks);
}

static int part_of(const struct bench_call *call)
{
    const struct bench_operands *s = call->state;
    return (int)(s->count / (size_t)call->ranks);
}

static int run_block(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    int part = part_of(call);
    if (variant->native)
        return PMPI_Reduce_scatter_block(s->send, s->receive, part, s->type, s->op, variant->comm);
    return topo_reduce_scatter_block(variant->algorithm, s->send, s->receive, part, s->type, s->op, call->comm);
}

static int run_parts(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    int part = part_of(call), code, *counts = topo_alloc((size_t)call->ranks, sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < call->ranks; rank++)
        counts[rank] = part;
    if (variant->native)
        code = PMPI_Reduce_scatter(s->send, s->receive, counts, s->type, s->op, variant->comm);
    else
        code = topo_reduce_scatter(variant->algorithm, s->send, s->receive, counts, s->type, s->op, call->comm);
    topo_free(counts);
    return code;
}

static size_t wrong(const struct bench_call *call)
{
    size_t part = (size_t)part_of(call);
    return bench_operands_wrong(call, (size_t)call->rank * part, part);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_reduce_scatter(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_reduce_scatter = {
    .name = "reduce_scatter",
    .help = "all ranks' vectors combined element by element, a part of the result on each rank",
    .fit = bench_operands_fit,
    .describe = bench_operands_describe,
    .open = open_call,
    .close = bench_operands_close,
    .fill = bench_operands_fill,
    .run = run_parts,
    .wrong = wrong,
    .bound = bound};

const struct bench_operation bench_reduce_scatter_block = {.name = "reduce_scatter_block",
                                                           .help = "the same, all parts of one length by definition",
                                                           .fit = bench_operands_fit,
                                                           .describe = bench_operands_describe,
                                                           .open = open_call,
                                                           .close = bench_operands_close,
                                                           .fill = bench_operands_fill,
                                                           .run = run_block,
                                                           .wrong = wrong,
                                                           .bound = bound};
