/* Broadcast of many bytes between many nodes: segments down several trees at a time (patterns/trees.h, in racks
 * trees_racks.h), of which a node passes on those of one tree.
 *
 * Cost: with k trees of depth d among n nodes and segments of s bytes, m beta + d (alpha + k s beta), plus two copies
 * inside the node beside them. */
#include "base/align.h"
#include "patterns/trees_racks.h"
#include "patterns/trees_shape.h"
#include "plan/bcast.h"

_Static_assert((int)TOPO_TREES_MOST <= (int)TOPO_PLAN_TAGS,
               "each tree has a tag, as several may have edges between the same two");

/* The segments of one tree, from or to the node with this number from the root's. */
static enum topo_status add_edge(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                 int tree, int number)
{
    int node = topo_levels_numbered(in->levels, topo_plan_root_node(in), number);
    task.tag = tree;
    return topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_driver(in, node), tree, 1});
}

enum topo_status topo_plan_bcast_trees(const struct topo_plan_input *in, struct topo_plan *plan)
{
    struct topo_trees_shape shape = topo_trees_shape(in->bytes, in->levels, in->oversubscribed, in->parameters.segment);
    struct topo_task task = {.window = shape.window, .after = TOPO_PLAN_NO_TASK};
    struct topo_trees trees;
    enum topo_status status = TOPO_OK;
    topo_plan_cut(in, plan, topo_pipeline_cut(in->bytes, (size_t)shape.segment, shape.lead, TOPO_CACHE_LINE));
    if (topo_plan_drives(in)) {
        topo_trees_find(in->levels, topo_plan_root_node(in), topo_plan_node(in), shape.trees, &trees);
        task.stride = trees.trees;
        task.kind = TOPO_TASK_RECEIVE;
        for (int tree = 0; tree < trees.trees && trees.node > 0 && status == TOPO_OK; tree++)
            status = add_edge(in, plan, task, tree, trees.parent[tree]);
        task.kind = TOPO_TASK_SEND;
        task.awaited = shape.unawaited + 1;
        for (int edge = 0; edge < trees.edges && status == TOPO_OK; edge++)
            status = add_edge(in, plan, task, trees.tree[edge], trees.child[edge]);
        /* The root has all segments, and the others get them in the order in which its sends end. */
        plan->at_once = trees.node == 0 ? shape.at_once : 0;
    }
    return status == TOPO_OK ? topo_plan_give_node(in, plan) : status;
}
