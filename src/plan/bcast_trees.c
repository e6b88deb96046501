/* Broadcast of many bytes between many nodes: segments down several trees at a time (patterns/trees.h, in racks
 * trees_racks.h), of which a node passes on those of one tree.
 *
 * Cost: with k trees of depth d among n nodes and segments of s bytes, m beta + d (alpha + k s beta), plus two copies
 * inside the node beside them; of a reduction m beta + d (alpha + k s beta + k s gamma). */
#include "base/align.h"
#include "patterns/limits.h"
#include "patterns/trees_racks.h"
#include "patterns/trees_shape.h"
#include "plan/forms.h"

_Static_assert((int)TOPO_TREES_MOST <= (int)TOPO_PLAN_TAGS,
               "each tree has a tag, as several may have edges between the same two");

/* The segments of one tree, from or to the node with this number from the root's. */
static struct topo_turn turn_of(const struct topo_plan_input *in, int tree, int number)
{
    int node = topo_levels_numbered(in->levels, topo_plan_root_node(in), number);
    return (struct topo_turn){topo_plan_driver(in, node), tree, 1};
}

/* Down: to all children. */
static enum topo_status send_children(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                      const struct topo_trees *trees)
{
    enum topo_status status = TOPO_OK;
    for (int edge = 0; edge < trees->edges && status == TOPO_OK; edge++) {
        task.tag = trees->tree[edge];
        status = topo_plan_add_one(plan, task, turn_of(in, task.tag, trees->child[edge]));
    }
    return status;
}

/* Up: what comes over a tree's edges is added in one pass. */
static enum topo_status receive_children(const struct topo_plan_input *in, struct topo_plan *plan,
                                         struct topo_task task, const struct topo_trees *trees)
{
    const int window = task.window;
    enum topo_status status = TOPO_OK;
    for (task.tag = 0; task.tag < trees->trees && status == TOPO_OK; task.tag++) {
        struct topo_turn turn[TOPO_TREES_MOST];
        task.joined = 0;
        for (int edge = 0; edge < trees->edges; edge++)
            if (trees->tree[edge] == task.tag)
                turn[task.joined++] = turn_of(in, task.tag, trees->child[edge]);
        task.window = window * task.joined;
        if (task.joined > 0)
            status = topo_plan_add_turns(plan, task, turn, task.joined);
    }
    return status;
}

/* With the parent of each tree. */
static enum topo_status add_parents(const struct topo_plan_input *in, struct topo_plan *plan, struct topo_task task,
                                    const struct topo_trees *trees)
{
    enum topo_status status = TOPO_OK;
    for (task.tag = 0; task.tag < trees->trees && trees->node > 0 && status == TOPO_OK; task.tag++)
        status = topo_plan_add_one(plan, task, turn_of(in, task.tag, trees->parent[task.tag]));
    return status;
}

/* Between nodes, down the trees or up. The root of a broadcast has all segments, and the others get them in the order
 * in which its sends end. */
static enum topo_status add_edges(const struct topo_plan_input *in, struct topo_plan *plan,
                                  const struct topo_trees_shape *shape)
{
    struct topo_trees trees;
    topo_trees_find(in->levels, topo_plan_root_node(in), topo_plan_node(in), shape->trees, &trees);
    const struct topo_task receive = {
        .kind = TOPO_TASK_RECEIVE, .stride = trees.trees, .window = shape->window, .after = TOPO_PLAN_NO_TASK};
    struct topo_task send = receive;
    send.kind = TOPO_TASK_SEND;
    send.needs = TOPO_PLAN_ALL;
    send.awaited = shape->unawaited + 1;
    plan->at_once = trees.node == 0 && !plan->sums ? shape->at_once : 0;
    enum topo_status status = (plan->sums ? receive_children : add_parents)(in, plan, receive, &trees);
    return status == TOPO_OK ? (plan->sums ? add_parents : send_children)(in, plan, send, &trees) : status;
}

enum topo_status topo_plan_bcast_trees(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const struct topo_trees_shape shape =
        topo_trees_shape(in->bytes, in->levels, in->oversubscribed, in->parameters.segment);
    enum topo_status status = TOPO_OK;
    topo_plan_cut(in, plan, topo_pipeline_cut(in->bytes, (size_t)shape.segment, shape.lead, TOPO_CACHE_LINE));
    if (topo_plan_drives(in))
        status = add_edges(in, plan, &shape);
    return status == TOPO_OK ? topo_plan_give_node(in, plan) : status;
}

/* The same backwards, for one stripe: where a broadcast receives a segment from a node, this sends the partial sum to
 * it, and where it sends one, this receives and adds, in the order of the node's edges. As many bytes are under way for
 * all stripes as one would have, as the link is one. */
enum topo_status topo_plan_reduce_trees(const struct topo_plan_input *in, struct topo_plan *plan)
{
    enum { LEAST = 2048, PLACES = 16 /* segments of TOPO_SEGMENT_BYTES that are received at a time, at most */ };
    const size_t stripes = (size_t)in->stripes,
                 most = in->element < TOPO_SEGMENT_BYTES ? TOPO_SEGMENT_BYTES : in->element;
    struct topo_trees_shape shape =
        topo_trees_shape(in->bytes * stripes, in->levels, in->oversubscribed, in->parameters.segment);
    shape.segment /= in->parameters.segment ? 1 : stripes;
    shape.segment = shape.segment < LEAST ? LEAST : shape.segment;
    size_t segment = shape.segment / in->element > 1 ? (size_t)shape.segment / in->element : 1;
    topo_plan_cut(in, plan, topo_pipeline_cut(in->bytes / in->element, segment, shape.lead, 1));
    size_t window = PLACES * topo_align(most, TOPO_CACHE_LINE) /
                    topo_align(plan->cut.segment * in->element, TOPO_CACHE_LINE) / (size_t)shape.trees;
    shape.window = window < (size_t)shape.window ? (int)window : shape.window;
    return add_edges(in, plan, &shape);
}
