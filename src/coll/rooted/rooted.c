/* Gathers and scatters as their plans say (plan/rooted.h). By a tree blocks travel together, packed, and lie in memory
 * beside the root's buffer unless that has them in their order; direct ones come straight to their places, as elements
 * of the types that these have. */
#include "coll/rooted/rooted.h"

#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "plan/rooted.h"

struct run {
    const struct topo_rooted *call;
    const struct topo_plan *plan;
    char *blocks; /* by a tree, one after the other in the plan's order */
};

struct topo_data topo_rooted_block(const struct topo_rooted *call, int rank)
{
    return topo_data_of_rank(&call->all, call->varies ? call->counts : (struct topo_counts){.at = NULL}, call->places,
                             rank);
}

/* From a packed block to where it belongs, or the other way round; what lies there already is left alone. */
static int move(const struct topo_rooted *call, const struct topo_data *block, char *packed, bool pack)
{
    MPI_Comm channel = call->comm->channel.comm;
    if (block->contiguous && block->base == packed)
        return MPI_SUCCESS;
    return pack ? topo_data_pack(block, 0, packed, channel) : topo_data_unpack(block, 0, packed, channel);
}

static struct topo_elements together(const void *of, int64_t first, int count)
{
    const struct run *run = of;
    const size_t m = run->call->m;
    return (struct topo_elements){run->blocks + (size_t)first * m, (MPI_Count)((size_t)count * m), MPI_BYTE};
}

/* Whether the root's buffer has all blocks in the order of its plan. */
static bool is_in_order(const struct topo_rooted *call, const struct topo_plan *plan)
{
    return call->comm->rank == call->root && call->all.contiguous && call->comm->node->in_order && plan->orders == 1;
}

/* Of the root: all blocks but its own one that is in place, to `blocks` or from there. */
static int move_all(const struct run *run, bool pack)
{
    const struct topo_rooted *call = run->call;
    char *at = run->blocks;
    int code = MPI_SUCCESS;
    for (int i = 0; i < run->plan->orders; i++) {
        const struct topo_span *span = &run->plan->order[i];
        for (int place = span->first; place < span->first + span->count && code == MPI_SUCCESS; place++) {
            const int rank = topo_tree_rank(call->comm->tree, place);
            const struct topo_data block = topo_rooted_block(call, rank);
            if (!call->in_place || rank != call->root)
                code = move(call, &block, at, pack);
            at += call->m;
        }
    }
    return code;
}

/* What this rank puts in at first, and what it takes out in the end. */
static int put_in(const struct run *run)
{
    const struct topo_rooted *call = run->call;
    if (call->gathers)
        return move(call, &call->own, together(run, run->plan->own, 1).at, true);
    return call->comm->rank == call->root ? move_all(run, true) : MPI_SUCCESS;
}

static int take_out(const struct run *run)
{
    const struct topo_rooted *call = run->call;
    const bool is_root = call->comm->rank == call->root;
    if (call->gathers)
        return is_root ? move_all(run, false) : MPI_SUCCESS;
    return is_root && call->in_place ? MPI_SUCCESS : move(call, &call->own, together(run, run->plan->own, 1).at, false);
}

static int run_together(const struct topo_rooted *call, const struct topo_plan *plan)
{
    struct run run = {.call = call, .plan = plan};
    const struct topo_engine_vector vector = {.place = together, .of = &run};
    char *taken = NULL;
    if (is_in_order(call, plan))
        run.blocks = call->all.base;
    else if (plan->ranks == 1 && call->own.contiguous)
        run.blocks = call->own.base;
    else if (!(run.blocks = taken = topo_scratch_take((size_t)plan->ranks * call->m)))
        return MPI_ERR_NO_MEM;
    int code = put_in(&run);
    code = topo_first_error(code, topo_engine_run(call->comm, plan, &vector, NULL));
    if (code == MPI_SUCCESS)
        code = take_out(&run);
    topo_scratch_give(taken);
    return code;
}

static struct topo_elements by_itself(const void *of, int64_t block, int count)
{
    const struct topo_rooted *call = of;
    const bool is_root = call->comm->rank == call->root;
    const struct topo_data data = is_root ? topo_rooted_block(call, (int)block) : call->own;
    const bool joins = call->lengths && call->lengths[is_root ? block : 0] <= TOPO_ROOTED_SHORT;
    (void)count;
    return (struct topo_elements){data.base, joins || data.bytes == 0 ? 0 : data.count, data.type};
}

int topo_rooted_direct(const struct topo_rooted *call, const struct topo_plan *plan)
{
    const struct topo_engine_vector vector = {.place = by_itself, .of = call};
    return topo_engine_run(call->comm, plan, &vector, NULL);
}

int topo_rooted_copy_own(const struct topo_rooted *call)
{
    if (call->comm->rank != call->root || call->in_place)
        return MPI_SUCCESS;
    const struct topo_data place = topo_rooted_block(call, call->root);
    const struct topo_data *from = call->gathers ? &call->own : &place, *to = call->gathers ? &place : &call->own;
    return topo_sendrecv_typed((struct topo_elements){from->base, from->count, from->type}, call->root,
                               (struct topo_elements){to->base, to->count, to->type}, call->root, TOPO_TAG_PAIR,
                               &call->comm->channel);
}

static const struct topo_plan *plan_of(const struct topo_rooted *call, topo_plan_function *form)
{
    const size_t each = call->m < TOPO_ROOTED_AWAITED ? 1 : TOPO_ROOTED_AWAITED; /* all that plans know of bytes */
    const struct topo_plan_input in = {.root = call->root, .bytes = each * (size_t)call->comm->ranks};
    return topo_comm_plan(call->comm, form, &in);
}

int topo_rooted_run(const struct topo_rooted *call, enum topo_algorithm_id id)
{
    topo_plan_function *form = topo_plan_of(id);
    const bool is_direct = form == topo_plan_gather_direct || form == topo_plan_scatter_direct;
    const struct topo_plan *plan, *direct = NULL;
    if (!topo_comm_node(call->comm) || !(plan = plan_of(call, form)))
        return MPI_ERR_NO_MEM;
    if (call->varies && !is_direct &&
        !(direct = plan_of(call, call->gathers ? topo_plan_gather_direct : topo_plan_scatter_direct)))
        return MPI_ERR_NO_MEM;
    if (!is_direct)
        return call->varies ? topo_rooted_varying(call, plan, direct) : run_together(call, plan);
    return topo_first_error(topo_rooted_direct(call, plan), topo_rooted_copy_own(call));
}
