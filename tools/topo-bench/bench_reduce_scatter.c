/* MPI_Reduce_scatter, every rank's part as long, and MPI_Reduce_scatter_block in the benchmark. */
#include "coll/reduce_scatter/reduce_scatter.h"

#include "base/memory.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static int run_block(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    int part = (int)s->part;
    if (variant->native)
        return PMPI_Reduce_scatter_block(s->send, s->receive, part, s->type, s->op, variant->comm);
    return topo_reduce_scatter_block(variant->algorithm, s->send, s->receive, part, s->type, s->op, call->comm);
}

static int run_parts(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    int part = (int)s->part, code;
    TOPO_SCOPED int *counts = topo_alloc((size_t)call->ranks, sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < call->ranks; rank++)
        counts[rank] = part;
    if (variant->native)
        code = PMPI_Reduce_scatter(s->send, s->receive, counts, s->type, s->op, variant->comm);
    else
        code = topo_reduce_scatter(variant->algorithm, s->send, s->receive, counts, s->type, s->op, call->comm);
    return code;
}

const struct bench_operation bench_reduce_scatter = {
    .name = "reduce_scatter",
    .help = "all ranks' vectors combined element by element, a part of the result on each rank",
    BENCH_OPERANDS,
    .open = bench_operands_open_parts,
    .run = run_parts,
    .wrong = bench_operands_wrong,
    .bound = bench_traffic_reduce_scatter};

const struct bench_operation bench_reduce_scatter_block = {.name = "reduce_scatter_block",
                                                           .help = "the same, all parts of one length by definition",
                                                           BENCH_OPERANDS,
                                                           .open = bench_operands_open_parts,
                                                           .run = run_block,
                                                           .wrong = bench_operands_wrong,
                                                           .bound = bench_traffic_reduce_scatter};
