/* MPI_Allreduce and MPI_Reduce, to rank 0, in the benchmark. The values are small whole numbers (for
 * products 1 and -1), so every order of the operations gives the same bits and
 * results are compared bit for bit, of floating-point types too. */
#include <string.h>

#include "coll/allreduce/allreduce.h"
#include "coll/reduce/reduce.h"
#include "base/memory.h"
#include "comm/job.h"
#include "topo-bench/operation.h"
#include "topo-bench/pattern.h"

/* Types and operations by the names that the request allows. */
static const struct {
    const char *name;
    size_t size;
    MPI_Datatype type;
} types[] = {{"int", sizeof(int), MPI_INT},
             {"long", sizeof(long), MPI_LONG},
             {"float", sizeof(float), MPI_FLOAT},
             {"double", sizeof(double), MPI_DOUBLE}};

static long add(long a, long b)
{
    return a + b;
}

static long multiply(long a, long b)
{
    return a * b;
}

static long larger(long a, long b)
{
    return a > b ? a : b;
}

static long smaller(long a, long b)
{
    return a < b ? a : b;
}

static long differ(long a, long b)
{
    return a ^ b;
}

static const struct {
    const char *name;
    MPI_Op op;
    long (*combine)(long a, long b);
} combines[] = {{"sum", MPI_SUM, add},
                {"prod", MPI_PROD, multiply},
                {"max", MPI_MAX, larger},
                {"min", MPI_MIN, smaller},
                {"bxor", MPI_BXOR, differ}};

struct state {
    int type, combine; /* rows of the tables */
    size_t elements;
    char *send, *receive;
};

static int type_of(const struct bench_request *request)
{
    int i = 0;
    while (strcmp(types[i].name, request->type))
        i++;
    return i;
}

static int combine_of(const struct bench_request *request)
{
    int i = 0;
    while (strcmp(combines[i].name, request->combine))
        i++;
    return i;
}

static size_t fit(const struct bench_request *request, size_t bytes)
{
    size_t size = types[type_of(request)].size;
    return bytes < size ? size : bytes / size * size;
}

static void describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_addf(out, "%s of %s", request->combine, request->type);
}

static bool open_call(struct bench_call *call)
{
    struct state *s = call->state = topo_calloc(1, sizeof *s);
    if (!s)
        return false;
    s->type = type_of(call->request);
    s->combine = combine_of(call->request);
    s->elements = call->bytes / types[s->type].size;
    s->send = topo_alloc(call->bytes, 1);
    s->receive = topo_alloc(call->bytes, 1);
    return s->send && s->receive;
}

static void close_call(struct bench_call *call)
{
    struct state *s = call->state;
    if (!s)
        return;
    topo_free(s->send);
    topo_free(s->receive);
    topo_free(s);
    call->state = NULL;
}

/* Element `index` of what `rank` sends. */
static long value(const struct bench_call *call, const struct state *s, int rank, size_t index)
{
    uint64_t word = bench_pattern_word((uint64_t)rank, call->round, index);
    return combines[s->combine].combine == multiply ? 1 - 2 * (long)(word & 1) : (long)(word & 15) - 5;
}

static void store(const struct state *s, char *memory, size_t index, long number)
{
    char *place = memory + index * types[s->type].size;
    int as_int = (int)number;
    float as_float = (float)number;
    double as_double = (double)number;
    switch (s->type) {
    case 0: memcpy(place, &as_int, sizeof as_int); break;
    case 1: memcpy(place, &number, sizeof number); break;
    case 2: memcpy(place, &as_float, sizeof as_float); break;
    default: memcpy(place, &as_double, sizeof as_double); break;
    }
}

static void fill(struct bench_call *call)
{
    struct state *s = call->state;
    for (size_t i = 0; i < s->elements; i++)
        store(s, s->send, i, value(call, s, call->rank, i));
    bench_pattern_spoil(s->receive, call->bytes);
}

static int run(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    if (variant->native)
        return PMPI_Allreduce(s->send, s->receive, (int)s->elements, types[s->type].type, combines[s->combine].op,
                              variant->comm);
    size_t *packet = &topo_job.options.value[TOPO_OPTION_PACKET].size, as_set = *packet;
    if (variant->packet != BENCH_PACKET_AS_SET)
        *packet = variant->packet;
    int code = topo_allreduce(variant->algorithm, s->send, s->receive, (int)s->elements, types[s->type].type,
                              combines[s->combine].op, call->comm);
    *packet = as_set;
    return code;
}

static size_t wrong(const struct bench_call *call)
{
    const struct state *s = call->state;
    size_t size = types[s->type].size, bytes = 0;
    for (size_t i = 0; i < s->elements; i++) {
        char wanted[sizeof(double)];
        long number = value(call, s, 0, i);
        for (int rank = 1; rank < call->ranks; rank++)
            number = combines[s->combine].combine(number, value(call, s, rank, i));
        store(s, wanted, 0, number);
        bytes += memcmp(wanted, s->receive + i * size, size) ? size : 0;
    }
    return bytes;
}

static void bound(struct bench_traffic *traffic, const int *ranks, int count, const struct bench_request *request,
                  size_t bytes)
{
    (void)request;
    bench_traffic_allreduce(traffic, ranks, count, (double)bytes);
}

static int run_reduce(struct bench_call *call, const struct bench_variant *variant)
{
    struct state *s = call->state;
    MPI_Datatype type = types[s->type].type;
    MPI_Op op = combines[s->combine].op;
    if (variant->native)
        return PMPI_Reduce(s->send, s->receive, (int)s->elements, type, op, 0, variant->comm);
    return topo_reduce(variant->algorithm, s->send, s->receive, (int)s->elements, type, op, 0, call->comm);
}

static size_t wrong_on_root(const struct bench_call *call)
{
    return call->rank == 0 ? wrong(call) : 0;
}

static void bound_reduce(struct bench_traffic *traffic, const int *ranks, int count,
                         const struct bench_request *request, size_t bytes)
{
    (void)request;
    bench_traffic_reduce(traffic, ranks, count, (double)bytes);
}

const struct bench_operation bench_allreduce = {.name = "allreduce",
                                                .help = "all ranks' vectors combined element by element, on all ranks",
                                                .fit = fit,
                                                .describe = describe,
                                                .open = open_call,
                                                .close = close_call,
                                                .fill = fill,
                                                .run = run,
                                                .wrong = wrong,
                                                .bound = bound};

const struct bench_operation bench_reduce = {.name = "reduce",
                                             .help = "all ranks' vectors combined element by element, on one rank",
                                             .fit = fit,
                                             .describe = describe,
                                             .open = open_call,
                                             .close = close_call,
                                             .fill = fill,
                                             .run = run_reduce,
                                             .wrong = wrong_on_root,
                                             .bound = bound_reduce};
