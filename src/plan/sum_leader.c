/* Sums exchanged whole between nodes, level by level (patterns/node_steps.h), for all of them or for the root's node.
 * They are added in the order of the units of every level, whichever node adds: the same bits for all ranks and all
 * roots, which depend on nothing but the layout.
 *
 * A long vector goes in parts, so that a node adds up its ranks' operands and each level's sums of one while others are
 * on their way. All is received from the start: where a message waits for its receiver nobody waits for a step.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level, ceil(log_r k) (alpha + (r-1) (o + m beta + m
 * gamma)), o the processor's time for a message. */
#include "patterns/node_steps.h"
#include "plan/forms.h"

/* Messages of a step, one of each part, in the parts' order. */
static enum topo_status add_messages(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                     const struct topo_node_message *message, int messages)
{
    enum topo_status status = TOPO_OK;
    if (messages == 0)
        return status;
    task.stride = in->parts > 1;
    task.window = messages * in->parts;
    status = topo_plan_add(plan, task);
    for (int i = 0; i < messages && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){topo_plan_driver(in, message[i].node), 0, 1});
    return status;
}

enum topo_status topo_plan_sum_leader(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int node = topo_plan_node(in);
    struct topo_node_steps *steps = NULL;
    int done = 0; /* positions on each part before a step's */
    enum topo_status status = in->root < 0
                                  ? topo_node_steps_reduce(in->divided, node, &steps)
                                  : topo_node_steps_collect(in->divided, topo_plan_root_node(in), node, &steps);
    topo_plan_cut_sum(in, plan);
    plan->in_order = in->parts == 1;
    plan->adds_ahead = true;
    plan->shares = in->parts;
    for (int s = 0; status == TOPO_OK && s < steps->count; s++) {
        const struct topo_node_step *step = &steps->step[s];
        const int after = plan->in_order ? plan->tasks - 1 : TOPO_PLAN_NO_TASK;
        struct topo_task task = {.kind = TOPO_TASK_SEND, .needs = plan->in_order ? 0 : done, .after = after};
        status = add_messages(in, plan, task, &steps->message[step->send], step->sends);
        done += step->sends;
        task = (struct topo_task){.kind = TOPO_TASK_RECEIVE,
                                  .needs = plan->in_order ? 0 : done,
                                  .joined = step->receives,
                                  .own = step->mine,
                                  .after = TOPO_PLAN_NO_TASK};
        if (status == TOPO_OK)
            status = add_messages(in, plan, task, &steps->message[step->receive], step->receives);
        done += step->receives;
    }
    topo_node_steps_free(steps);
    return status;
}
