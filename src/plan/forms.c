#include "plan/forms.h"

#include "plan/exchange.h"
#include "plan/gather.h"
#include "plan/rooted.h"
#include "plan/scan.h"
#include "plan/sum_ranks.h"

/* Of so many segments that a rank sends, the last one's send waits for its receiver: MPI would keep all of them
 * otherwise, in memory of the receiver. */
enum { WINDOW = 8 };

topo_plan_function *topo_plan_of(enum topo_algorithm_id id)
{
    static topo_plan_function *const plans[TOPO_ALGORITHM_COUNT] = {
        [TOPO_ALGORITHM_alltoall_direct] = topo_plan_exchange,
        [TOPO_ALGORITHM_alltoall_node_aware] = topo_plan_exchange_firsts,
        [TOPO_ALGORITHM_alltoallv_direct] = topo_plan_exchange,
        [TOPO_ALGORITHM_alltoallv_node_aware] = topo_plan_exchange_firsts,
        [TOPO_ALGORITHM_barrier_leader] = topo_plan_sum_leader,
        [TOPO_ALGORITHM_barrier_tree] = topo_plan_barrier_tree,
        [TOPO_ALGORITHM_reduce_leader] = topo_plan_sum_leader,
        [TOPO_ALGORITHM_reduce_halving] = topo_plan_sum_halving,
        [TOPO_ALGORITHM_reduce_trees] = topo_plan_reduce_trees,
        [TOPO_ALGORITHM_reduce_circulant] = topo_plan_reduce_circulant,
        [TOPO_ALGORITHM_reduce_chain] = topo_plan_reduce_chain,
        [TOPO_ALGORITHM_allreduce_lanes] = topo_plan_sum_lanes,
        [TOPO_ALGORITHM_reduce_scatter_lanes] = topo_plan_sum_lanes,
        [TOPO_ALGORITHM_reduce_scatter_block_lanes] = topo_plan_sum_lanes,
        [TOPO_ALGORITHM_allreduce_cyclic] = topo_plan_sum_grid,
        [TOPO_ALGORITHM_allreduce_mixed_grid] = topo_plan_sum_grid,
        [TOPO_ALGORITHM_allreduce_recursive_doubling] = topo_plan_sum_doubling,
        [TOPO_ALGORITHM_allreduce_recursive_doubling_renumbered] = topo_plan_sum_doubling,
        [TOPO_ALGORITHM_allreduce_recursive_halving] = topo_plan_sum_halves,
        [TOPO_ALGORITHM_allreduce_leader] = topo_plan_sum_leader,
        [TOPO_ALGORITHM_allreduce_halving] = topo_plan_sum_halving,
        [TOPO_ALGORITHM_reduce_scatter_leader] = topo_plan_sum_leader,
        [TOPO_ALGORITHM_reduce_scatter_halving] = topo_plan_sum_halving,
        [TOPO_ALGORITHM_reduce_scatter_block_leader] = topo_plan_sum_leader,
        [TOPO_ALGORITHM_reduce_scatter_block_halving] = topo_plan_sum_halving,
#define BCAST(name, ...) [TOPO_ALGORITHM_bcast_##name] = topo_plan_bcast_##name,
#include "catalog/algorithms.def"
        [TOPO_ALGORITHM_allgather_ring] = topo_plan_gather_ring,
        [TOPO_ALGORITHM_allgather_ring_by_rank] = topo_plan_gather_ring,
        [TOPO_ALGORITHM_allgather_recursive_doubling] = topo_plan_gather_doubling,
        [TOPO_ALGORITHM_allgather_recursive_doubling_exch] = topo_plan_gather_doubling_exch,
        [TOPO_ALGORITHM_allgather_recursive_doubling_reorder] = topo_plan_gather_doubling,
        [TOPO_ALGORITHM_allgather_bruck] = topo_plan_gather_bruck,
        [TOPO_ALGORITHM_allgather_bruck_exch] = topo_plan_gather_bruck_exch,
        [TOPO_ALGORITHM_allgather_bruck_reorder] = topo_plan_gather_bruck,
        [TOPO_ALGORITHM_allgather_leader] = topo_plan_gather_leader,
        [TOPO_ALGORITHM_allgather_radix] = topo_plan_gather_radix,
        [TOPO_ALGORITHM_allgather_lanes] = topo_plan_gather_lanes,
        [TOPO_ALGORITHM_allgatherv_lanes] = topo_plan_gather_lanes,
        [TOPO_ALGORITHM_allgatherv_leader] = topo_plan_gather_leader,
        [TOPO_ALGORITHM_allgatherv_radix] = topo_plan_gather_radix,
        [TOPO_ALGORITHM_gather_leader] = topo_plan_gather_up,
        [TOPO_ALGORITHM_gather_direct] = topo_plan_gather_direct,
        [TOPO_ALGORITHM_scatter_leader] = topo_plan_scatter_down,
        [TOPO_ALGORITHM_scatter_direct] = topo_plan_scatter_direct,
        [TOPO_ALGORITHM_gatherv_leader] = topo_plan_gather_up,
        [TOPO_ALGORITHM_gatherv_direct] = topo_plan_gather_direct,
        [TOPO_ALGORITHM_scatterv_leader] = topo_plan_scatter_down,
        [TOPO_ALGORITHM_scatterv_direct] = topo_plan_scatter_direct,
        [TOPO_ALGORITHM_scan_leader] = topo_plan_scan,
        [TOPO_ALGORITHM_exscan_leader] = topo_plan_exscan,
    };
    return plans[id];
}

/* Radix 2 has more steps than 4 and fewer messages, each of which takes a processor's time. A tree has few messages
 * whatever its radix. */
int topo_plan_radix_of(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_barrier_leader ? TOPO_BARRIER_RADIX
           : id == TOPO_ALGORITHM_barrier_tree ? TOPO_WIDE_RADIX
                                               : 0;
}

int topo_plan_radix(topo_plan_function *form, const struct topo_levels *levels)
{
    return form == topo_plan_gather_radix ? levels->ranks_least + 1 : TOPO_RADIX;
}

bool topo_plan_is_in_tree_order(enum topo_algorithm_id id)
{
    return id == TOPO_ALGORITHM_allgather_ring || id == TOPO_ALGORITHM_allreduce_cyclic ||
           id == TOPO_ALGORITHM_allreduce_mixed_grid || id == TOPO_ALGORITHM_allreduce_recursive_halving;
}

bool topo_plan_is_halving(topo_plan_function *form)
{
    return form == topo_plan_bcast_halving || form == topo_plan_sum_halving;
}

void topo_plan_cut(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_pipeline cut)
{
    plan->cut = cut;
    plan->has_all = in->stripes == 0 && in->rank == in->root;
    plan->sums = in->stripes > 0;
}

void topo_plan_cut_sum(const struct topo_plan_input *in, struct topo_plan *plan)
{
    plan->sums = true;
    plan->everywhere = in->root < 0;
    plan->element = in->element;
    plan->cut.bytes = in->element > 0 ? in->bytes / in->element : 0;
}

enum topo_status topo_plan_receive_all(const struct topo_plan_input *in, struct topo_plan *plan, int node)
{
    const struct topo_task task = {
        .kind = TOPO_TASK_RECEIVE, .stride = 1, .window = plan->cut.ahead, .after = TOPO_PLAN_NO_TASK};
    return topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_driver(in, node), 0, 1});
}

enum topo_status topo_plan_send_all(const struct topo_plan_input *in, struct topo_plan *plan, int node)
{
    const struct topo_task task = {.kind = TOPO_TASK_SEND,
                                   .stride = 1,
                                   .window = WINDOW,
                                   .awaited = WINDOW,
                                   .needs = TOPO_PLAN_ALL,
                                   .after = TOPO_PLAN_NO_TASK};
    return topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_driver(in, node), 0, 1});
}

/* A task with these turns, all with the same peer. */
static enum topo_status add(struct topo_plan *plan, struct topo_task task, const struct topo_turn *turn, int turns,
                            int peer)
{
    enum topo_status status = topo_plan_add(plan, task);
    for (int i = 0; i < turns && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){peer, turn[i].block, turn[i].blocks});
    return status;
}

enum topo_status topo_plan_give_turns(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                      const struct topo_turn *turn, int turns)
{
    int node = topo_plan_node(in), driver = topo_plan_driver(in, node);
    int first = in->levels->start[node], end = in->levels->start[node + 1];
    enum topo_status status = TOPO_OK;
    task.window = in->shares ? 1 : WINDOW;
    task.awaited = WINDOW;
    task.after = TOPO_PLAN_NO_TASK;
    if (end - first == 1)
        return status;
    if (in->rank != driver)
        task.kind = in->shares ? TOPO_TASK_TAKE : TOPO_TASK_RECEIVE;
    else
        task.kind = in->shares ? TOPO_TASK_GIVE : TOPO_TASK_SEND;
    task.needs = in->rank == driver ? TOPO_PLAN_ALL : 0;
    if (in->shares || in->rank != driver)
        return add(plan, task, turn, turns, driver);
    for (int at = first; at < end && status == TOPO_OK; at++)
        if (topo_tree_rank(in->tree, at) != driver)
            status = add(plan, task, turn, turns, topo_tree_rank(in->tree, at));
    return status;
}

enum topo_status topo_plan_give_node(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const struct topo_turn all = {.blocks = plan->shares > 0 ? plan->shares : 1};
    return topo_plan_give_turns(in, plan, (struct topo_task){.stride = plan->shares > 0 ? 0 : 1}, &all, 1);
}

/* Where the vector is one block, tasks run in steps: what sends or gives comes after what is received. */
static void put_in_steps(struct topo_plan *plan)
{
    int received = TOPO_PLAN_NO_TASK;
    if (topo_plan_blocks(plan) > 1)
        return;
    plan->in_order = true;
    for (int i = 0; i < plan->tasks; i++) {
        struct topo_task *task = &plan->task[i];
        const bool receives = task->kind == TOPO_TASK_RECEIVE;
        task->stride = task->needs = task->lag = 0;
        task->window = task->turns;
        task->after = receives ? TOPO_PLAN_NO_TASK : received;
        received = receives ? i : received;
    }
}

enum topo_status topo_plan_pass_on(const struct topo_plan_input *in, struct topo_plan *plan)
{
    plan->lands =
        in->shares && !plan->has_all && topo_plan_drives(in) && topo_node_ranks(in->levels, topo_plan_node(in)) > 1;
    /* What is received next waits until what came is given: messages that begin together end together. */
    for (int i = 0; i < plan->tasks && plan->lands; i++)
        if (plan->task[i].kind == TOPO_TASK_RECEIVE) {
            plan->task[i].after = plan->tasks;
            plan->task[i].lag = plan->task[i].window - 1;
        }
    enum topo_status status = topo_plan_give_node(in, plan);
    if (status == TOPO_OK)
        put_in_steps(plan);
    return status;
}
