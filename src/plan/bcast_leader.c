/* Broadcast of few bytes: the root sends them to one rank of other nodes, which send them on, level by level
 * (patterns/bcast_tree.h).
 *
 * Cost: with k nodes in a group that splits into at most r parts a level, ceil(log_r k) (alpha + (r-1) (o + m beta)), o
 * the processor's time for a message, plus one hand-over and two copies inside the node. */
#include "patterns/bcast_tree.h"
#include "plan/forms.h"

/* What a node does where `holder` has the vector on this level: it sends to the other units of its group, or receives,
 * or neither. */
static enum topo_status on_level(const struct topo_plan_input *in, struct topo_plan *plan, int l, int node, int holder)
{
    const struct topo_level *level = &in->divided->level[l];
    const struct topo_group group = topo_group_of(in->divided, l, node);
    enum topo_status status = TOPO_OK;
    if (holder != node)
        return topo_bcast_tree_holder(level, topo_unit_of(level, node), holder) == node
                   ? topo_plan_receive_all(in, plan, holder)
                   : status;
    for (int k = 1; k < group.count && status == TOPO_OK; k++) {
        int unit = group.first + (group.mine + k) % group.count;
        status = topo_plan_send_all(in, plan, topo_bcast_tree_holder(level, unit, holder));
    }
    return status;
}

enum topo_status topo_plan_bcast_leader(const struct topo_plan_input *in, struct topo_plan *plan)
{
    int node = topo_plan_node(in), holder = topo_plan_root_node(in);
    enum topo_status status = TOPO_OK;
    topo_plan_cut(in, plan, topo_pipeline_of(in->bytes, 0, in->oversubscribed, 0));
    for (int l = 0; topo_plan_drives(in) && l < in->divided->count && status == TOPO_OK; l++) {
        const struct topo_level *level = &in->divided->level[l];
        status = on_level(in, plan, l, node, holder);
        holder = topo_bcast_tree_holder(level, topo_unit_of(level, node), holder);
    }
    return status == TOPO_OK ? topo_plan_pass_on(in, plan) : status;
}
