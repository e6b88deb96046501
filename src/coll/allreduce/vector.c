#include "coll/allreduce/vector.h"

#include "base/copy.h"
#include "coll/datatype.h"
#include "coll/scratch.h"
#include "coll/transport.h"

int topo_vector_describe(const void *input, void *result, int count, MPI_Datatype type, MPI_Op op,
                         struct topo_vector *vector)
{
    struct topo_data data;
    MPI_Aint true_extent;
    int code = topo_data_describe(result, count, type, &data);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_get_true_extent(type, &vector->true_lb, &true_extent);
    if (code != MPI_SUCCESS)
        return code;
    vector->input = input == MPI_IN_PLACE ? NULL : input;
    vector->result = result;
    vector->count = (size_t)count;
    vector->type = type;
    vector->op = op;
    vector->extent = data.extent;
    vector->size = count ? data.bytes / (size_t)count : 0;
    vector->plain = data.contiguous;
    vector->named = data.named;
    vector->true_ub = vector->true_lb + true_extent;
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
    *elements = *block ? (char *)*block + offset : NULL;
    return *block != NULL;
}

bool topo_vector_sends_result(const struct topo_vector *vector, const struct topo_move *move)
{
    return !vector->input || !(move->flags & TOPO_MOVE_SENDS_INPUT);
}

const char *topo_vector_source(const struct topo_vector *vector, const struct topo_move *move, size_t at)
{
    return (topo_vector_sends_result(vector, move) ? vector->result : vector->input) + (MPI_Aint)at * vector->extent;
}

/* The input is const, so the operand that MPI_Reduce_local overwrites must be what arrives: fine
 * unless that is to be the left one. */
bool topo_vector_lands(const struct topo_vector *vector, const struct topo_move *move)
{
    if (!(move->flags & TOPO_MOVE_ADD))
        return true;
    return vector->input && (move->flags & TOPO_MOVE_MEETS_INPUT) && !(move->flags & TOPO_MOVE_INCOMING_LEFT);
}

size_t topo_vector_longest_waiting(const struct topo_vector *vector, const struct topo_moves *moves)
{
    size_t longest = 0;
    for (int i = 0; i < moves->count; i++)
        if (!topo_vector_lands(vector, &moves->list[i]) && moves->list[i].receive.count > longest)
            longest = moves->list[i].receive.count;
    return longest;
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

int topo_vector_combine(const struct topo_vector *vector, const struct topo_move *move, size_t at, size_t count,
                        char *landed)
{
    char *here = topo_vector_at(vector, vector->result, at);
    bool from_input = vector->input && (move->flags & TOPO_MOVE_MEETS_INPUT);
    int code = MPI_SUCCESS;
    if (!(move->flags & TOPO_MOVE_ADD) || count == 0)
        return MPI_SUCCESS;
    const char *own = from_input ? vector->input + (MPI_Aint)at * vector->extent : here;
    if (landed == here)
        return PMPI_Reduce_local(own, here, (int)count, vector->type, vector->op);
    if (move->flags & TOPO_MOVE_OWN_LEFT) {
        code = PMPI_Reduce_local(own, landed, (int)count, vector->type, vector->op);
        return code == MPI_SUCCESS ? topo_vector_copy(vector, landed, here, count) : code;
    }
    if (from_input)
        code = topo_vector_copy(vector, own, here, count);
    return code == MPI_SUCCESS ? PMPI_Reduce_local(landed, here, (int)count, vector->type, vector->op) : code;
}
