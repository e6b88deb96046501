/* The reductions in the benchmark: MPI_Allreduce, MPI_Reduce, to rank 0, MPI_Reduce_scatter, every rank's part as long,
 * MPI_Reduce_scatter_block, MPI_Scan and MPI_Exscan. */
#include "base/memory.h"
#include "coll/call/operations.h"
#include "job/job.h"
#include "topo-bench/operands.h"

static int run_allreduce(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    size_t *packet = &topo_job.options.value[TOPO_OPTION_PACKET].size, as_set = *packet;
    if (variant->packet != BENCH_PACKET_AS_SET)
        *packet = variant->packet;
    char **grid = &topo_job.options.value[TOPO_OPTION_CYCLIC_GRID].text, *grid_as_set = *grid;
    if (variant->grid)
        *grid = variant->grid;
    int code = BENCH_RUN(PMPI_Allreduce, topo_allreduce, s->send, s->receive, (int)s->count, s->type, s->op);
    *packet = as_set;
    *grid = grid_as_set;
    return code;
}

static int run_reduce_scatter(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    TOPO_SCOPED int *counts = topo_alloc((size_t)call->ranks, sizeof *counts);
    if (!counts)
        return MPI_ERR_NO_MEM;
    for (int rank = 0; rank < call->ranks; rank++)
        counts[rank] = (int)s->part;
    return BENCH_RUN(PMPI_Reduce_scatter, topo_reduce_scatter, s->send, s->receive, counts, s->type, s->op);
}

/* Those whose call is one line. */
#define RUN(operation, mpi_call, elements, ...) \
    static int run_##operation(struct bench_call *call, const struct bench_variant *variant) \
    { \
        const struct bench_operands *s = call->state; \
        return BENCH_RUN(mpi_call, topo_##operation, s->send, s->receive, (int)s->elements, s->type, \
                         s->op __VA_ARGS__); \
    }
RUN(reduce, PMPI_Reduce, count, , 0)
RUN(reduce_scatter_block, PMPI_Reduce_scatter_block, part)
RUN(scan, PMPI_Scan, count)
RUN(exscan, PMPI_Exscan, count)

static size_t wrong_on_root(const struct bench_call *call)
{
    return bench_operands_wrong_on(call, 0);
}

static size_t wrong_scan(const struct bench_call *call)
{
    return bench_operands_wrong_of(call, call->rank + 1);
}

static size_t wrong_exscan(const struct bench_call *call)
{
    return call->rank > 0 ? bench_operands_wrong_of(call, call->rank) : 0;
}

#define SUM(operation, opens, is_wrong, traffic, text) \
    const struct bench_operation bench_##operation = {.name = #operation, \
                                                      .help = text, \
                                                      BENCH_OPERANDS, \
                                                      .open = opens, \
                                                      .run = run_##operation, \
                                                      .wrong = is_wrong, \
                                                      .bound = bench_traffic_##traffic};

SUM(allreduce, bench_operands_open, bench_operands_wrong, allreduce,
    "all ranks' vectors combined element by element, on all ranks")
SUM(reduce, bench_operands_open, wrong_on_root, reduce, "all ranks' vectors combined element by element, on one rank")
SUM(reduce_scatter, bench_operands_open_parts, bench_operands_wrong, reduce_scatter,
    "all ranks' vectors combined element by element, a part of the result on each rank")
SUM(reduce_scatter_block, bench_operands_open_parts, bench_operands_wrong, reduce_scatter,
    "the same, all parts of one length by definition")
SUM(scan, bench_operands_open, wrong_scan, scan, "the vectors of all ranks up to each one, combined")
SUM(exscan, bench_operands_open, wrong_exscan, scan, "the same of all ranks before each one")
