/* MPI_Gather, MPI_Scatter and those of blocks of any lengths. What only the root's arguments say no other rank knows,
 * so it is decided by the blocks that every rank has, and where these differ by what all ranks know without them. */
#include "coll/call/operations.h"

#include <limits.h>
#include <string.h>

#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "coll/call/call.h"
#include "coll/rooted/rooted.h"

/* The count and type of the block that this rank sends or gets; on the root in place those of all blocks. */
struct block {
    void *base;
    MPI_Count count;
    MPI_Datatype type;
};

static bool examine(struct topo_call *call, struct block own, struct block all, int root)
{
    const bool in_place = own.base == MPI_IN_PLACE;
    call->root = root;
    call->is_roots = in_place;
    call->handles = (struct topo_call_handles){in_place ? all.type : own.type, MPI_OP_NULL};
    return in_place ? topo_data_is_known(all.count, all.type) : topo_data_is_known(own.count, own.type);
}

/* Bytes in the place of a buffer. Returns an MPI error code. */
static int stand_in(size_t blocks, size_t m, struct topo_data *data, void **memory)
{
    *memory = topo_scratch_take(blocks * m);
    if (!*memory)
        return MPI_ERR_NO_MEM;
    memset(*memory, 0, blocks * m);
    *data = (struct topo_data){*memory, (MPI_Count)m, MPI_BYTE, 1, m, true, true};
    return MPI_SUCCESS;
}

/* What the native call has an error for may be a mistake of this rank alone: it takes part with memory of its own, so
 * that the others get on, and the native call reports it then. */
static int run_beside(struct topo_rooted *call, enum topo_algorithm_id id)
{
    void *own = NULL, *all = NULL;
    const bool is_root = call->comm->rank == call->root;
    call->in_place = false;
    int code = stand_in(1, call->m, &call->own, &own);
    if (code == MPI_SUCCESS && is_root)
        code = stand_in((size_t)call->comm->ranks, call->m, &call->all, &all);
    if (code == MPI_SUCCESS)
        code = topo_rooted_run(call, id);
    topo_scratch_give(own);
    topo_scratch_give(all);
    return code;
}

/* False where the native call has an error for the root's buffer, count or type. */
static bool describe_all(const struct block *all, MPI_Comm channel, struct topo_data *data)
{
    return all->base != MPI_IN_PLACE && topo_data_is_known(all->count, all->type) &&
           topo_data_describe(all->base, all->count, all->type, data) == MPI_SUCCESS &&
           topo_data_committed(data->named, all->type, channel);
}

static int run(struct topo_call *call, struct block own, struct block all, int root, bool gathers)
{
    struct topo_rooted rooted = {.comm = call->state, .root = root, .gathers = gathers};
    const bool is_root = call->state->rank == root;
    MPI_Comm channel;
    rooted.in_place = own.base == MPI_IN_PLACE;
    if (rooted.in_place)
        own = all;
    int code = topo_data_bytes(own.count, own.type, &rooted.m);
    if (code != MPI_SUCCESS)
        return code;
    call->bytes = rooted.m;
    /* Equal on all ranks: m is, counts and types need not be. MPI_Pack knows int lengths only. */
    if (rooted.m == 0 || rooted.m > INT_MAX)
        return code;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = rooted.m}, &code);
    if (!algorithm)
        return code;
    channel = call->state->channel.comm;
    code = topo_data_describe(own.base, own.count, own.type, &rooted.own);
    bool right = code == MPI_SUCCESS && topo_data_committed(rooted.own.named, own.type, channel);
    if (is_root)
        right &= describe_all(&all, channel, &rooted.all);
    if (!right)
        return run_beside(&rooted, algorithm->id);
    if (rooted.in_place)
        rooted.own.base = topo_data_block(&rooted.all, (size_t)root);
    call->ran = algorithm;
    if (is_root && rooted.all.bytes != rooted.m) /* so the native call would wait for the others */
        return topo_first_error(run_beside(&rooted, algorithm->id), MPI_ERR_TRUNCATE);
    return topo_rooted_run(&rooted, algorithm->id);
}

bool topo_gather_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                         void *receive, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return examine(call, (struct block){(void *)send, send_count, send_type},
                   (struct block){receive, receive_count, receive_type}, root);
}

int topo_gather_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                    void *receive, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return run(call, (struct block){(void *)send, send_count, send_type},
               (struct block){receive, receive_count, receive_type}, root, true);
}

bool topo_scatter_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                          void *receive, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return examine(call, (struct block){receive, receive_count, receive_type},
                   (struct block){(void *)send, send_count, send_type}, root);
}

int topo_scatter_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                     void *receive, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return run(call, (struct block){receive, receive_count, receive_type},
               (struct block){(void *)send, send_count, send_type}, root, false);
}

/* The root's buffer, and where blocks lie there. */
struct blocks {
    void *base;
    struct topo_counts counts, places;
    MPI_Datatype type;
};

static bool examine_any(struct topo_call *call, struct block own, struct blocks all, int root)
{
    const bool in_place = own.base == MPI_IN_PLACE;
    call->root = root;
    call->is_roots = in_place;
    call->handles = (struct topo_call_handles){in_place ? all.type : own.type, MPI_OP_NULL};
    return topo_data_is_known(in_place ? 0 : own.count, call->handles.type);
}

/* False where the native call has an error for what the root says: it comes back before it waits for anybody. */
static bool describe_any(const struct topo_comm *comm, struct blocks all, struct topo_rooted *call)
{
    call->counts = all.counts;
    call->places = all.places;
    return all.base != MPI_IN_PLACE && all.type != MPI_DATATYPE_NULL && all.places.at &&
           topo_counts_are_valid(all.counts, comm->ranks) &&
           topo_data_describe(all.base, 1, all.type, &call->all) == MPI_SUCCESS &&
           topo_data_committed(call->all.named, all.type, comm->channel.comm);
}

/* A rank whose own type is wrong sends, or gets, as many bytes in memory of its own, and the native call says so then.
 */
static int run_beside_any(struct topo_rooted *call, enum topo_algorithm_id id, struct block own)
{
    void *memory = NULL;
    size_t bytes;
    int code = topo_data_bytes(own.count, own.type, &bytes);
    if (code == MPI_SUCCESS)
        code = stand_in(1, bytes, &call->own, &memory);
    if (code == MPI_SUCCESS)
        code = topo_rooted_run(call, id);
    topo_scratch_give(memory);
    return code;
}

static int run_any(struct topo_call *call, struct block own, struct blocks all, int root, bool gathers)
{
    struct topo_comm *comm = call->state;
    struct topo_rooted rooted = {.comm = comm, .root = root, .gathers = gathers, .varies = true};
    int code = MPI_SUCCESS;
    rooted.in_place = own.base == MPI_IN_PLACE;
    call->bytes = TOPO_ROOTED_ANY_BYTES;
    const struct topo_algorithm *algorithm =
        topo_call_choose(call, &(struct topo_facts){.bytes = TOPO_ROOTED_ANY_BYTES}, &code);
    if (!algorithm || (comm->rank == root && !describe_any(comm, all, &rooted)))
        return code;
    if (!rooted.in_place && ((code = topo_data_describe(own.base, own.count, own.type, &rooted.own)) != MPI_SUCCESS ||
                             !topo_data_committed(rooted.own.named, own.type, comm->channel.comm)))
        return run_beside_any(&rooted, algorithm->id, own);
    call->ran = algorithm;
    return topo_rooted_run(&rooted, algorithm->id);
}

bool topo_gatherv_examine(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                          void *receive, struct topo_counts counts, struct topo_counts places,
                          MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return examine_any(call, (struct block){(void *)send, send_count, send_type},
                       (struct blocks){receive, counts, places, receive_type}, root);
}

int topo_gatherv_run(struct topo_call *call, const void *send, MPI_Count send_count, MPI_Datatype send_type,
                     void *receive, struct topo_counts counts, struct topo_counts places, MPI_Datatype receive_type,
                     int root, MPI_Comm comm)
{
    (void)comm;
    return run_any(call, (struct block){(void *)send, send_count, send_type},
                   (struct blocks){receive, counts, places, receive_type}, root, true);
}

bool topo_scatterv_examine(struct topo_call *call, const void *send, struct topo_counts counts,
                           struct topo_counts places, MPI_Datatype send_type, void *receive, MPI_Count receive_count,
                           MPI_Datatype receive_type, int root, MPI_Comm comm)
{
    (void)comm;
    return examine_any(call, (struct block){receive, receive_count, receive_type},
                       (struct blocks){(void *)send, counts, places, send_type}, root);
}

int topo_scatterv_run(struct topo_call *call, const void *send, struct topo_counts counts, struct topo_counts places,
                      MPI_Datatype send_type, void *receive, MPI_Count receive_count, MPI_Datatype receive_type,
                      int root, MPI_Comm comm)
{
    (void)comm;
    return run_any(call, (struct block){receive, receive_count, receive_type},
                   (struct blocks){(void *)send, counts, places, send_type}, root, false);
}
