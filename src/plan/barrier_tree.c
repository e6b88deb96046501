/* A barrier along a tree of nodes, that of a broadcast from the first one (patterns/bcast_tree.h): a node hears from
 * the nodes below it, tells the node above, and on that one's word lets those below go. The word is a sum, so that it
 * tells of all.
 *
 * Cost: 2 ceil(log_r N) alpha + 2 (N - 1) o for N nodes in parts of at most r, o the processor's time for a message.
 * That is twice the steps of sum_leader.c and, from 5 nodes on, fewer messages than its N log2 N with r = 2: the better
 * one where processors are shared, or short of time. */
#include "base/memory.h"
#include "patterns/bcast_tree.h"
#include "plan/forms.h"

static enum topo_status add(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                            const int *node, int nodes)
{
    enum topo_status status = TOPO_OK;
    task.window = nodes;
    task.after = plan->tasks - 1;
    if (nodes > 0)
        status = topo_plan_add(plan, task);
    for (int i = 0; i < nodes && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){topo_plan_driver(in, node[i]), 0, 1});
    return status;
}

enum topo_status topo_plan_barrier_tree(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int node = topo_plan_node(in), above = topo_bcast_tree_from(in->divided, 0, node, NULL),
              has_above = above >= 0;
    TOPO_SCOPED int *below = topo_alloc((size_t)topo_bcast_tree_most(in->divided) + 1, sizeof *below);
    const int belows = below ? topo_bcast_tree_to(in->divided, 0, node, below) : 0;
    enum topo_status status = below ? TOPO_OK : TOPO_NOMEM;
    topo_plan_cut_sum(in, plan);
    plan->in_order = true;
    plan->shares = 1;
    if (status == TOPO_OK)
        status = add(in, plan, (struct topo_task){.kind = TOPO_TASK_RECEIVE, .joined = belows}, below, belows);
    if (status == TOPO_OK)
        status = add(in, plan, (struct topo_task){.kind = TOPO_TASK_SEND}, &above, has_above);
    if (status == TOPO_OK)
        status = add(in, plan, (struct topo_task){.kind = TOPO_TASK_RECEIVE}, &above, has_above);
    if (status == TOPO_OK)
        status = add(in, plan, (struct topo_task){.kind = TOPO_TASK_SEND}, below, belows);
    return status;
}
