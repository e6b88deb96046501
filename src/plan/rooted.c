/* Gather to a root and scatter from it, by messages.
 *
 * Up or down a tree: the root, or the first rank of a node, has the blocks of its node and of the nodes below it in the
 * tree of a broadcast (patterns/bcast_tree.h), one after the other: first its node's, then, from the innermost level
 * on, those of each unit below. So what passes between two nodes is one message, the beginning of what the lower one
 * has.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level, ceil(log_r k) (alpha + (r-1) o) + n m beta at
 * the root, and p messages inside a node.
 *
 * Direct: alpha + n (m beta + o) at the root, with WINDOW blocks under way. Senders of long blocks wait until the
 * root has a receive for theirs, so that what comes at a time is as much as its link and its memory take. */
#include "plan/rooted.h"

#include "patterns/bcast_tree.h"

enum { WINDOW = 16 };

/* A node in the tree: its part are the levels from this one on. */
struct place {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    int node, level;
};

static int ranks_of(const struct topo_levels *levels, const struct topo_level *level, int unit)
{
    return levels->start[level->first[unit + 1]] - levels->start[level->first[unit]];
}

/* The k-th other unit of a group, from the node's own on, round. */
static int unit_of(const struct topo_group *group, int k)
{
    return group->first + (group->mine + k) % group->count;
}

/* Of what the node has: what lies behind the rest joins it. */
static enum topo_status add_span(struct topo_plan *plan, struct topo_span span)
{
    struct topo_span *last = plan->orders > 0 ? &plan->order[plan->orders - 1] : NULL;
    if (!last || last->first + last->count != span.first)
        return topo_plan_add_span(plan, span);
    last->count += span.count;
    return TOPO_OK;
}

static enum topo_status lay_out(const struct place *place)
{
    const struct topo_levels *levels = place->in->levels, *divided = place->in->divided;
    const struct topo_span own = {levels->start[place->node], topo_node_ranks(levels, place->node)};
    enum topo_status status = add_span(place->plan, own);
    place->plan->ranks += own.count;
    for (int l = divided->count; l-- > place->level && status == TOPO_OK;) {
        const struct topo_group group = topo_group_of(divided, l, place->node);
        for (int k = 1; k < group.count && status == TOPO_OK; k++) {
            const int below = topo_bcast_tree_holder(&divided->level[l], unit_of(&group, k), place->node);
            status = lay_out(&(struct place){place->in, place->plan, below, l + 1});
        }
    }
    return status;
}

/* A turn with each node below, the one that has most first, and with each other rank of the node. */
static enum topo_status add_below(const struct place *place, struct topo_task task)
{
    const struct topo_levels *divided = place->in->divided;
    const int first = place->in->levels->start[place->node], ranks = topo_node_ranks(place->in->levels, place->node);
    int end = place->plan->ranks;
    enum topo_status status = topo_plan_add(place->plan, task);
    for (int l = place->level; l < divided->count && status == TOPO_OK; l++) {
        const struct topo_group group = topo_group_of(divided, l, place->node);
        for (int k = group.count - 1; k > 0 && status == TOPO_OK; k--) {
            const int unit = unit_of(&group, k), count = ranks_of(place->in->levels, &divided->level[l], unit);
            const int below = topo_bcast_tree_holder(&divided->level[l], unit, place->node);
            end -= count;
            status =
                topo_plan_add_turn(place->plan, (struct topo_turn){topo_plan_driver(place->in, below), end, count});
        }
    }
    for (int i = 0; i < ranks && status == TOPO_OK; i++) {
        const int rank = topo_tree_rank(place->in->tree, first + i);
        if (rank != place->in->rank)
            status = topo_plan_add_turn(place->plan, (struct topo_turn){rank, i, 1});
    }
    if (status == TOPO_OK) {
        struct topo_task *added = &place->plan->task[place->plan->tasks - 1];
        added->window = added->turns;
    }
    return status;
}

/* The rank above, and all that this one has; what comes before it. */
static enum topo_status add_above(const struct place *place, enum topo_task_kind kind, int above, int after)
{
    const struct topo_task task = {.kind = kind, .window = 1, .after = after, .lag = TOPO_PLAN_WHOLE};
    return topo_plan_add_one(place->plan, task, (struct topo_turn){above, 0, place->plan->ranks});
}

static enum topo_status add_driver(const struct place *place, bool up, int above)
{
    const struct topo_task below = {.kind = up ? TOPO_TASK_RECEIVE : TOPO_TASK_SEND,
                                    .after = !up && above >= 0 ? 0 : TOPO_PLAN_NO_TASK,
                                    .lag = TOPO_PLAN_WHOLE};
    enum topo_status status = lay_out(place);
    if (status == TOPO_OK && !up && above >= 0)
        status = add_above(place, TOPO_TASK_RECEIVE, above, TOPO_PLAN_NO_TASK);
    if (status == TOPO_OK && place->plan->ranks > 1)
        status = add_below(place, below);
    if (status == TOPO_OK && up && above >= 0)
        status = add_above(place, TOPO_TASK_SEND, above, place->plan->tasks - 1);
    return status;
}

/* Begins a plan of `ranks` blocks, of which the own one has this number. */
static void cut(const struct topo_plan_input *in, struct topo_plan *plan, int ranks, int own, bool gathers)
{
    plan->cut.bytes = in->bytes / (size_t)in->tree->ranks * (size_t)ranks;
    plan->ranks = ranks;
    plan->own = own;
    plan->owns = gathers;
    plan->has_all = !gathers && in->rank == in->root;
}

static enum topo_status add_tree(const struct topo_plan_input *in, struct topo_plan *plan, bool up)
{
    const int node = topo_plan_node(in), driver = topo_plan_driver(in, node), first = in->levels->start[node];
    struct place place = {in, plan, node, 0};
    int local = 0, level;
    while (topo_tree_rank(in->tree, first + local) != in->rank)
        local++;
    plan->in_order = true;
    enum topo_status status;
    if (in->rank != driver) {
        status = topo_plan_add_span(plan, (struct topo_span){first + local, 1});
        plan->ranks = 1;
        local = 0;
        status = status == TOPO_OK
                     ? add_above(&place, up ? TOPO_TASK_SEND : TOPO_TASK_RECEIVE, driver, TOPO_PLAN_NO_TASK)
                     : status;
    } else {
        const int above = topo_bcast_tree_from(in->divided, topo_plan_root_node(in), node, &level);
        place.level = level + 1;
        status = add_driver(&place, up, above >= 0 ? topo_plan_driver(in, above) : -1);
    }
    cut(in, plan, plan->ranks, local, up);
    return status;
}

enum topo_status topo_plan_gather_up(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return add_tree(in, plan, true);
}

enum topo_status topo_plan_scatter_down(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return add_tree(in, plan, false);
}

static enum topo_status add_direct(const struct topo_plan_input *in, struct topo_plan *plan, bool gathers)
{
    const bool root = in->rank == in->root, is_long = in->bytes / (size_t)in->tree->ranks >= TOPO_ROOTED_AWAITED;
    const struct topo_task task = {.kind = root == gathers ? TOPO_TASK_RECEIVE : TOPO_TASK_SEND,
                                   .round = root,
                                   .window = root ? WINDOW : 1,
                                   .awaited = gathers && !root && is_long,
                                   .after = TOPO_PLAN_NO_TASK};
    const int node = topo_plan_node(in);
    enum topo_status status = TOPO_OK;
    cut(in, plan, root ? in->tree->ranks : 1, root ? in->rank : 0, gathers);
    plan->self = in->rank;
    plan->round = (struct topo_round){.tree = in->tree, .levels = in->levels, .node = node};
    while (topo_tree_rank(in->tree, in->levels->start[node] + plan->round.local) != in->rank)
        plan->round.local++;
    if (!root)
        status = topo_plan_add_span(plan, (struct topo_span){in->rank, 1});
    return status == TOPO_OK ? topo_plan_add_one(plan, task, (struct topo_turn){root ? -1 : in->root, 0, 1}) : status;
}

enum topo_status topo_plan_gather_direct(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return add_direct(in, plan, true);
}

enum topo_status topo_plan_scatter_direct(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return add_direct(in, plan, false);
}
