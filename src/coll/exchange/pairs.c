#include "coll/exchange/pairs.h"

#include <limits.h>
#include <string.h>

#include "base/copy.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"

int topo_pairs_copy_own(const struct topo_alltoallv *call)
{
    const struct topo_buffer_desc *from = &call->send, *to = &call->receive;
    int own = call->comm->rank;
    size_t bytes = topo_buffer_desc_bytes(from, own);
    if (bytes == 0 && topo_buffer_desc_bytes(to, own) == 0)
        return MPI_SUCCESS;
    if (from->one.contiguous && to->one.contiguous && bytes == topo_buffer_desc_bytes(to, own)) {
        topo_copy(topo_buffer_desc_at(to, own), topo_buffer_desc_at(from, own), bytes, bytes >= TOPO_COPY_STREAM);
        return MPI_SUCCESS;
    }
    return topo_sendrecv_typed(
        (struct topo_elements){topo_buffer_desc_at(from, own), topo_buffer_desc_count(from, own), from->one.type}, own,
        (struct topo_elements){topo_buffer_desc_at(to, own), topo_buffer_desc_count(to, own), to->one.type}, own,
        TOPO_TAG_PAIR, call->channel);
}

/* The part whose block this is; NULL: none. */
static const struct topo_plan_part *part_of(const struct topo_pairs *pairs, int64_t block)
{
    return block < pairs->plan->ranks ? NULL : &pairs->plan->part[block - pairs->plan->ranks];
}

/* The side of a block that is no part, and the rank at its other end. */
static const struct topo_buffer_desc *side_of(const struct topo_pairs *pairs, int64_t block, int *rank)
{
    const int ranks = pairs->call->comm->ranks;
    *rank = (int)(block < ranks ? block : block - ranks);
    return block < ranks ? &pairs->call->receive : &pairs->call->send;
}

static size_t bytes_of(const struct topo_pairs *pairs, int64_t block)
{
    int rank;
    const struct topo_buffer_desc *side = side_of(pairs, block, &rank);
    return topo_buffer_desc_bytes(side, rank);
}

/* Of a part, in this call: a message that the schedule leaves whole has any length; one that it cuts has that of the
 * matrix, or goes after the steps. Both ends of the pair come to the same answer: MPI_Pack knows int lengths only, so a
 * longer message is not cut, be it contiguous here or not. */
static size_t part_bytes(const struct topo_pairs *pairs, const struct topo_plan_part *part)
{
    const size_t bytes = bytes_of(pairs, part->block);
    if (part->bytes == part->whole)
        return bytes;
    return bytes == (size_t)part->whole && bytes <= INT_MAX ? (size_t)part->bytes : 0;
}

static size_t length(void *of, int64_t block, size_t here)
{
    const struct topo_pairs *pairs = of;
    const struct topo_plan_part *part = part_of(pairs, block);
    (void)here;
    if (part)
        return part_bytes(pairs, part);
    if (pairs->covered && pairs->covered[block])
        return 0;
    const size_t bytes = bytes_of(pairs, block);
    return bytes > pairs->above ? bytes : 0;
}

/* The bytes of a block whose type has gaps. */
static int pack(const struct topo_pairs *pairs, int64_t block, char **packed)
{
    int rank;
    const struct topo_buffer_desc *side = side_of(pairs, block, &rank);
    *packed = pairs->packed[block];
    if (*packed)
        return MPI_SUCCESS;
    *packed = pairs->packed[block] = topo_scratch_take(topo_buffer_desc_bytes(side, rank));
    if (!*packed)
        return MPI_ERR_NO_MEM;
    return side == &pairs->call->send ? topo_buffer_desc_pack(side, rank, *packed, pairs->call->channel->comm)
                                      : MPI_SUCCESS;
}

static int bytes(void *of, int64_t block, size_t offset, size_t length, struct topo_elements *elements)
{
    const struct topo_pairs *pairs = of;
    const struct topo_plan_part *part = part_of(pairs, block);
    int rank, code = MPI_SUCCESS;
    if (part) {
        block = part->block;
        offset += part->bytes < part->whole ? (size_t)part->offset : 0;
    }
    const struct topo_buffer_desc *side = side_of(pairs, block, &rank);
    char *at = topo_buffer_desc_at(side, rank);
    if (length == topo_buffer_desc_bytes(side, rank)) {
        *elements = (struct topo_elements){at, topo_buffer_desc_count(side, rank), side->one.type};
        return code;
    }
    if (!side->one.contiguous)
        code = pack(pairs, block, &at);
    *elements = (struct topo_elements){at + offset, (MPI_Count)length, MPI_BYTE};
    return code;
}

/* Memory by block, where it is needed. */
static bool open_blocks(struct topo_pairs *pairs)
{
    const struct topo_alltoallv *call = pairs->call;
    const size_t blocks = (size_t)pairs->plan->ranks;
    const size_t packed = call->send.one.contiguous && call->receive.one.contiguous ? 0 : blocks * sizeof(char *),
                 covered = pairs->plan->parts > 0 ? blocks : 0;
    if (packed + covered == 0)
        return true;
    pairs->memory = topo_scratch_take(packed + covered);
    if (!pairs->memory)
        return false;
    memset(pairs->memory, 0, packed + covered);
    pairs->packed = packed > 0 ? pairs->memory : NULL;
    pairs->covered = covered > 0 ? (bool *)((char *)pairs->memory + packed) : NULL;
    for (int i = 0; i < pairs->plan->parts; i++)
        if (part_bytes(pairs, &pairs->plan->part[i]) > 0)
            pairs->covered[pairs->plan->part[i].block] = true;
    return true;
}

int topo_pairs_begin(const struct topo_alltoallv *call, const struct topo_plan *plan, size_t above,
                     struct topo_pairs *pairs)
{
    const int ranks = call->comm->ranks;
    *pairs = (struct topo_pairs){.call = call, .plan = plan, .above = above};
    if (above > 0 && topo_buffer_desc_longest(&call->send, ranks) <= above &&
        topo_buffer_desc_longest(&call->receive, ranks) <= above)
        return MPI_SUCCESS; /* there are none */
    if (!plan || !open_blocks(pairs))
        return MPI_ERR_NO_MEM;
    const struct topo_engine_pairs messages = {length, bytes, pairs,
                                               topo_buffer_desc_total(&call->send, ranks) +
                                                   topo_buffer_desc_total(&call->receive, ranks)};
    return topo_engine_begin(call->comm, plan, &messages, &pairs->run);
}

int topo_pairs_end(struct topo_pairs *pairs, int code)
{
    const struct topo_alltoallv *call = pairs->call;
    code = topo_first_error(code, topo_engine_end(pairs->run));
    for (int block = 0; pairs->packed && block < pairs->plan->ranks; block++) {
        if (pairs->packed[block] && block < call->comm->ranks && code == MPI_SUCCESS)
            code = topo_buffer_desc_unpack(&call->receive, block, pairs->packed[block], call->channel->comm);
        topo_scratch_give(pairs->packed[block]);
    }
    topo_scratch_give(pairs->memory);
    return code;
}

const struct topo_plan *topo_pairs_plan(const struct topo_alltoallv *call, topo_plan_function *form)
{
    return topo_comm_node(call->comm) ? topo_comm_plan(call->comm, form, &(const struct topo_plan_input){.root = -1})
                                      : NULL;
}

int topo_pairs_run(const struct topo_alltoallv *call, const struct topo_plan *plan)
{
    struct topo_pairs pairs;
    int code = topo_pairs_begin(call, plan, 0, &pairs);
    return topo_pairs_end(&pairs, topo_first_error(code, topo_pairs_copy_own(call)));
}

int topo_pairs_run_firsts(const struct topo_alltoallv *call, const struct topo_engine_pairs *messages)
{
    const struct topo_plan *plan = topo_pairs_plan(call, topo_plan_exchange_firsts);
    struct topo_engine_call *run = NULL;
    int code = plan ? topo_engine_begin(call->comm, plan, messages, &run) : MPI_ERR_NO_MEM;
    return topo_first_error(code, topo_engine_end(run));
}
