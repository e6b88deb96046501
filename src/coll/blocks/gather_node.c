/* Allgathers between nodes in few steps (plan/gather_node.c): the blocks lie in a buffer that the node shares
 * (node/shm_buffer.h) or, without, in memory of each rank, in the order of the plan, and are copied out in the end,
 * each span of them to its place. */
#include "base/copy.h"
#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "coll/blocks/gather.h"
#include "job/job.h"
#include "node/shm_buffer.h"
#include "plan/gather.h"
#include "select/by_model.h"

struct run {
    const struct topo_allgather *call;
    const struct topo_plan *plan;
    char *blocks;
};

/* Bytes of blocks by their positions. */
static size_t span_bytes(const struct topo_allgather *call, int first, int count)
{
    return topo_allgather_before(call, first + count) - topo_allgather_before(call, first);
}

/* Bytes of what lies before a place. */
static size_t bytes_before(const struct run *run, int64_t place)
{
    size_t bytes = 0;
    if (!run->call->starts) /* blocks of one length */
        return (size_t)place * run->call->m;
    for (const struct topo_span *span = run->plan->order; place > 0; place -= span++->count)
        bytes += span_bytes(run->call, span->first, place < span->count ? (int)place : span->count);
    return bytes;
}

static struct topo_elements place(const void *of, int64_t first, int count)
{
    const struct run *run = of;
    size_t at = bytes_before(run, first);
    return (struct topo_elements){run->blocks + at, (MPI_Count)(bytes_before(run, first + count) - at), MPI_BYTE};
}

/* Copies blocks that lie one after the other to their places. */
static int copy_span(const struct topo_allgather *call, const struct topo_span *span, const char *from, bool stream)
{
    int code = MPI_SUCCESS;
    if (call->comm->node->in_order && call->whole) {
        topo_copy(call->whole + topo_allgather_before(call, span->first), from,
                  span_bytes(call, span->first, span->count), stream);
        return code;
    }
    for (int at = span->first; at < span->first + span->count && code == MPI_SUCCESS; at++) {
        code = topo_allgather_place(call, topo_tree_rank(call->comm->tree, at), from);
        from += span_bytes(call, at, 1);
    }
    return code;
}

static int copy_out(const struct run *run)
{
    const struct topo_allgather *call = run->call;
    const bool stream = topo_allgather_before(call, call->comm->ranks) >= TOPO_COPY_STREAM;
    const char *from = run->blocks;
    int code = MPI_SUCCESS;
    for (int i = 0; i < run->plan->orders && code == MPI_SUCCESS; i++) {
        const struct topo_span *span = &run->plan->order[i];
        code = copy_span(call, span, from, stream);
        from += span_bytes(call, span->first, span->count);
    }
    return code;
}

/* With the blocks in `buffer` or, NULL, elsewhere. */
static int run_plan(const struct topo_allgather *call, const struct topo_plan *plan, char *blocks,
                    struct topo_shm_buffer *buffer)
{
    const struct run run = {call, plan, blocks};
    const struct topo_engine_vector vector = {.place = place, .of = &run, .shared = buffer};
    topo_copy(place(&run, plan->own, 1).at, call->own, span_bytes(call, call->comm->position, 1), false);
    int code = topo_engine_run(call->comm, plan, &vector, NULL);
    return topo_first_error(code, copy_out(&run));
}

static bool is_by_node(enum topo_algorithm_id id)
{
    topo_plan_function *form = topo_plan_of(id);
    return form == topo_plan_gather_leader || form == topo_plan_gather_radix;
}

/* Whether `auto` takes such a form for blocks of these lengths; equal on all ranks. Returns MPI_ERR_NO_MEM where that
 * cannot be found out. */
static int is_usual(const struct topo_allgather *call, bool *usual)
{
    const struct topo_comm *comm = call->comm;
    enum topo_operation operation = call->starts ? TOPO_OPERATION_allgatherv : TOPO_OPERATION_allgather;
    size_t ranks = (size_t)comm->ranks, mean = (topo_allgather_before(call, comm->ranks) + ranks - 1) / ranks;
    const struct topo_algorithm *takes = topo_select_on(&topo_job.tuning, operation, comm->tree, &comm->layout, mean);
    *usual = takes && is_by_node(takes->id);
    return takes ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int by_messages(const struct topo_allgather *call, enum topo_algorithm_id id)
{
    const struct topo_plan_input in = {.bytes = (size_t)call->comm->ranks};
    const struct topo_plan *plan = topo_comm_plan(call->comm, topo_plan_of(id), &in);
    char *blocks = plan ? topo_scratch_take(topo_allgather_before(call, call->comm->ranks)) : NULL;
    int code = blocks ? run_plan(call, plan, blocks, NULL) : MPI_ERR_NO_MEM;
    topo_scratch_give(blocks);
    return code;
}

int topo_gather_by_node(const struct topo_allgather *call, enum topo_algorithm_id id)
{
    struct topo_comm *comm = call->comm;
    const struct topo_plan_input in = {.bytes = (size_t)comm->ranks, .shares = true};
    struct topo_shm_buffer buffer;
    bool usual;
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    if (comm->layout.node_ranks_max == 1) /* nothing to share */
        return by_messages(call, id);
    const struct topo_plan *plan = topo_comm_plan(comm, topo_plan_of(id), &in);
    if (!plan)
        return MPI_ERR_NO_MEM;
    if (topo_shm_buffer_open(&buffer, comm->node, topo_allgather_before(call, comm->ranks),
                             comm->ranks - comm->node->ranks))
        return run_plan(call, plan, buffer.base, &buffer);
    /* Found by all ranks alike: `auto` takes other forms from now on. What others ask for may be too much while the
     * memory that it needs is there. */
    int code = is_usual(call, &usual);
    if (code != MPI_SUCCESS)
        return code;
    comm->layout.has_shm &= !usual;
    return by_messages(call, id);
}
