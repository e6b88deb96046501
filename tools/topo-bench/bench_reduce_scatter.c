/* MPI_Reduce_scatter, every rank's part as long, and MPI_Reduce_scatter_block in the benchmark. */
#include "coll/reduce_scatter/reduce_scatter.h"

#include "base/memory.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static int run_block(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    return BENCH_RUN(PMPI_Reduce_scatter_block, topo_reduce_scatter_block, s->send, s->receive, (int)s->part, s->type,
                     s->op);
}

static int run_parts(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    TOPO_SCOPED int *counts = topo_alloc((size_t)call->ranks, sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < call->ranks; rank++)
        counts[rank] = (int)s->part;
    return BENCH_RUN(PMPI_Reduce_scatter, topo_reduce_scatter, s->send, s->receive, counts, s->type, s->op);
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
