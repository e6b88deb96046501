/* MPI_Barrier in the benchmark. It has no result to compare: that nobody leaves
 * before all have come is what tests/mpi/test_barrier.c checks. */
#include "coll/barrier/barrier.h"
#include "topo-bench/operation.h"

/* Not 0: pictures have a logarithmic axis. */
static size_t fit(const struct bench_request *request, size_t bytes)
{
    (void)request;
    (void)bytes;
    return 1;
}

static void describe(const struct bench_request *request, struct topo_text *out)
{
    (void)request;
    topo_text_add(out, "no data");
}

static bool open_call(struct bench_call *call)
{
    (void)call;
    return true;
}

static void nothing(struct bench_call *call)
{
    (void)call;
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    return variant->native ? PMPI_Barrier(variant->comm) : topo_barrier(variant->algorithm, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    (void)call;
    return 0;
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)traffic;
    (void)ranks;
    (void)count;
    (void)request;
    (void)bytes;
}

const struct bench_operation bench_barrier = {.name = "barrier",
                                              .help = "nobody leaves before all have come",
                                              .sizeless = true,
                                              .fit = fit,
                                              .describe = describe,
                                              .open = open_call,
                                              .close = nothing,
                                              .fill = nothing,
                                              .run = run,
                                              .wrong = wrong,
                                              .bound = bound};
