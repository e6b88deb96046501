/* MPI_Scan in the benchmark. Every rank has another result: that it is right is what tests/mpi/test_scan.c checks. */
#include "coll/scan/scan.h"

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
        return PMPI_Scan(s->send, s->receive, (int)s->count, s->type, s->op, variant->comm);
    return topo_scan(variant->algorithm, s->send, s->receive, (int)s->count, s->type, s->op, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    return call->rank == call->ranks - 1 ? bench_operands_wrong(call, 0, ((struct bench_operands *)call->state)->count)
                                         : 0;
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_reduce(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_scan = {.name = "scan",
                                           .help = "the vectors of all ranks up to each one, combined",
                                           .fit = bench_operands_fit,
                                           .describe = bench_operands_describe,
                                           .open = open_call,
                                           .close = bench_operands_close,
                                           .fill = bench_operands_fill,
                                           .run = run,
                                           .wrong = wrong,
                                           .bound = bound};
