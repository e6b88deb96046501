#include "patterns/trees.h"

/* What k trees of `others` nodes beside the root have in common. */
struct order {
    int others, trees, whole, rest; /* others = whole * trees + rest */
};

static struct order order_of(int nodes, int trees)
{
    int others = nodes - 1;
    if (trees > others)
        trees = others;
    return (struct order){others, trees, trees > 0 ? others / trees : 0, trees > 0 ? others % trees : 0};
}

static int interiors(const struct order *order, int tree)
{
    return order->whole + (tree < order->rest);
}

/* Leaves come in falling order: so the last ones are none of those that have places to spare. */
static int leaf_turned(const struct order *order, int tree, int leaf)
{
    return order->others - interiors(order, tree) - 1 - leaf;
}

/* The place of node u + 1 in a tree, and back. */
static int place_of(const struct order *order, int tree, int u)
{
    int column = u % order->trees, row = u / order->trees;
    if (column == tree)
        return row;
    int leaf = row * (order->trees - 1) + column - (column > tree);
    return interiors(order, tree) + leaf_turned(order, tree, leaf);
}

static int node_at(const struct order *order, int tree, int place)
{
    int inner = interiors(order, tree);
    if (place < inner)
        return place * order->trees + tree + 1;
    int leaf = leaf_turned(order, tree, place - inner), column = leaf % (order->trees - 1);
    return leaf / (order->trees - 1) * order->trees + column + (column >= tree) + 1;
}

/* Those without a place among all trees, counted through: number x is number x % (rest - 1) of tree rest + x / (rest -
 * 1), and goes below the last interior node of tree x / spare. */
static int spare(const struct order *order)
{
    return order->trees - order->rest + 1;
}

static int host(const struct order *order, int x)
{
    return order->whole * order->trees + x / spare(order) + 1;
}

static int parent_of(const struct order *order, int tree, int place)
{
    if (place == 0)
        return 0;
    int inner = interiors(order, tree), above = (place - 1) / order->trees;
    if (above < inner)
        return node_at(order, tree, above);
    return host(order, (tree - order->rest) * (order->rest - 1) + place - 1 - order->trees * inner);
}

static void find_children(const struct order *order, int u, struct topo_trees *to)
{
    int trees = order->trees, tree = u % trees, row = u / trees;
    for (int64_t place = (int64_t)row * trees + 1; place <= ((int64_t)row + 1) * trees && place < order->others;
         place++)
        topo_trees_add(to, tree, node_at(order, tree, (int)place));
    if (row < order->whole || order->rest < 2)
        return;
    int homeless = (trees - order->rest) * (order->rest - 1);
    for (int x = tree * spare(order); x < (tree + 1) * spare(order) && x < homeless; x++) {
        int other = order->rest + x / (order->rest - 1);
        topo_trees_add(to, other, node_at(order, other, trees * order->whole + 1 + x % (order->rest - 1)));
    }
}

void topo_trees_make(int nodes, int node, int trees, struct topo_trees *to)
{
    const struct order order = order_of(nodes, trees);
    *to = (struct topo_trees){.nodes = nodes, .node = node, .trees = order.trees};
    for (int tree = 0; tree < order.trees; tree++) {
        if (node == 0)
            topo_trees_add(to, tree, node_at(&order, tree, 0));
        else
            to->parent[tree] = parent_of(&order, tree, place_of(&order, tree, node - 1));
    }
    if (node > 0)
        find_children(&order, node - 1, to);
}

/* Of a node at a place that has its parent at a place. */
static int hops_to(const struct order *order, int place)
{
    int hops = 1;
    for (; place > 0; place = (place - 1) / order->trees)
        hops++;
    return hops;
}

/* The last place is the deepest one; a node without one is below a leaf. */
int topo_trees_depth(int nodes, int trees)
{
    const struct order order = order_of(nodes, trees);
    if (order.trees < 2)
        return order.others;
    int hops = hops_to(&order, order.rest > 0 ? order.others - 1 : order.trees * order.whole - 1);
    if (order.rest < 2)
        return hops;
    int tree = order.trees - 1, below = hops_to(&order, place_of(&order, tree, order.trees * order.whole)) + 1;
    return below > hops ? below : hops;
}
