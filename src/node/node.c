#include "node/node.h"

#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "node/idle.h"

struct topo_counters topo_counters_start;

void topo_counters_set(const struct topo_node *node)
{
    topo_channel_barrier(node->place.channel);
}

struct topo_node *topo_node_new(const struct topo_node_place *place)
{
    struct topo_node *node = topo_calloc(1, sizeof *node);
    if (!node)
        return NULL;
    node->place = *place;
    if (topo_levels_new(place->tree, 0, &node->levels) != TOPO_OK)
        goto no_memory;
    node->index = topo_levels_node(node->levels, place->position);
    int first = node->levels->start[node->index];
    node->local = place->position - first;
    node->ranks = topo_node_ranks(node->levels, node->index);
    node->group = topo_node_group_of(place->tree, place->position);
    node->group_start = topo_alloc((size_t)node->ranks + 1, sizeof *node->group_start);
    if (!node->group_start)
        goto no_memory;
    topo_node_groups(place->tree, first, first + node->ranks, node->group_start);
    node->in_order = true;
    for (int i = 0; i < place->tree->ranks; i++)
        node->in_order &= topo_tree_rank(place->tree, i) == i;
    const int shared = topo_job.sharing.processors;
    node->wait_policy = topo_wait_policy_of(place->channel, place->rank, shared > 0 && topo_job.node_ranks > shared);
    topo_idle_add(node);
    return node;
no_memory:
    topo_levels_free(node->levels);
    topo_free(node);
    return NULL;
}

const struct topo_levels *topo_node_levels(struct topo_node *node, int radix)
{
    struct topo_node_division *division = node->divisions;
    while (division && division->radix != radix)
        division = division->next;
    if (!division && (division = topo_calloc(1, sizeof *division))) {
        division->radix = radix;
        division->next = node->divisions;
        node->divisions = division;
    }
    if (division && !division->levels)
        topo_levels_new(node->place.tree, radix, &division->levels);
    return division ? division->levels : NULL;
}

const struct topo_halving *topo_node_halving(struct topo_node *node)
{
    const struct topo_levels *levels = node->halving ? NULL : topo_node_few_levels(node);
    if (levels)
        topo_halving_new(levels, node->index, &node->halving);
    return node->halving;
}

static void free_divisions(struct topo_node *node)
{
    while (node->divisions) {
        struct topo_node_division *division = node->divisions;
        node->divisions = division->next;
        topo_levels_free(division->levels);
        topo_free(division);
    }
}

void topo_node_free(struct topo_node *node)
{
    if (!node)
        return;
    topo_idle_remove(node);
    topo_node_drop_regions(node);
    topo_levels_free(node->levels);
    topo_free(node->group_start);
    topo_halving_free(node->halving);
    free_divisions(node);
    topo_free(node);
}
