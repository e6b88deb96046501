/* MPI_Bcast in the benchmark, from rank 0. */
#include <string.h>

#include "base/memory.h"
#include "coll/bcast/bcast.h"
#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

struct state {
    struct bench_layout layout;
    char *buffer;
};

static size_t fit(const struct bench_request *request, size_t bytes)
{
    (void)request;
    return bytes;
}

static void describe(const struct bench_request *request, struct topo_text *out)
{
    (void)request;
    topo_text_add(out, "contiguous");
}

static bool open_call(struct bench_call *call)
{
    struct state *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(call->bytes, 0);
    s->buffer = topo_alloc(call->bytes, 1);
    return s->buffer;
}

static void close_call(struct bench_call *call)
{
    struct state *s = call->state;
    if (!s)
        return;
    topo_free(s->buffer);
    topo_free(s);
    call->state = NULL;
}

static void fill(struct bench_call *call)
{
    struct state *s = call->state;
    bench_pattern_spoil(s->buffer, call->bytes);
    if (call->rank == 0)
        bench_pattern_write(&s->layout, s->buffer, call->bytes, 0, call->round);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    if (variant->native)
        return PMPI_Bcast(s->buffer, (int)call->bytes, MPI_BYTE, 0, variant->comm);
    return topo_bcast(variant->algorithm, s->buffer, (int)call->bytes, MPI_BYTE, 0, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    const struct state *s = call->state;
    return bench_pattern_wrong(&s->layout, s->buffer, call->bytes, 0, call->round);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_bcast(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_bcast = {.name = "bcast",
                                            .help = "one rank's vector to all ranks",
                                            .fit = fit,
                                            .describe = describe,
                                            .open = open_call,
                                            .close = close_call,
                                            .fill = fill,
                                            .run = run,
                                            .wrong = wrong,
                                            .bound = bound};
