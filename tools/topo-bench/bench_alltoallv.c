/* MPI_Alltoallv in the benchmark: irregular lengths, the same in every run. */
#include <limits.h>

#include "base/memory.h"
#include "coll/alltoallv/alltoallv.h"
#include "schedule/random.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

/* One side of the call. */
struct side {
    int *count, *place; /* in elements */
    size_t span;
    char *memory;
};

struct state {
    struct bench_layout layout;
    MPI_Datatype type;
    struct side send, receive;
};

static void describe(const struct bench_request *request, struct topo_text *out)
{
    if (request->graph)
        topo_text_addf(out, "random graph of %s messages, ", request->graph);
    topo_text_addf(out, "irregular, %s", request->gaps ? "elements with gaps" : "contiguous");
}

/* The random graph that is asked for, its messages together as long as between all pairs; made at each size. */
static const struct topo_matrix *graph_of(const struct bench_request *request, int ranks, size_t mean)
{
    static struct topo_matrix *made;
    static size_t made_for;
    static int made_ranks;
    struct topo_text text = {0};
    struct topo_random_spec spec;
    if (made && made_for == mean && made_ranks == ranks)
        return made;
    topo_matrix_free(made);
    made = NULL;
    topo_text_addf(&text, "N=%d,E=%s,seed=1,total=%zu", ranks, request->graph, mean * (size_t)ranks * (size_t)ranks);
    if (!text.failed && topo_random_parse(text.text, &spec, NULL) == TOPO_OK)
        topo_matrix_random(&spec, &made, NULL);
    topo_text_free(&text);
    made_for = mean;
    made_ranks = ranks;
    return made;
}

/* Bytes from one rank to another; with gaps in whole elements of 8 bytes. */
static size_t length_of(const struct bench_request *request, int ranks, int from, int to, size_t mean)
{
    size_t bytes;
    if (request->graph) {
        const struct topo_matrix *graph = graph_of(request, ranks, mean);
        bytes = graph ? (size_t)topo_matrix_at(graph, from, to) : 0;
    } else {
        bytes = bench_irregular_bytes(from, to, mean);
    }
    return request->gaps ? (bytes + 4) / 8 * 8 : bytes;
}

/* Counts and places of what this rank sends, or receives. */
static bool open_side(const struct bench_call *call, struct side *side, bool sends)
{
    const struct state *s = call->state;
    size_t element = call->request->gaps ? s->layout.element : 1, total = 0;
    side->count = topo_calloc((size_t)call->ranks, sizeof *side->count);
    side->place = topo_calloc((size_t)call->ranks, sizeof *side->place);
    if (!side->count || !side->place)
        return false;
    for (int other = 0; other < call->ranks; other++) {
        size_t bytes = sends ? length_of(call->request, call->ranks, call->rank, other, call->bytes)
                             : length_of(call->request, call->ranks, other, call->rank, call->bytes);
        if (total > INT_MAX || bytes > INT_MAX)
            return false;
        side->count[other] = (int)(bytes / element);
        side->place[other] = (int)total;
        total += bytes / element;
    }
    side->span = total * (call->request->gaps ? s->layout.stride : 1);
    side->memory = topo_alloc(side->span, 1);
    return side->memory;
}

static bool open_call(struct bench_call *call)
{
    if (call->request->graph && !graph_of(call->request, call->ranks, call->bytes))
        return false;
    struct state *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->layout = bench_layout_of(8, call->request->gaps);
    s->type = bench_element_type(&s->layout);
    return open_side(call, &s->send, true) && open_side(call, &s->receive, false);
}

static void close_side(struct side *side)
{
    topo_free(side->count);
    topo_free(side->place);
    topo_free(side->memory);
}

static void close_call(struct bench_call *call)
{
    struct state *s = call->state;
    if (!s)
        return;
    bench_element_free(&s->type);
    close_side(&s->send);
    close_side(&s->receive);
    topo_free(s);
    call->state = NULL;
}

/* A message's number and where it lies. */
static uint64_t message(const struct bench_call *call, int from, int to)
{
    return (uint64_t)from * (uint64_t)call->ranks + (uint64_t)to;
}

static char *place(const struct bench_call *call, const struct side *side, int other)
{
    const struct state *s = call->state;
    return side->memory + (size_t)side->place[other] * (call->request->gaps ? s->layout.stride : 1);
}

static void fill(struct bench_call *call)
{
    struct state *s = call->state;
    bench_pattern_spoil(s->send.memory, s->send.span);
    bench_pattern_spoil(s->receive.memory, s->receive.span);
    for (int to = 0; to < call->ranks; to++)
        bench_pattern_write(&s->layout, place(call, &s->send, to),
                            length_of(call->request, call->ranks, call->rank, to, call->bytes),
                            message(call, call->rank, to), call->round);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    if (variant->native)
        return PMPI_Alltoallv(s->send.memory, s->send.count, s->send.place, s->type, s->receive.memory,
                              s->receive.count, s->receive.place, s->type, variant->comm);
    return topo_alltoallv(variant->algorithm, s->send.memory, s->send.count, s->send.place, s->type, s->receive.memory,
                          s->receive.count, s->receive.place, s->type, call->comm);
}

static size_t wrong(const struct bench_call *call)
{
    const struct state *s = call->state;
    size_t bytes = 0;
    for (int from = 0; from < call->ranks; from++)
        bytes += bench_pattern_wrong(&s->layout, place(call, &s->receive, from),
                                     length_of(call->request, call->ranks, from, call->rank, call->bytes),
                                     message(call, from, call->rank), call->round);
    return bytes;
}

struct lengths {
    const struct bench_request *request;
    int ranks;
    size_t mean;
};

static double pair_bytes(int from, int to, const void *context)
{
    const struct lengths *lengths = context;
    return (double)length_of(lengths->request, lengths->ranks, from, to, lengths->mean);
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    const struct lengths lengths = {request, count, bytes};
    bench_traffic_alltoallv(traffic, ranks, count, pair_bytes, &lengths);
}

const struct bench_operation bench_alltoallv = {.name = "alltoallv",
                                                .help = "a message of another length between every two ranks",
                                                .fit = bench_blocks_fit,
                                                .describe = describe,
                                                .open = open_call,
                                                .close = close_call,
                                                .fill = fill,
                                                .run = run,
                                                .wrong = wrong,
                                                .bound = bound};
