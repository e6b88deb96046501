/* MPI_Allreduce and MPI_Reduce, to rank 0, in the benchmark. */
#include "coll/allreduce/allreduce.h"
#include "coll/reduce/reduce.h"
#include "job/job.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
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

static int run_reduce(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    return BENCH_RUN(PMPI_Reduce, topo_reduce, s->send, s->receive, (int)s->count, s->type, s->op, 0);
}

static size_t wrong_on_root(const struct bench_call *call)
{
    return bench_operands_wrong_on(call, 0);
}

const struct bench_operation bench_allreduce = {.name = "allreduce",
                                                .help = "all ranks' vectors combined element by element, on all ranks",
                                                BENCH_OPERANDS,
                                                .open = bench_operands_open,
                                                .run = run,
                                                .wrong = bench_operands_wrong,
                                                .bound = bench_traffic_allreduce};

const struct bench_operation bench_reduce = {.name = "reduce",
                                             .help = "all ranks' vectors combined element by element, on one rank",
                                             BENCH_OPERANDS,
                                             .open = bench_operands_open,
                                             .run = run_reduce,
                                             .wrong = wrong_on_root,
                                             .bound = bench_traffic_reduce};
