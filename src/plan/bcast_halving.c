/* Broadcast of medium length between many nodes (docs/REFERENCES.md, Node exchanges 5): the root scatters the vector in
 * blocks, one for each node, then all gather them, with the messages of a reduce-scatter and an allgather by halving
 * (patterns/halving.h): few steps, in which each node sends and receives about the vector once each.
 *
 * The scatter goes as the reduce-scatter, innermost level first, along the root's own operands alone: at each level the
 * nodes of the root's unit have what is scattered, and send it to the other units of their group. Whoever got blocks
 * for others sends them on at the levels outside. Then the allgather; who has all of a level's blocks from the scatter
 * gets none again. So nobody sends the root anything: it waits for no rank.
 *
 * Example: 4 nodes, radix 2, root 0; the blocks lie 0 2 1 3. Scatter: 0 sends 1 the blocks 1 3, then 2 the block 2, and
 * 1 sends 3 the block 3. Allgather, outermost level first: 0 sends 2 the block 0 and 1 sends 3 the block 1, but 2 and 3
 * send them nothing, as 0 had 2 and 1 had 3; then 0 sends 1 the blocks 0 2, and 2 and 3 exchange 0 2 and 1 3.
 *
 * Cost: with N nodes and levels of at most r parts 2 ceil(log_r N) (alpha + (r - 1) o) + 2m beta, o the processor's
 * time for a message, plus two copies inside the node. */
#include "plan/forms.h"

enum { SCATTER, GATHER }; /* tags: two nodes may have a message in both */

/* A set of blocks to or from a node: a message for each run of blocks that lie one after the other. It waits for the
 * end of task `after`. */
static enum topo_status add_set(const struct topo_plan_input *in, struct topo_plan *plan, enum topo_task_kind kind,
                                int tag, int node, const struct topo_block_set *set, int after)
{
    const struct topo_block_span *span = in->halving->span + set->first;
    const struct topo_task task = {.kind = kind,
                                   .tag = tag,
                                   .window = set->count,
                                   .needs = kind == TOPO_TASK_SEND ? TOPO_PLAN_ALL : 0,
                                   .after = after,
                                   .lag = TOPO_PLAN_WHOLE};
    enum topo_status status = set->count > 0 ? topo_plan_add(plan, task) : TOPO_OK;
    for (int i = 0; i < set->count && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){topo_plan_driver(in, node), span[i].first, span[i].count});
    return status;
}

/* The last task so far that sends. A node sends what a step has when its messages before are over: those that begin
 * together arrive together, and others wait for the first. */
static int last_send(const struct topo_plan *plan)
{
    int task = plan->tasks - 1;
    while (task >= 0 && plan->task[task].kind != TOPO_TASK_SEND)
        task--;
    return task >= 0 ? task : TOPO_PLAN_NO_TASK;
}

static enum topo_status add_scatter(const struct topo_plan_input *in, struct topo_plan *plan, int node, int root)
{
    const struct topo_halving *halving = in->halving;
    enum topo_status status = TOPO_OK;
    for (int s = 0; s < halving->count && status == TOPO_OK; s++) {
        const struct topo_halving_step *step = &halving->step[s];
        const int source = topo_halving_source(halving, step, in->divided, root, node), before = last_send(plan);
        if (source >= 0)
            status = add_set(in, plan, TOPO_TASK_RECEIVE, SCATTER, source, &step->kept, TOPO_PLAN_NO_TASK);
        for (int i = 0; i < step->messages && status == TOPO_OK; i++) {
            const struct topo_halving_message *message = &halving->message[step->message + i];
            if (topo_halving_has_all(in->divided, step, root, node))
                status = add_set(in, plan, TOPO_TASK_SEND, SCATTER, message->node, &message->set, before);
        }
    }
    return status;
}

static enum topo_status add_gather(const struct topo_plan_input *in, struct topo_plan *plan, int node, int root)
{
    const struct topo_halving *halving = in->halving;
    enum topo_status status = TOPO_OK;
    for (int s = halving->count; s-- > 0;) {
        const struct topo_halving_step *step = &halving->step[s];
        bool has_all = topo_halving_has_all(in->divided, step, root, node);
        const int before = last_send(plan);
        for (int i = 0; i < step->messages && !has_all && status == TOPO_OK; i++) {
            const struct topo_halving_message *message = &halving->message[step->message + i];
            status = add_set(in, plan, TOPO_TASK_RECEIVE, GATHER, message->node, &message->set, TOPO_PLAN_NO_TASK);
        }
        for (int i = 0; i < step->units - 1 && status == TOPO_OK; i++) {
            int child = halving->child[step->child + i];
            if (!topo_halving_has_all(in->divided, step, root, child))
                status = add_set(in, plan, TOPO_TASK_SEND, GATHER, child, &step->kept, before);
        }
    }
    return status;
}

enum topo_status topo_plan_bcast_halving(const struct topo_plan_input *in, struct topo_plan *plan)
{
    int node = topo_plan_node(in), root = topo_plan_root_node(in);
    enum topo_status status = TOPO_OK;
    topo_plan_cut(in, plan, (struct topo_pipeline){.bytes = in->bytes});
    plan->shares = in->levels->nodes;
    if (topo_plan_drives(in)) {
        status = add_scatter(in, plan, node, root);
        status = status == TOPO_OK ? add_gather(in, plan, node, root) : status;
    }
    return status == TOPO_OK ? topo_plan_give_node(in, plan) : status;
}
