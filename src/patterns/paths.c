#include "patterns/paths.h"

#include <string.h>

#include "base/memory.h"

/* How the block of one node reached this one: from `from`, in the exchange at
 * `level`, along lane `lane` of the group, which unit `origin` of it began. level
 * -1: it was here. */
struct arrival {
    int from, hops, level, origin, lane;
};

/* In what follows a unit has its distance, in units of its group, from the one whose block it is. In a tree the block
 * comes from the distance without its highest bit: to 6 = 110b from 2 = 10b, and there from the first. */
static bool is_tree(enum topo_path_kind kind, int units)
{
    return kind == TOPO_PATH_TREE && units > TOPO_RADIX;
}

static int highest_bit(int distance)
{
    int bit = 1;
    while (bit <= distance / 2)
        bit *= 2;
    return bit;
}

static int bits_of(int distance)
{
    int bits = 0;
    for (; distance > 0; distance &= distance - 1)
        bits++;
    return bits;
}

/* The distance from which a block goes on to `distance` > 0, and the messages that it takes to there. */
static int distance_before(enum topo_path_kind kind, int units, int distance)
{
    if (kind == TOPO_PATH_DIRECT)
        return 0;
    return is_tree(kind, units) ? distance - highest_bit(distance) : distance - 1;
}

static int hops_to(enum topo_path_kind kind, int units, int distance)
{
    if (kind == TOPO_PATH_DIRECT)
        return 1;
    return is_tree(kind, units) ? bits_of(distance) : distance;
}

/* Follows the block of node `origin` from unit to unit, outermost level first, until it is at `node`. */
static struct arrival arrive(const struct topo_levels *levels, enum topo_path_kind kind, int origin, int node)
{
    struct arrival result = {.from = -1, .level = -1};
    int holder = origin;
    for (int z = 0; holder != node; z++) {
        const struct topo_level *level = &levels->level[z];
        if (topo_unit_of(level, holder) == topo_unit_of(level, node))
            continue;
        struct topo_group group = topo_group_of(levels, z, node);
        int source = topo_unit_of(level, holder) - group.first,
            lane = holder - level->first[topo_unit_of(level, holder)];
        int distance = (group.mine - source + group.count) % group.count,
            before = distance_before(kind, group.count, distance);
        result.from = holder;
        if (before > 0)
            result.from = topo_gather_lane_node(level, group.first + (source + before) % group.count, lane);
        result.hops += hops_to(kind, group.count, distance);
        result.level = z;
        result.origin = source;
        result.lane = lane;
        holder = topo_gather_lane_node(level, topo_unit_of(level, node), lane);
    }
    return result;
}

/* Writes to `to` where a node sends a block along a lane of its group, of whose unit it has `distance`; returns the
 * number of nodes. */
static int pass_on(const struct topo_level *level, enum topo_path_kind kind, struct topo_group group, int distance,
                   int lane, int *to)
{
    int count = 0, step = is_tree(kind, group.count) && distance > 0 ? 2 * highest_bit(distance) : 1;
    while (distance + step < group.count) {
        to[count++] = topo_gather_lane_node(level, group.first + (group.mine + step) % group.count, lane);
        if (is_tree(kind, group.count))
            step *= 2;
        else if (kind == TOPO_PATH_DIRECT)
            step++;
        else
            break;
    }
    return count;
}

/* The same for a block that came as `arrival`: on along the way by which it came, and into the node's own units. */
static int leave(const struct topo_levels *levels, enum topo_path_kind kind, const struct arrival *arrival, int node,
                 int *to)
{
    int count = 0;
    if (kind != TOPO_PATH_DIRECT && arrival->level >= 0) {
        struct topo_group group = topo_group_of(levels, arrival->level, node);
        count += pass_on(&levels->level[arrival->level], kind, group,
                         (group.mine - arrival->origin + group.count) % group.count, arrival->lane, to);
    }
    for (int z = arrival->level + 1; z < levels->count; z++) {
        const struct topo_level *level = &levels->level[z];
        int lane = node - level->first[topo_unit_of(level, node)];
        count += pass_on(level, kind, topo_group_of(levels, z, node), 0, lane, to + count);
    }
    return count;
}

enum topo_status topo_paths_new(const struct topo_levels *levels, int node, enum topo_path_kind kind,
                                struct topo_paths **out)
{
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = topo_calloc(1, sizeof *paths);
    size_t nodes = (size_t)levels->nodes, edges = 0, most = 0, capacity = 0;

    *out = NULL;
    /* A block leaves at most once for each other unit of each level's group. */
    for (int z = 0; z < levels->count; z++)
        most += (size_t)topo_group_of(levels, z, node).count;
    if (!paths)
        return TOPO_NOMEM;
    paths->nodes = levels->nodes;
    paths->from = topo_alloc(nodes, sizeof *paths->from);
    paths->hops = topo_alloc(nodes, sizeof *paths->hops);
    paths->first_to = topo_alloc(nodes + 1, sizeof *paths->first_to);
    if (!paths->from || !paths->hops || !paths->first_to)
        return TOPO_NOMEM;
    for (int o = 0; o < levels->nodes; o++) {
        struct arrival arrival = arrive(levels, kind, o, node);
        if (edges + most > capacity) {
            capacity = 2 * (edges + most) + nodes;
            int *to = topo_realloc(paths->to, capacity, sizeof *to);
            if (!to)
                return TOPO_NOMEM;
            paths->to = to;
        }
        paths->from[o] = arrival.from;
        paths->hops[o] = arrival.hops;
        paths->first_to[o] = (int)edges;
        edges += (size_t)leave(levels, kind, &arrival, node, paths->to + edges);
    }
    paths->first_to[levels->nodes] = (int)edges;
    *out = TOPO_KEPT(paths);
    return TOPO_OK;
}

/* What the nodes of a group hold once its units have exchanged: `held` before, and what nodes of the same lane in other
 * units held; `lane` has room for as many as the largest unit has nodes. So also for flat groups of many nodes it takes
 * a step for each. */
static void exchange(const struct topo_level *level, struct topo_group group, const int *held, int *lane, int *after)
{
    int lanes = 0, end = group.first + group.count;
    for (int unit = group.first; unit < end; unit++)
        for (int l = 0; l < topo_unit_size(level, unit); l++) {
            lane[l] = held[level->first[unit] + l] + (l < lanes ? lane[l] : 0);
            lanes = l < lanes ? lanes : l + 1;
        }
    for (int unit = group.first; unit < end; unit++) {
        int size = topo_unit_size(level, unit);
        for (int l = 0; l < lanes; l++)
            after[topo_gather_lane_node(level, unit, l)] += lane[l] - (l < size ? held[level->first[unit] + l] : 0);
    }
}

enum topo_status topo_paths_most(const struct topo_levels *levels, int *most, int *busiest)
{
    size_t nodes = (size_t)levels->nodes;
    TOPO_SCOPED int *held = topo_alloc(nodes, sizeof *held); /* blocks at each node before a level's exchange */
    TOPO_SCOPED int *after = topo_alloc(nodes, sizeof *after);
    TOPO_SCOPED int *lane = topo_alloc(nodes, sizeof *lane);
    TOPO_SCOPED int *sent = topo_calloc(nodes, sizeof *sent);
    *most = *busiest = 0;
    if (!held || !after || !lane || !sent)
        return TOPO_NOMEM;
    for (size_t node = 0; node < nodes; node++)
        after[node] = 1;
    for (int z = 0; z < levels->count; z++) {
        const struct topo_level *level = &levels->level[z];
        memcpy(held, after, nodes * sizeof *held);
        for (int first = 0, end; first < levels->nodes; first = end) {
            struct topo_group group = topo_group_of(levels, z, first);
            end = level->first[group.first + group.count];
            exchange(level, group, held, lane, after);
            for (int node = first; node < end; node++)
                sent[node] += held[node] * (group.count - 1);
        }
    }
    for (int node = 0; node < levels->nodes; node++)
        *busiest = sent[node] > sent[*busiest] ? node : *busiest;
    *most = sent[*busiest];
    return TOPO_OK;
}

void topo_paths_free(struct topo_paths *paths)
{
    if (!paths)
        return;
    topo_free_all(paths->from, paths->hops, paths->first_to, paths->to, paths);
}
