#include "patterns/node_steps.h"

#include <stdbool.h>

#include "base/memory.h"
#include "patterns/bcast_tree.h"
#include "patterns/limits.h"

/* A growing topo_node_steps. */
struct builder {
    struct topo_node_steps *steps;
    bool failed;
};

int topo_node_steps_ranges(size_t bytes, int nodes, int ranks)
{
    enum { STRIPE_LEAST = 32768, STRIPE_LEAST_ALONE = 8192 };
    return topo_parts_of(bytes, nodes > 1 ? STRIPE_LEAST : STRIPE_LEAST_ALONE, ranks);
}

bool topo_node_steps_fits(size_t bytes, int nodes, int ranks)
{
    return bytes <= TOPO_SUM_SEGMENT_LEAST && topo_node_steps_ranges(bytes, nodes, ranks) == 1;
}

int topo_node_steps_parts(size_t bytes, int ranks, bool oversubscribed)
{
    enum { LEAST = 6 << 10, MOST = TOPO_NODE_STEPS_PARTS_MOST, RANKS_LEAST = 8 };
    size_t parts = bytes / LEAST;
    return oversubscribed || ranks < RANKS_LEAST || parts < 1 ? 1 : parts < MOST ? (int)parts : MOST;
}

void topo_node_steps_free(struct topo_node_steps *steps)
{
    if (!steps)
        return;
    topo_free_all(steps->step, steps->message, steps->span, steps);
}

static void add_message(struct builder *to, int node, int pair, int unit)
{
    struct topo_node_steps *steps = to->steps;
    to->failed |= !topo_grow(&steps->message, (size_t)steps->messages, sizeof *steps->message);
    if (to->failed)
        return;
    steps->message[steps->messages++] =
        (struct topo_node_message){.node = node, .pair = pair, .unit = unit, .span = steps->spans};
}

/* Adds the positions of `node` to the last message's spans. */
static void add_span(struct builder *to, const struct topo_levels *levels, int node)
{
    struct topo_node_steps *steps = to->steps;
    to->failed |= !topo_grow(&steps->span, (size_t)steps->spans, sizeof *steps->span);
    if (to->failed)
        return;
    struct topo_node_message *message = &steps->message[steps->messages - 1];
    struct topo_span *last = message->spans ? &steps->span[steps->spans - 1] : NULL;
    int first = levels->start[node], count = topo_node_ranks(levels, node);
    message->ranks += count;
    if (last && last->first + last->count == first) {
        last->count += count;
        return;
    }
    steps->span[steps->spans++] = (struct topo_span){first, count};
    message->spans++;
}

/* Where a node stands in the exchange at a level: its group, the size of its unit, its lane in it. */
struct lane {
    const struct topo_level *level;
    struct topo_group group;
    int index, size, lane;
};

static struct lane lane_of(const struct topo_levels *levels, int level, int node)
{
    struct lane at = {.level = &levels->level[level], .group = topo_group_of(levels, level, node), .index = level};
    int mine = at.group.first + at.group.mine;
    at.size = topo_unit_size(at.level, mine);
    at.lane = node - at.level->first[mine];
    return at;
}

/* The unit from which a gather has its k-th receives at a level. */
static int gather_source(const struct lane *at, int k)
{
    return (at->group.mine - k + at->group.count) % at->group.count;
}

/* Gives the last message the spans of what `node` holds when the exchange at `level` begins: what it held before the
 * outer exchange, and what it received there, in that order. */
static void add_held(struct builder *to, const struct topo_levels *levels, int level, int node)
{
    if (level == 0) {
        if (!to->failed)
            add_span(to, levels, node);
        return;
    }
    struct lane at = lane_of(levels, level - 1, node);
    add_held(to, levels, level - 1, node);
    for (int k = 1; k < at.group.count; k++) {
        int unit = at.group.first + gather_source(&at, k);
        for (int l = at.lane; l < topo_unit_size(at.level, unit); l += at.size)
            add_held(to, levels, level - 1, at.level->first[unit] + l);
    }
}

/* Which of the pairs of units a message belongs to: equal on both sides, and
 * different for the messages of a node in a step, as far as units are equal. */
static int pair_of(int from_unit, int to_unit, int units, int served)
{
    return (to_unit - from_unit + units) % units - 1 + served * (units - 1);
}

/* The message between this node and its lane in another unit of the group, which it goes to or comes from. */
static void add_lane_message(struct builder *to, const struct lane *at, int unit, bool sent)
{
    int other = at->group.first + unit, mine = at->group.mine;
    add_message(
        to, topo_gather_lane_node(at->level, other, at->lane),
        pair_of(sent ? mine : unit, sent ? unit : mine, at->group.count, at->lane / topo_unit_size(at->level, other)),
        unit);
}

/* Those between this node and all whose lane it is in that unit; with `levels` each carries what its node holds. */
static void add_served_messages(struct builder *to, const struct lane *at, int unit, bool sent,
                                const struct topo_levels *levels)
{
    int other = at->group.first + unit, mine = at->group.mine;
    for (int l = at->lane, served = 0; l < topo_unit_size(at->level, other); l += at->size, served++) {
        add_message(to, at->level->first[other] + l,
                    pair_of(sent ? mine : unit, sent ? unit : mine, at->group.count, served), unit);
        if (levels && !to->failed)
            add_held(to, levels, at->index, at->level->first[other] + l);
    }
}

static struct topo_node_steps *new_steps(struct builder *to)
{
    *to = (struct builder){.steps = topo_calloc(1, sizeof *to->steps)};
    return to->steps;
}

static struct topo_node_step *begin_step(struct builder *to, const struct topo_group *group)
{
    struct topo_node_steps *steps = to->steps;
    to->failed |= !topo_grow(&steps->step, (size_t)steps->count, sizeof *steps->step);
    if (to->failed)
        return NULL;
    struct topo_node_step *step = &steps->step[steps->count++];
    *step = (struct topo_node_step){.mine = group->mine, .units = group->count, .send = steps->messages};
    return step;
}

static enum topo_status finish(struct builder *to, struct topo_node_steps **steps)
{
    *steps = to->failed ? NULL : to->steps;
    if (to->failed)
        topo_node_steps_free(to->steps);
    return to->failed ? TOPO_NOMEM : TOPO_OK;
}

static void end_sends(const struct builder *to, struct topo_node_step *step)
{
    step->sends = to->steps->messages - step->send;
    step->receive = to->steps->messages;
}

static void end_receives(const struct builder *to, struct topo_node_step *step)
{
    step->receives = to->steps->messages - step->receive;
    to->steps->receives += step->receives;
}

/* The exchange at `level`: this node's blocks to its lane in every other unit of
 * the group, theirs from every lane it serves. */
static void gather_step(struct builder *to, const struct topo_levels *levels, int level, int node)
{
    struct lane at = lane_of(levels, level, node);
    if (at.group.count == 1)
        return;
    struct topo_node_step *step = begin_step(to, &at.group);
    for (int k = 1; k < at.group.count && !to->failed; k++) {
        add_lane_message(to, &at, (at.group.mine + k) % at.group.count, true);
        /* All messages of a step carry the same: its spans are listed once. */
        struct topo_node_message *message = to->failed ? NULL : &to->steps->message[to->steps->messages - 1];
        if (k == 1 && message) {
            add_held(to, levels, level, node);
        } else if (message) {
            message->span = message[-1].span;
            message->spans = message[-1].spans;
            message->ranks = message[-1].ranks;
        }
    }
    if (to->failed)
        return;
    end_sends(to, step);
    for (int k = 1; k < at.group.count; k++)
        add_served_messages(to, &at, gather_source(&at, k), false, levels);
    end_receives(to, step);
}

enum topo_status topo_node_steps_gather(const struct topo_levels *levels, int node, struct topo_node_steps **steps)
{
    struct builder to;
    *steps = NULL;
    if (!new_steps(&to))
        return TOPO_NOMEM;
    for (int level = 0; level < levels->count && !to.failed; level++)
        gather_step(&to, levels, level, node);
    return finish(&to, steps);
}

/* The exchange at `level`: the sum of every other unit from the node that plays
 * this node's part there, and this unit's to all that get it from here. */
static void reduce_step(struct builder *to, const struct topo_levels *levels, int level, int node)
{
    struct lane at = lane_of(levels, level, node);
    if (at.group.count == 1)
        return;
    struct topo_node_step *step = begin_step(to, &at.group);
    for (int k = 1; k < at.group.count; k++)
        add_served_messages(to, &at, (at.group.mine + k) % at.group.count, true, NULL);
    if (to->failed)
        return;
    end_sends(to, step);
    for (int unit = 0; unit < at.group.count; unit++)
        if (unit != at.group.mine)
            add_lane_message(to, &at, unit, false);
    end_receives(to, step);
}

enum topo_status topo_node_steps_reduce(const struct topo_levels *levels, int node, struct topo_node_steps **steps)
{
    struct builder to;
    *steps = NULL;
    if (!new_steps(&to))
        return TOPO_NOMEM;
    for (int level = levels->count - 1; level >= 0 && !to.failed; level--)
        reduce_step(&to, levels, level, node);
    return finish(&to, steps);
}

/* The exchange at `level` of a group whose node `holder` takes what comes; this node takes part if it has its
 * unit's sum. False: it has no sum any more. */
static bool collect_step(struct builder *to, const struct topo_levels *levels, int level, int holder, int node)
{
    const struct topo_level *here = &levels->level[level];
    struct topo_group group = topo_group_of(levels, level, node);
    if (topo_bcast_tree_holder(here, topo_unit_of(here, node), holder) != node)
        return false;
    if (group.count == 1)
        return true;
    struct topo_node_step *step = begin_step(to, &group);
    if (node != holder)
        add_message(to, holder, 0, topo_unit_of(here, holder) - group.first);
    if (to->failed)
        return false;
    end_sends(to, step);
    for (int unit = 0; unit < group.count && node == holder; unit++)
        if (unit != group.mine)
            add_message(to, topo_bcast_tree_holder(here, group.first + unit, holder), 0, unit);
    end_receives(to, step);
    return node == holder;
}

enum topo_status topo_node_steps_collect(const struct topo_levels *levels, int root, int node,
                                         struct topo_node_steps **steps)
{
    struct builder to;
    *steps = NULL;
    if (!new_steps(&to))
        return TOPO_NOMEM;
    bool has_sum = true;
    for (int level = levels->count - 1; level >= 0 && has_sum && !to.failed; level--) {
        int holder = root;
        for (int outer = 0; outer < level; outer++)
            holder = topo_bcast_tree_holder(&levels->level[outer], topo_unit_of(&levels->level[outer], node), holder);
        has_sum = collect_step(&to, levels, level, holder, node);
    }
    return finish(&to, steps);
}
