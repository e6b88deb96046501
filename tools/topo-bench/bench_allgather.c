/* MPI_Allgather in the benchmark. */
#include <limits.h>

#include "base/memory.h"
#include "coll/allgather/allgather.h"
#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

struct state {
    struct bench_layout layout;
    MPI_Datatype type;
    int count;
    size_t span; /* memory of a block */
    char *send, *receive;
};

static size_t fit(const struct bench_request *request, size_t bytes)
{
    (void)request;
    return bytes;
}

static void describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_add(out, request->gaps ? "elements with gaps" : "contiguous");
}

static bool open_call(struct bench_call *call)
{
    struct state *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(call->bytes, call->request->gaps);
    s->type = MPI_BYTE;
    s->count = (int)call->bytes;
    s->span = bench_layout_span(&s->layout, call->bytes);
    if (call->request->gaps) {
        MPI_Datatype element;
        MPI_Type_contiguous((int)s->layout.element, MPI_BYTE, &element);
        MPI_Type_create_resized(element, 0, (MPI_Aint)s->layout.stride, &s->type);
        MPI_Type_commit(&s->type);
        MPI_Type_free(&element);
        s->count = (int)(call->bytes / s->layout.element);
    }
    s->send = topo_alloc(s->span, 1);
    s->receive = topo_alloc((size_t)call->ranks, s->span);
    return s->send && s->receive;
}

static void close_call(struct bench_call *call)
{
    struct state *s = call->state;
    if (!s)
        return;
    if (s->type && s->type != MPI_BYTE)
        MPI_Type_free(&s->type);
    topo_free(s->send);
    topo_free(s->receive);
    topo_free(s);
    call->state = NULL;
}

static void fill(struct bench_call *call)
{
    struct state *s = call->state;
    bench_pattern_spoil(s->send, s->span);
    bench_pattern_write(&s->layout, s->send, call->bytes, (uint64_t)call->rank, call->round);
    bench_pattern_spoil(s->receive, s->span * (size_t)call->ranks);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    if (variant->native)
        return PMPI_Allgather(s->send, s->count, s->type, s->receive, s->count, s->type, variant->comm);
    return topo_allgather(variant->algorithm, s->send, s->count, s->type, s->receive, s->count, s->type, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    const struct state *s = call->state;
    size_t bytes = 0;
    for (int rank = 0; rank < call->ranks; rank++)
        bytes += bench_pattern_wrong(&s->layout, s->receive + (size_t)rank * s->span, call->bytes, (uint64_t)rank,
                                     call->round);
    return bytes;
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_allgather(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_allgather = {.name = "allgather",
                                                .help = "every rank's block to all ranks",
                                                .fit = fit,
                                                .describe = describe,
                                                .open = open_call,
                                                .close = close_call,
                                                .fill = fill,
                                                .run = run,
                                                .wrong = wrong,
                                                .bound = bound};
