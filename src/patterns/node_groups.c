#include "patterns/node_groups.h"

int topo_group_ranks_most = TOPO_GROUP_RANKS;

/* A node: positions first .. end - 1. */
struct node {
    const struct topo_tree *tree;
    int first, end;
};

static int unit_at(const struct topo_tree *tree, int level, int position)
{
    return topo_tree_unit(tree, level, topo_tree_rank(tree, position));
}

/* One past the last position from `at` on, inside the node, that is in the same unit of `level`. */
static int unit_end(const struct node *node, int level, int at)
{
    int end = at + 1;
    while (end < node->end && unit_at(node->tree, level, end) == unit_at(node->tree, level, at))
        end++;
    return end;
}

/* The outermost level inside the node none of whose units there is too large; the number of levels: there is none. */
static int cut_level(const struct node *node)
{
    int level = topo_tree_node_level(node->tree) + 1;
    for (; level < node->tree->levels; level++) {
        int longest = 0;
        for (int at = node->first, end; at < node->end; at = end) {
            end = unit_end(node, level, at);
            longest = end - at > longest ? end - at : longest;
        }
        if (longest <= topo_group_ranks_most)
            break;
    }
    return level;
}

/* True where the cut is even: units of one rank say nothing of who is close to whom. */
static bool is_even(const struct node *node, int level)
{
    return level == node->tree->levels || node->tree->kind[level] == TOPO_LEVEL_CORE;
}

/* One past the last position of the group that starts at `at`. */
static int group_end(const struct node *node, int level, int at)
{
    const int most = topo_group_ranks_most;
    if (node->end - node->first <= most)
        return node->end;
    int outer = level - 1, parent_end = unit_end(node, outer, at), parent = at;
    while (parent > node->first && unit_at(node->tree, outer, parent - 1) == unit_at(node->tree, outer, at))
        parent--;
    if (is_even(node, level)) {
        int ranks = parent_end - parent, groups = (ranks + most - 1) / most, group = 0;
        while (parent + (int)((long)ranks * (group + 1) / groups) <= at)
            group++;
        return parent + (int)((long)ranks * (group + 1) / groups);
    }
    int end = unit_end(node, level, at);
    while (end < parent_end) {
        int next = unit_end(node, level, end);
        if (next > parent_end || next - at > most)
            break;
        end = next;
    }
    return end;
}

/* The level that the groups of a node are cut along. */
static int level_of(const struct node *node)
{
    return node->end - node->first > topo_group_ranks_most ? cut_level(node) : 0;
}

/* The groups of a node, one after the other. */
struct walk {
    struct node node;
    int level, at, end; /* the group's positions are at .. end - 1 */
    int groups;         /* so far, this one included; 0: before the first */
};

static struct walk walk_through(const struct topo_tree *tree, int first, int end)
{
    struct walk walk = {.node = {tree, first, end}, .at = first, .end = first};
    walk.level = level_of(&walk.node);
    return walk;
}

/* Goes to the next group; false: there is none. */
static bool next_group(struct walk *walk)
{
    walk->at = walk->end;
    if (walk->at == walk->node.end)
        return false;
    walk->end = group_end(&walk->node, walk->level, walk->at);
    walk->groups++;
    return true;
}

int topo_node_groups(const struct topo_tree *tree, int first, int end, int *start)
{
    struct walk walk = walk_through(tree, first, end);
    while (next_group(&walk))
        start[walk.groups - 1] = walk.at - first;
    start[walk.groups] = end - first;
    return walk.groups;
}

int topo_node_additions(const struct topo_tree *tree, int first, int end)
{
    struct walk walk = walk_through(tree, first, end);
    int most = 0;
    while (next_group(&walk))
        most = walk.end - walk.at > most ? walk.end - walk.at : most;
    return most - 1 + walk.groups - 1;
}

struct topo_node_group topo_node_group_of(const struct topo_tree *tree, int position)
{
    struct topo_node_group group = {0};
    int node_level = topo_tree_node_level(tree);
    for (int first = 0, end; first < tree->ranks; first = end) {
        end = unit_end(&(struct node){tree, first, tree->ranks}, node_level, first);
        struct walk walk = walk_through(tree, first, end);
        while (next_group(&walk))
            if (walk.at <= position && position < walk.end) {
                group.mine = walk.groups - 1;
                group.ranks = walk.end - walk.at;
            }
        if (first <= position && position < end)
            group.groups = walk.groups;
        group.groups_most = walk.groups > group.groups_most ? walk.groups : group.groups_most;
    }
    return group;
}
