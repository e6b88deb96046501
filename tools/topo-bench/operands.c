#include "topo-bench/operands.h"

#include <limits.h>
#include <string.h>

#include "base/memory.h"
#include "coll/base/operators.h"
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

size_t bench_operands_fit(const struct bench_request *request, size_t bytes)
{
    size_t size = types[type_of(request)].size;
    return bytes < size ? size : bytes / size * size;
}

void bench_operands_describe(const struct bench_request *request, struct topo_text *out)
{
    topo_text_addf(out, "%s of %s", request->combine, request->type);
}

bool bench_operands_one_form(const struct bench_request *request)
{
    return topo_operation_depends_on_order(combines[combine_of(request)].op, types[type_of(request)].type);
}

static bool open_vector(struct bench_call *call, size_t parts)
{
    int type = type_of(call->request), combine = combine_of(call->request);
    struct bench_operands *s = call->state = topo_calloc(1, sizeof *s);
    if (!s || (parts > 1 && call->bytes > SIZE_MAX / parts))
        return false;
    *s = (struct bench_operands){.type = types[type].type,
                                 .op = combines[combine].op,
                                 .type_row = type,
                                 .combine_row = combine,
                                 .size = types[type].size,
                                 .count = call->bytes / types[type].size * parts,
                                 .part = call->bytes / types[type].size};
    s->send = topo_alloc(s->count, s->size);
    s->receive = topo_alloc(s->count, s->size);
    return s->send && s->receive && s->count <= INT_MAX;
}

bool bench_operands_open(struct bench_call *call)
{
    return open_vector(call, 1);
}

bool bench_operands_open_parts(struct bench_call *call)
{
    return open_vector(call, (size_t)call->ranks);
}

void bench_operands_close(struct bench_call *call)
{
    struct bench_operands *s = call->state;
    if (!s)
        return;
    topo_free_all(s->send, s->receive, s);
    call->state = NULL;
}

/* Element `index` of what `rank` sends. */
static long value(const struct bench_call *call, const struct bench_operands *s, int rank, size_t index)
{
    uint64_t word = bench_pattern_word((uint64_t)rank, call->round, index);
    return combines[s->combine_row].combine == multiply ? 1 - 2 * (long)(word & 1) : (long)(word & 15) - 5;
}

static void store(const struct bench_operands *s, char *memory, size_t index, long number)
{
    char *place = memory + index * s->size;
    int as_int = (int)number;
    float as_float = (float)number;
    double as_double = (double)number;
    switch (s->type_row) {
    case 0: memcpy(place, &as_int, sizeof as_int); break;
    case 1: memcpy(place, &number, sizeof number); break;
    case 2: memcpy(place, &as_float, sizeof as_float); break;
    default: memcpy(place, &as_double, sizeof as_double); break;
    }
}

void bench_operands_fill(struct bench_call *call)
{
    struct bench_operands *s = call->state;
    for (size_t i = 0; i < s->count; i++)
        store(s, s->send, i, value(call, s, call->rank, i));
    bench_pattern_spoil(s->receive, s->count * s->size);
}

size_t bench_operands_wrong_of(const struct bench_call *call, int ranks)
{
    const struct bench_operands *s = call->state;
    size_t bytes = 0, first = s->part < s->count ? (size_t)call->rank * s->part : 0;
    for (size_t i = 0; i < s->part; i++) {
        char wanted[sizeof(double)];
        long number = value(call, s, 0, first + i);
        for (int rank = 1; rank < ranks; rank++)
            number = combines[s->combine_row].combine(number, value(call, s, rank, first + i));
        store(s, wanted, 0, number);
        bytes += memcmp(wanted, s->receive + i * s->size, s->size) ? s->size : 0;
    }
    return bytes;
}

size_t bench_operands_wrong(const struct bench_call *call)
{
    return bench_operands_wrong_of(call, call->ranks);
}

size_t bench_operands_wrong_on(const struct bench_call *call, int rank)
{
    return call->rank == rank ? bench_operands_wrong(call) : 0;
}
