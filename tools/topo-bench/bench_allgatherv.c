/* MPI_Allgatherv in the benchmark: blocks of irregular lengths, one after the other. */
#include <limits.h>

#include "base/memory.h"
#include "coll/allgatherv/allgatherv.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

struct state {
    struct bench_layout layout;
    int *counts, *places;
    size_t total;
    char *send, *receive;
};

static void describe(const struct bench_request *request, struct topo_text *out)
{
    (void)request;
    topo_text_add(out, "blocks of 0 to twice the length");
}

static bool open_call(struct bench_call *call)
{
    struct state *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(call->bytes, 0);
    s->counts = topo_calloc((size_t)call->ranks, 2 * sizeof *s->counts);
    if (!s->counts)
        return false;
    s->places = s->counts + call->ranks;
    for (int rank = 0; rank < call->ranks; rank++) {
        size_t bytes = bench_irregular_bytes(rank, rank, call->bytes);
        if (s->total + bytes > INT_MAX)
            return false;
        s->counts[rank] = (int)bytes;
        s->places[rank] = (int)s->total;
        s->total += bytes;
    }
    s->send = topo_alloc((size_t)s->counts[call->rank] + 1, 1);
    s->receive = topo_alloc(s->total + 1, 1);
    return s->send && s->receive;
}

static void close_call(struct bench_call *call)
{
    struct state *s = call->state;
    if (!s)
        return;
    topo_free(s->counts);
    topo_free(s->send);
    topo_free(s->receive);
    topo_free(s);
    call->state = NULL;
}

static void fill(struct bench_call *call)
{
    struct state *s = call->state;
    bench_pattern_write(&s->layout, s->send, (size_t)s->counts[call->rank], (uint64_t)call->rank, call->round);
    bench_pattern_spoil(s->receive, s->total);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    int count = s->counts[call->rank];
    if (variant->native)
        return PMPI_Allgatherv(s->send, count, MPI_BYTE, s->receive, s->counts, s->places, MPI_BYTE, variant->comm);
    return topo_allgatherv(variant->algorithm, s->send, count, MPI_BYTE, s->receive, s->counts, s->places, MPI_BYTE,
                           call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    const struct state *s = call->state;
    size_t bytes = 0;
    for (int rank = 0; rank < call->ranks; rank++)
        bytes += bench_pattern_wrong(&s->layout, s->receive + s->places[rank], (size_t)s->counts[rank], (uint64_t)rank,
                                     call->round);
    return bytes;
}

static double length(int from, int to, const void *mean)
{
    return (double)bench_irregular_bytes(from, to, *(const size_t *)mean);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_allgatherv(traffic, ranks, count, length, &bytes);
}

const struct bench_operation bench_allgatherv = {.name = "allgatherv",
                                                 .help = "every rank's block, of any length, to all ranks",
                                                 .fit = bench_blocks_fit,
                                                 .describe = describe,
                                                 .open = open_call,
                                                 .close = close_call,
                                                 .fill = fill,
                                                 .run = run,
                                                 .wrong = wrong,
                                                 .bound = bound};
