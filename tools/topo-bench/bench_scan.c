/* MPI_Scan and MPI_Exscan in the benchmark. */
#include "coll/call/operations.h"
#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static int run_scan(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    return BENCH_RUN(PMPI_Scan, topo_scan, s->send, s->receive, (int)s->count, s->type, s->op);
}

static int run_exscan(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    return BENCH_RUN(PMPI_Exscan, topo_exscan, s->send, s->receive, (int)s->count, s->type, s->op);
}

static size_t wrong_scan(const struct bench_call *call)
{
    return bench_operands_wrong_of(call, call->rank + 1);
}

static size_t wrong_exscan(const struct bench_call *call)
{
    return call->rank > 0 ? bench_operands_wrong_of(call, call->rank) : 0;
}

const struct bench_operation bench_scan = {.name = "scan",
                                           .help = "the vectors of all ranks up to each one, combined",
                                           BENCH_OPERANDS,
                                           .open = bench_operands_open,
                                           .run = run_scan,
                                           .wrong = wrong_scan,
                                           .bound = bench_traffic_scan};

const struct bench_operation bench_exscan = {.name = "exscan",
                                             .help = "the same of all ranks before each one",
                                             BENCH_OPERANDS,
                                             .open = bench_operands_open,
                                             .run = run_exscan,
                                             .wrong = wrong_exscan,
                                             .bound = bench_traffic_scan};
