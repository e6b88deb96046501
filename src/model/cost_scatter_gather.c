/* Scatter and allgather between nodes by halving (patterns/halving.h), whose nodes do not go step by step. */
#include <limits.h>

#include "base/memory.h"
#include "model/cost_parts.h"
#include "patterns/halving.h"

/* A node gets its part of the scatter at level split[node], the one on which it is in another unit of the root's group
 * (the root: one that is none; without a scatter: -1), handed on by hops[node] nodes. Nodes wait for what they receive,
 * but for nothing that they send: so the root has messages of all levels on its link at once, and others those of
 * several. wave[level * nodes + node] counts the messages, one after the other, that come before a node begins with a
 * level of the allgather. A message moves once both its ends have begun. */
struct plan {
    const struct topo_levels *levels;
    const int *kept; /* of all levels */
    double share;
    int stripes, root_node;
    int *split, *hops, *wave;
    int *late; /* by sender: shares of a message of the step that is looked at */
};

/* The node in `unit` of the group at level z that exchanges with `node`. */
static int partner(const struct topo_levels *levels, int z, const struct topo_group *group, int unit, int node)
{
    const struct topo_level *level = &levels->level[z];
    return topo_gather_lane_node(level, group->first + unit, node - level->first[group->first + group->mine]);
}

static void count_waves(const struct plan *plan)
{
    const struct topo_levels *levels = plan->levels;
    int nodes = levels->nodes, root = plan->root_node;
    for (int node = 0; node < nodes; node++) {
        plan->split[node] = root < 0 ? -1 : levels->count;
        plan->hops[node] = 0;
    }
    for (int z = levels->count; z-- > 0 && root >= 0;)
        for (int node = 0; node < nodes; node++) {
            struct topo_group group = topo_group_of(levels, z, node);
            int unit = topo_unit_of(&levels->level[z], root) - group.first;
            if (unit < 0 || unit >= group.count || unit == group.mine)
                continue;
            plan->split[node] = z;
            if (plan->kept[(size_t)z * (size_t)nodes + (size_t)node] > 0)
                plan->hops[node] = plan->hops[partner(levels, z, &group, unit, node)] + 1;
        }
    for (int node = 0; node < nodes; node++)
        plan->wave[node] = plan->hops[node];
    for (int z = 1; z < levels->count; z++) {
        const int *kept = plan->kept + (size_t)(z - 1) * (size_t)nodes;
        int *wave = plan->wave + (size_t)z * (size_t)nodes, *before = wave - nodes;
        for (int node = 0; node < nodes; node++) {
            wave[node] = before[node];
            if (z <= plan->split[node])
                continue;
            struct topo_group group = topo_group_of(levels, z - 1, node);
            for (int unit = 0; unit < group.count; unit++) {
                int from = partner(levels, z - 1, &group, unit, node);
                if (unit == group.mine || kept[from] == 0)
                    continue;
                int then = before[from] > before[node] ? before[from] : before[node];
                wave[node] = then >= wave[node] ? then + 1 : wave[node];
            }
        }
    }
}

/* A message of the scatter or the allgather, of `shares`. */
struct message {
    int from, to, shares, wave;
};

typedef void visit_function(void *context, const struct message *message);

/* All messages of one level that move in waves from .. until: of the scatter those from the root's unit to others of
 * its group, of the allgather all that do not go to the root's unit. */
static void visit_level(const struct plan *plan, int z, bool scatter, int from, int until, visit_function *visit,
                        void *context)
{
    const struct topo_levels *levels = plan->levels;
    const struct topo_level *level = &levels->level[z];
    const int *kept = plan->kept + (size_t)z * (size_t)levels->nodes,
              *wave = plan->wave + (size_t)z * (size_t)levels->nodes;
    int root_unit = plan->root_node < 0 ? -1 : topo_unit_of(level, plan->root_node);
    for (int node = 0; node < levels->nodes; node++) {
        int own = scatter ? plan->hops[node] - 1 : wave[node];
        if (kept[node] == 0 || own > until || (scatter && (plan->split[node] != z || own < from)))
            continue;
        struct topo_group group = topo_group_of(levels, z, node);
        for (int unit = 0; unit < group.count && !scatter; unit++) {
            int to = partner(levels, z, &group, unit, node);
            const struct message message = {node, to, kept[node], wave[to] > own ? wave[to] : own};
            if (unit != group.mine && group.first + unit != root_unit && message.wave >= from && message.wave <= until)
                visit(context, &message);
        }
        if (scatter)
            visit(context, &(const struct message){partner(levels, z, &group, root_unit - group.first, node), node,
                                                   kept[node], own});
    }
}

/* One step: a level's messages start; its latest ones decide. */
struct step {
    const struct topo_cost_input *in;
    const struct plan *plan;
    int latest;
};

/* The rank that drives a stripe on a node, the root for its own. */
static int driver(const struct step *step, int node, int stripe)
{
    return node == step->plan->root_node ? topo_cost_root(step->in)
                                         : topo_tree_rank(step->in->tree, step->plan->levels->start[node] + stripe);
}

static void start_message(void *context, const struct message *message)
{
    struct step *step = context;
    for (int s = 0; s < step->plan->stripes; s++)
        topo_load_message(step->in->load, driver(step, message->from, s), driver(step, message->to, s), 0);
    step->latest = message->wave > step->latest ? message->wave : step->latest;
}

static void note_late(void *context, const struct message *message)
{
    int *late = &((struct step *)context)->plan->late[message->from];
    *late = message->shares > *late ? message->shares : *late;
}

/* What else the sender of a late message has on its link takes as much of it, as long as there is any. */
static void move_message(void *context, const struct message *message)
{
    struct step *step = context;
    int late = step->plan->late[message->from], shares = message->shares < late ? message->shares : late;
    for (int s = 0; s < step->plan->stripes && shares > 0; s++)
        topo_load_bytes(step->in->load, driver(step, message->from, s), driver(step, message->to, s),
                        shares * step->plan->share);
}

static double play_step(const struct topo_cost_input *in, const struct plan *plan, int z, bool scatter)
{
    const struct topo_levels *levels = plan->levels;
    struct step step = {.in = in, .plan = plan};
    for (int node = 0; node < levels->nodes; node++)
        plan->late[node] = 0;
    visit_level(plan, z, scatter, 0, INT_MAX, start_message, &step);
    visit_level(plan, z, scatter, step.latest, INT_MAX, note_late, &step);
    for (int other = 0; other < levels->count; other++) {
        if (plan->root_node >= 0)
            visit_level(plan, other, true, step.latest, step.latest, move_message, &step);
        visit_level(plan, other, false, step.latest, step.latest, move_message, &step);
    }
    return topo_load_step(in->load);
}

double topo_cost_scatter_gather(const struct topo_cost_input *in, const struct topo_levels *levels, const int *kept,
                                double share, int stripes, int root_node)
{
    const size_t nodes = (size_t)levels->nodes;
    TOPO_SCOPED int *counted = topo_alloc(((size_t)levels->count + 3) * nodes, sizeof *counted);
    double seconds = 0;
    if (!counted)
        return -1;
    const struct plan plan = {.levels = levels,
                              .kept = kept,
                              .share = share,
                              .stripes = stripes,
                              .root_node = root_node,
                              .split = counted,
                              .hops = counted + nodes,
                              .late = counted + 2 * nodes,
                              .wave = counted + 3 * nodes};
    count_waves(&plan);
    for (int z = levels->count; z-- > 0 && root_node >= 0;)
        seconds += play_step(in, &plan, z, true);
    for (int z = 0; z < levels->count; z++)
        seconds += play_step(in, &plan, z, false);
    return seconds;
}
