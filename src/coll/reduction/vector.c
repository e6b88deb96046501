#include "coll/reduction/vector.h"

#include "base/copy.h"
#include "coll/base/operators.h"
#include "coll/base/datatype.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"

enum {
    PAIR_MOST = 2048 /* bytes: of two longer vectors the MPI library makes the sum as fast */
};

int topo_vector_describe(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op,
                         struct topo_vector *vector)
{
    struct topo_data data;
    MPI_Aint true_extent = 0;
    int code = topo_data_describe(result, count, type, &data);
    vector->true_lb = 0;
    if (code == MPI_SUCCESS && data.named)
        true_extent = data.extent;
    else if (code == MPI_SUCCESS)
        code = PMPI_Type_get_true_extent(type, &vector->true_lb, &true_extent);
    if (code != MPI_SUCCESS)
        return code;
    vector->in_place = input == MPI_IN_PLACE;
    vector->input = vector->in_place ? result : input;
    vector->result = result;
    vector->count = (size_t)count;
    vector->type = type;
    vector->op = op;
    vector->whole = topo_operation_wants_whole(op);
    vector->extent = data.extent;
    vector->size = count ? data.bytes / (size_t)count : 0;
    vector->plain = data.contiguous;
    vector->named = data.named;
    vector->true_ub = vector->true_lb + true_extent;
    vector->stored.packed = !vector->plain && !topo_operation_is_mpis(op);
    vector->stored.bytes = vector->stored.packed ? vector->size : (size_t)vector->extent;
    vector->stored.wire = vector->stored.packed ? MPI_BYTE : type;
    vector->channel = NULL;
    return MPI_SUCCESS;
}

MPI_Aint topo_vector_span(const struct topo_vector *vector, size_t count, size_t *bytes)
{
    enum { ALIGNMENT = 64 };
    MPI_Aint low = vector->true_lb, high = vector->true_ub;
    MPI_Aint last = count ? (MPI_Aint)(count - 1) * vector->extent : 0;
    if (last < 0)
        low += last;
    else
        high += last;
    /* Elements are to be as well aligned in the block as in the application's memory. */
    low -= (low % ALIGNMENT + ALIGNMENT) % ALIGNMENT;
    *bytes = (size_t)(high - low);
    return -low;
}

bool topo_vector_scratch(const struct topo_vector *vector, size_t count, void **block, char **elements)
{
    size_t bytes;
    MPI_Aint offset = topo_vector_span(vector, count, &bytes);
    *block = topo_scratch_take(bytes);
    *elements = *block ? topo_data_moved(*block, offset) : NULL;
    return *block != NULL;
}

int topo_vector_copy(const struct topo_vector *vector, const char *from, char *to, size_t count)
{
    if (vector->plain) {
        topo_copy(to, from, count * (size_t)vector->extent, false);
        return MPI_SUCCESS;
    }
    int rank;
    PMPI_Comm_rank(vector->channel->user, &rank);
    return topo_sendrecv_typed((struct topo_elements){(void *)from, (int)count, vector->type}, rank,
                               (struct topo_elements){to, (int)count, vector->type}, rank, TOPO_TAG, vector->channel);
}

int topo_vector_store(const struct topo_vector *vector, const char *elements, char *stored, size_t count)
{
    if (!vector->stored.packed)
        return topo_vector_copy(vector, elements, stored, count);
    return topo_pack(elements, (int)count, vector->type, stored, (int)(count * vector->size), vector->channel->comm);
}

int topo_vector_fetch(const struct topo_vector *vector, const char *stored, char *elements, size_t count)
{
    if (!vector->stored.packed)
        return topo_vector_copy(vector, stored, elements, count);
    return topo_unpack(stored, (int)(count * vector->size), elements, (int)count, vector->type, vector->channel->comm);
}

void topo_bench_close(struct topo_bench *bench)
{
    for (int i = 0; i < 2; i++)
        topo_scratch_give(bench->block[i]);
}

bool topo_bench_open(struct topo_bench *bench, const struct topo_vector *vector, size_t count)
{
    *bench = (struct topo_bench){{NULL, NULL}, {NULL, NULL}, NULL};
    bool good = true;
    if (!vector->stored.packed)
        bench->combine = topo_combine_find(vector->op, vector->type, vector->size);
    for (int i = 0; i < 2 && vector->stored.packed; i++)
        good = good && topo_vector_scratch(vector, count, &bench->block[i], &bench->elements[i]);
    if (!good)
        topo_bench_close(bench);
    return good;
}

/* Adds elements as they lie. */
static int add_pair(const struct topo_bench *bench, const struct topo_vector *vector, const char *elements, char *sum,
                    size_t count)
{
    if (!bench->combine || count * vector->size > PAIR_MOST)
        return PMPI_Reduce_local(elements, sum, (int)count, vector->type, vector->op);
    bench->combine((const char *[]){sum, elements}, 2, sum, count);
    return MPI_SUCCESS;
}

int topo_bench_add_own(const struct topo_bench *bench, const struct topo_vector *vector, const char *elements,
                       char *sum, size_t count)
{
    if (!vector->stored.packed)
        return add_pair(bench, vector, elements, sum, count);
    int code = topo_vector_fetch(vector, sum, bench->elements[0], count);
    if (code == MPI_SUCCESS)
        code = PMPI_Reduce_local(elements, bench->elements[0], (int)count, vector->type, vector->op);
    return code == MPI_SUCCESS ? topo_vector_store(vector, bench->elements[0], sum, count) : code;
}

int topo_bench_add(const struct topo_bench *bench, const struct topo_vector *vector, const char *stored, char *sum,
                   size_t count)
{
    if (!vector->stored.packed)
        return topo_bench_add_own(bench, vector, stored, sum, count);
    int code = topo_vector_fetch(vector, stored, bench->elements[1], count);
    return code == MPI_SUCCESS ? topo_bench_add_own(bench, vector, bench->elements[1], sum, count) : code;
}

struct topo_pass topo_pass_begin(const struct topo_bench *bench, const struct topo_vector *vector, const char *first,
                                 char *sum, size_t count)
{
    return (struct topo_pass){
        .bench = bench, .vector = vector, .sum = sum, .count = count, .number = 1, .operand = {first}};
}

int topo_pass_add(struct topo_pass *pass, const char *stored)
{
    if (!pass->bench->combine)
        return topo_bench_add(pass->bench, pass->vector, stored, pass->sum, pass->count);
    pass->operand[pass->number++] = stored;
    return pass->number < TOPO_OPERANDS_MOST ? MPI_SUCCESS : topo_pass_end(pass);
}

int topo_pass_end(struct topo_pass *pass)
{
    int number = pass->number, code = MPI_SUCCESS;
    bool in_sum = pass->operand[0] == pass->sum;
    if (number == 2 && in_sum)
        code = add_pair(pass->bench, pass->vector, pass->operand[1], pass->sum, pass->count);
    else if (number > 1)
        pass->bench->combine(pass->operand, number, pass->sum, pass->count);
    else if (!in_sum)
        code = topo_vector_copy(pass->vector, pass->operand[0], pass->sum, pass->count);
    pass->number = 1;
    pass->operand[0] = pass->sum;
    return code;
}
