#include "patterns/trees_racks.h"

enum { TREES = 2 };

/* The nodes of a rack but the root, numbered from 0: members 0 and 1 are the heads, the only one is both; the others
 * come after them. */
struct rack {
    int first, members;
    int place; /* so many racks are between it and the root */
};

/* All of them, one after the other from the root's on. */
struct racks {
    const struct topo_levels *levels;
    const struct topo_level *level; /* whose units are racks */
    int root, count;
    int begin; /* the unit of the first rack, which is the root's, or the next one if the root is alone there */
};

static bool in_racks(const struct topo_levels *levels)
{
    return levels->count > 1;
}

static struct racks racks_of(const struct topo_levels *levels, int root)
{
    struct racks racks = {.levels = levels, .level = &levels->level[levels->count - 2], .root = root};
    int own = topo_unit_of(racks.level, root), alone = topo_unit_size(racks.level, own) == 1;
    racks.begin = own + alone;
    racks.count = racks.level->units - alone;
    return racks;
}

static struct rack rack_of_unit(const struct racks *racks, int unit)
{
    int units = racks->level->units;
    return (struct rack){.first = racks->level->first[unit],
                         .members = topo_unit_size(racks->level, unit) - topo_unit_has(racks->level, unit, racks->root),
                         .place = (unit - racks->begin + units) % units};
}

/* The rack `by` places further, or back. */
static struct rack neighbour(const struct racks *racks, const struct rack *rack, int by)
{
    return rack_of_unit(racks, (racks->begin + rack->place + by) % racks->level->units);
}

static int member_of(const struct racks *racks, const struct rack *rack, int node)
{
    return node - rack->first - (rack->first <= racks->root && racks->root < node);
}

/* The number of a member. */
static int number_of(const struct racks *racks, const struct rack *rack, int member)
{
    int node = rack->first + member;
    node += rack->first <= racks->root && racks->root <= node;
    return topo_levels_number(racks->levels, racks->root, node);
}

static int head_of(const struct rack *rack, int tree)
{
    return rack->members > 1 ? tree : 0;
}

/* The member that has a place to spare in a tree, for the head of the other one: the last that is inside it, or where
 * others are odd the last of all, in both. */
static int host(const struct rack *rack, int tree)
{
    int others = rack->members - TREES;
    return TREES + (others % 2 == 0 ? others - 2 + tree : others - 1);
}

/* The member below which the head of the other tree is a leaf of this one. */
static int above_leaf(const struct rack *rack, int tree)
{
    return rack->members == TREES ? head_of(rack, tree) : host(rack, tree);
}

/* The member to which a head passes its tree on. */
static int below_head(const struct rack *rack, int tree)
{
    return rack->members == TREES ? head_of(rack, 1 - tree) : rack->members == TREES + 1 ? TREES : TREES + tree;
}

/* An edge to the head of a rack. */
static void add_head(const struct racks *racks, const struct rack *rack, int tree, struct topo_trees *to)
{
    topo_trees_add(to, tree, number_of(racks, rack, head_of(rack, tree)));
}

static void find_head(const struct racks *racks, const struct rack *rack, int tree, struct topo_trees *to)
{
    to->parent[tree] = 0;
    if (rack->place > 0) {
        struct rack before = neighbour(racks, rack, -1);
        to->parent[tree] = number_of(racks, &before, head_of(&before, tree));
    }
    if (rack->place + 1 < racks->count) {
        struct rack next = neighbour(racks, rack, 1);
        add_head(racks, &next, tree, to);
    }
    if (rack->members == 1)
        return;
    to->parent[1 - tree] = number_of(racks, rack, above_leaf(rack, 1 - tree));
    topo_trees_add(to, tree, number_of(racks, rack, below_head(rack, tree)));
}

static void find_other(const struct racks *racks, const struct rack *rack, int member, struct topo_trees *to)
{
    struct topo_trees inside = {.trees = TREES};
    if (rack->members > TREES + 1) /* one alone has a head as parent in each tree */
        topo_trees_make(rack->members - TREES + 1, member - TREES + 1, TREES, &inside);
    for (int tree = 0; tree < TREES; tree++)
        to->parent[tree] = number_of(racks, rack, inside.parent[tree] == 0 ? tree : inside.parent[tree] - 1 + TREES);
    for (int e = 0; e < inside.edges; e++)
        topo_trees_add(to, inside.tree[e], number_of(racks, rack, inside.child[e] - 1 + TREES));
    for (int tree = 0; tree < TREES; tree++)
        if (host(rack, tree) == member)
            topo_trees_add(to, tree, number_of(racks, rack, 1 - tree));
}

void topo_trees_find(const struct topo_levels *levels, int root, int node, int trees, struct topo_trees *to)
{
    if (trees != TREES || !in_racks(levels)) {
        topo_trees_make(levels->nodes, topo_levels_number(levels, root, node), trees, to);
        return;
    }
    const struct racks racks = racks_of(levels, root);
    *to = (struct topo_trees){.nodes = levels->nodes, .node = topo_levels_number(levels, root, node), .trees = TREES};
    if (node == root) {
        struct rack first = rack_of_unit(&racks, racks.begin % racks.level->units);
        for (int tree = 0; tree < TREES; tree++)
            add_head(&racks, &first, tree, to);
        return;
    }
    const struct rack rack = rack_of_unit(&racks, topo_unit_of(racks.level, node));
    int member = member_of(&racks, &rack, node);
    if (member >= TREES)
        find_other(&racks, &rack, member, to);
    for (int tree = 0; tree < TREES; tree++)
        if (member == head_of(&rack, tree))
            find_head(&racks, &rack, tree, to);
}

int topo_trees_hops(const struct topo_levels *levels, int trees)
{
    if (trees != TREES || !in_racks(levels))
        return topo_trees_depth(levels->nodes, trees);
    const struct topo_level *level = &levels->level[levels->count - 2];
    int largest = 0;
    for (int unit = 0; unit < level->units; unit++)
        largest = topo_unit_size(level, unit) > largest ? topo_unit_size(level, unit) : largest;
    return level->units + (largest > 1 ? topo_trees_depth(largest - 1, TREES) + 1 : 0);
}
