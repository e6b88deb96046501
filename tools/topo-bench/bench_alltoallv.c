/* MPI_Alltoallv in the benchmark: irregular lengths, the same in every run. */
#include "coll/alltoallv/alltoallv.h"
#include "schedule/random.h"
#include "topo-bench/blocks.h"
#include "topo-bench/irregular.h"

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

static size_t length_of(const struct bench_request *request, int ranks, int from, int to, size_t mean)
{
    if (!request->graph)
        return bench_irregular_length(request, from, to, mean);
    const struct topo_matrix *graph = graph_of(request, ranks, mean);
    return bench_whole_elements(request, graph ? (size_t)topo_matrix_at(graph, from, to) : 0);
}

static bool open_call(struct bench_call *call)
{
    return (!call->request->graph || graph_of(call->request, call->ranks, call->bytes)) &&
           bench_blocks_open(call, BENCH_BLOCKS_EXCHANGED);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    const struct bench_blocks *s = call->state;
    const struct bench_side *send = &s->send, *receive = &s->receive;
    if (variant->native)
        return PMPI_Alltoallv(send->memory, send->count, send->place, s->type, receive->memory, receive->count,
                              receive->place, s->type, variant->comm);
    return topo_alltoallv(variant->algorithm, send->memory, send->count, send->place, s->type, receive->memory,
                          receive->count, receive->place, s->type, call->comm);
}

const struct bench_operation bench_alltoallv = {.name = "alltoallv",
                                                .help = "a message of another length between every two ranks",
                                                .describe = describe,
                                                .open = open_call,
                                                .close = bench_blocks_close,
                                                .fill = bench_blocks_fill,
                                                .run = run,
                                                .wrong = bench_blocks_wrong,
                                                .bound = bench_traffic_alltoall,
                                                .length = length_of};
