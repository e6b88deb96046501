#include "patterns/strips.h"

#include "base/memory.h"

enum topo_status topo_strips_of(const struct topo_tree *tree, struct topo_strips *strips)
{
    int level = topo_tree_node_level(tree), nodes = tree->units[level];
    strips->nodes = nodes;
    strips->strips = 0;
    strips->player = tree->order;
    strips->first = topo_alloc((size_t)nodes + 1, sizeof *strips->first);
    if (!strips->first)
        return TOPO_NOMEM;
    topo_tree_unit_sizes(tree, level, strips->first);
    for (int node = 0, start = 0; node <= nodes; node++) {
        int size = node < nodes ? strips->first[node] : 0;
        if (size > strips->strips)
            strips->strips = size;
        strips->first[node] = start;
        start += size;
    }
    return TOPO_OK;
}

void topo_strips_free(struct topo_strips *strips)
{
    topo_free(strips->first);
    strips->first = NULL;
}

int topo_strips_members(const struct topo_strips *strips, int node)
{
    return strips->first[node + 1] - strips->first[node];
}

int topo_strips_owner(const struct topo_strips *strips, int node, int strip)
{
    return strip % topo_strips_members(strips, node);
}

int topo_strips_rank(const struct topo_strips *strips, int node, int strip)
{
    return strips->player[strips->first[node] + topo_strips_owner(strips, node, strip)];
}

int topo_strips_node(const struct topo_strips *strips, int place)
{
    int low = 0, high = strips->nodes;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (strips->first[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void topo_moves_strip(struct topo_moves *moves, const struct topo_strips *strips, int place, int strip,
                      struct topo_block whole)
{
    int node = topo_strips_node(strips, place), member = place - strips->first[node], nodes = strips->nodes;
    int size = topo_strips_members(strips, node), owner = topo_strips_owner(strips, node, strip);
    const int *mates = strips->player + strips->first[node];
    struct topo_block part = topo_block_of(whole, strips->strips, strip);
    unsigned input = TOPO_MOVE_SENDS_INPUT | TOPO_MOVE_MEETS_INPUT;
    if (member != owner) {
        topo_moves_send(moves, mates[owner], part, TOPO_MOVE_SENDS_INPUT);
        topo_moves_receive(moves, mates[owner], part, 0);
        return;
    }
    for (int i = 1; i < size; i++) {
        topo_moves_receive(moves, mates[(owner + i) % size], part,
                           TOPO_MOVE_ADD | (i == 1 ? (unsigned)TOPO_MOVE_MEETS_INPUT : 0));
        input = 0;
    }
    int to = topo_strips_rank(strips, (node + 1) % nodes, strip);
    int from = topo_strips_rank(strips, (node + nodes - 1) % nodes, strip);
    topo_moves_ring(moves, nodes, node, to, from, part, TOPO_MOVE_ADD | input);
    topo_moves_ring(moves, nodes, node, to, from, part, 0);
    int complete = moves->count;
    for (int i = 1; i < size; i++) {
        topo_moves_send(moves, mates[(owner + i) % size], part, 0);
        if (!moves->failed)
            moves->list[moves->count - 1].after = complete;
    }
}
