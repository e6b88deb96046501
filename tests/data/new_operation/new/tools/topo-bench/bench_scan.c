/* MPI_Scan in the benchmark. Every rank has another result: that it is right is what tests/mpi/test_scan.c checks. */
#include "coll/scan/scan.h"

#include "topo-bench/operands.h"
#include "topo-bench/operation.h"

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_operands *s = call->state;
    return BENCH_RUN(PMPI_Scan, topo_scan, s->send, s->receive, (int)s->count, s->type, s->op);
}

static size_t wrong(const struct bench_call *call)
{
    return bench_operands_wrong_on(call, call->ranks - 1);
}

const struct bench_operation bench_scan = {.name = "scan",
                                           .help = "the vectors of all ranks up to each one, combined",
                                           BENCH_OPERANDS,
                                           .open = bench_operands_open,
                                           .run = run,
                                           .wrong = wrong,
                                           .bound = bench_traffic_reduce};
