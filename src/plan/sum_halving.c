/* Sums by reduce-scatter and allgather between the nodes (patterns/halving.h): few messages, each as long as can be.
 * For one node a gather follows instead: the scatter of a broadcast from there, backwards. The order of additions is
 * that of sum_leader.c, so the bits are the same. A set of blocks with gaps is a message for each run.
 *
 * Cost: with N nodes and levels of at most r parts 2 ceil(log_r N) (alpha + (r - 1) o) + 2m(1 - 1/N) beta, o the
 * processor's time for a message. */
#include "plan/forms.h"

enum { SCATTER, GATHER }; /* tags: two nodes have a message in both, of one level */

/* Each run of a set of blocks with each of these nodes, those of a run in their order. */
static enum topo_status add_set(const struct topo_plan_input *in, struct topo_plan *plan,
                                const struct topo_block_set *set, const int *node, int nodes)
{
    const struct topo_block_span *span = in->halving->span + set->first;
    enum topo_status status = TOPO_OK;
    for (int i = 0; i < set->count * nodes && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){topo_plan_driver(in, node[i % nodes]),
                                                             span[i / nodes].first, span[i / nodes].count});
    struct topo_task *task = &plan->task[plan->tasks - 1];
    task->window = task->turns;
    return status;
}

/* The messages of a step in one task: what other nodes are on the way to, or, back, what comes from there. */
static enum topo_status add_step(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                 const struct topo_halving_step *step)
{
    const struct topo_halving_message *message = &in->halving->message[step->message];
    enum topo_status status = step->messages > 0 ? topo_plan_add(plan, task) : TOPO_OK;
    for (int i = 0; i < step->messages && status == TOPO_OK; i++)
        status = add_set(in, plan, &message[i].set, &message[i].node, 1);
    return status;
}

/* Those with all children, or with one of them. */
static enum topo_status add_kept(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                 const struct topo_halving_step *step, const int *child, int children)
{
    if (children == 0 || step->kept.count == 0)
        return TOPO_OK;
    enum topo_status status = topo_plan_add(plan, task);
    return status == TOPO_OK ? add_set(in, plan, &step->kept, child, children) : status;
}

/* What other nodes are on the way to is sent to them; what is kept is added up, the units in their order. */
static enum topo_status scatter(const struct topo_plan_input *in, struct topo_plan *plan,
                                const struct topo_halving_step *step)
{
    struct topo_task task = {.kind = TOPO_TASK_SEND, .tag = SCATTER, .after = plan->tasks - 1};
    enum topo_status status = add_step(in, plan, task, step);
    task.kind = TOPO_TASK_RECEIVE;
    task.joined = step->units - 1;
    task.own = step->mine;
    return status == TOPO_OK ? add_kept(in, plan, task, step, &in->halving->child[step->child], step->units - 1)
                             : status;
}

/* The same messages the other way, with sums; for one node those that the scatter of a broadcast from there has. */
static enum topo_status gather(const struct topo_plan_input *in, struct topo_plan *plan,
                               const struct topo_halving_step *step)
{
    const struct topo_halving *halving = in->halving;
    const int node = topo_plan_node(in), *child = &halving->child[step->child];
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE, .tag = GATHER, .after = plan->tasks - 1};
    enum topo_status status = TOPO_OK;
    int to = 0;
    if (in->root < 0 || topo_halving_has_all(in->divided, step, topo_plan_root_node(in), node))
        status = add_step(in, plan, task, step);
    task.kind = TOPO_TASK_SEND;
    if (status != TOPO_OK || in->root < 0)
        return status == TOPO_OK ? add_kept(in, plan, task, step, child, step->units - 1) : status;
    to = topo_halving_source(halving, step, in->divided, topo_plan_root_node(in), node);
    return to < 0 ? TOPO_OK : add_kept(in, plan, task, step, &to, 1);
}

enum topo_status topo_plan_sum_halving(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const struct topo_halving *halving = in->halving;
    enum topo_status status = TOPO_OK;
    topo_plan_cut_sum(in, plan);
    plan->in_order = true;
    plan->shares = halving->nodes;
    for (int s = 0; s < halving->count && status == TOPO_OK; s++)
        status = scatter(in, plan, &halving->step[s]);
    for (int s = halving->count; s-- > 0 && status == TOPO_OK;)
        status = gather(in, plan, &halving->step[s]);
    return status;
}
