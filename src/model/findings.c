#include "model/findings.h"

enum { INSIDE = TOPO_LEVEL_KINDS };

static struct topo_link *link_of(const struct topo_tree *tree, struct topo_params *params, int shared)
{
    return &params->link[shared < tree->levels ? (int)tree->kind[shared] : INSIDE];
}

/* What a message costs ranks that share processors when all are at it, from what more of them take, and what waiting
 * for the first one costs. Longer ones are the processors' matter too where they take much longer than the links
 * explain. */
static void add_crowd(const struct topo_findings *findings, const struct topo_tree *tree, int shared,
                      struct topo_link *link)
{
    const struct topo_level_findings *found = &findings->level[shared];
    const bool outside = shared <= topo_tree_node_level(tree);
    const double ends = 4.0 * found->pairs;
    double cores = topo_sharing_processors(&findings->sharing, tree->units[topo_tree_node_level(tree)]);
    /* The pairs' bytes share the link of a unit outside nodes. */
    double sharing = outside ? found->pairs_of_unit : 1, shortest = found->crowd_shortest;
    if (!findings->sharing.processors || !found->pairs || shortest <= 0)
        return;
    double more = (found->crowd_several - shortest) / (TOPO_CROWD_SEVERAL - 1);
    if (more <= 0 || more > shortest)
        more = shortest;
    double waiting = shortest - more;
    double middle = (found->crowd_middle - waiting) * cores / ends;
    double longest = (found->crowd_longest - waiting) * cores / ends;
    link->overhead = more * cores / ends;
    link->wait = 2 * waiting * cores / ends;
    link->packet = link->from = link->cpu = 0;
    if (outside && found->crowd_middle - waiting > 1.5 * sharing * link->beta * TOPO_CROWD_MIDDLE &&
        middle > 1.5 * link->overhead) {
        link->packet = middle;
        link->from = TOPO_CROWD_MIDDLE;
    }
    double least = link->packet > 0 ? link->packet : link->overhead;
    if (found->crowd_longest - waiting > 1.5 * sharing * link->beta * TOPO_CROWD_LONG && longest > least)
        link->cpu = (longest - least) / TOPO_CROWD_LONG;
    /* Start-up is what is left of the shortest message's time. */
    link->alpha -= 2 * (link->overhead + link->wait);
    if (link->alpha < 0)
        link->alpha = 0;
}

/* Levels that the machine has not: a message between such units was measured as one between the units inside them, the
 * innermost ones as one between ranks. */
static void fill_gaps(const struct topo_tree *tree, struct topo_params *params)
{
    const struct topo_link *inner = &params->link[INSIDE];
    for (int kind = TOPO_LEVEL_KINDS - 1; kind >= 0; kind--) {
        bool there = false;
        for (int level = 0; level < tree->levels; level++)
            there = there || (int)tree->kind[level] == kind;
        if (!there)
            params->link[kind] = *inner;
        inner = &params->link[kind];
    }
}

static void set_link(const struct topo_findings *findings, const struct topo_tree *tree, int shared,
                     struct topo_link *link)
{
    const struct topo_level_findings *found = &findings->level[shared];
    const bool outside = shared <= topo_tree_node_level(tree);
    link->alpha = found->shortest;
    link->shared = 0;
    /* Outside nodes the link decides, as it is with both directions at work, which is what collectives do; inside it is
     * memory, one pair and all of them. */
    if (outside && found->both > 0)
        link->beta = 1 / found->both;
    else if (found->bytes > 0 && found->longest > found->shortest)
        link->beta = (found->longest - found->shortest) / found->bytes;
    /* The memory all share; where processors are short, their time is what was measured. */
    if (!outside && found->in > 0 && !findings->sharing.processors)
        link->shared = 1 / found->in;
    add_crowd(findings, tree, shared, link);
}

void topo_findings_params(const struct topo_findings *findings, const struct topo_tree *tree,
                          struct topo_params *params)
{
    for (int shared = 0; shared <= tree->levels; shared++)
        if (findings->level[shared].shortest > 0)
            set_link(findings, tree, shared, link_of(tree, params, shared));
    params->cores = findings->sharing.processors;
    params->cores_kind = findings->sharing.of_node ? TOPO_LEVEL_NODE : TOPO_LEVEL_KINDS;
    params->turn = findings->turn;
    if (findings->copy > 0)
        params->copy = findings->copy;
    /* With all ranks at it a copy costs what a message's bytes do in memory, and a message through a link that hides
     * its cost no less. */
    double busy = params->link[INSIDE].cpu;
    if (findings->sharing.processors && busy > params->copy)
        params->copy = busy;
    for (int l = 0; findings->sharing.processors && l <= topo_tree_node_level(tree); l++)
        if (params->link[tree->kind[l]].cpu <= 0)
            params->link[tree->kind[l]].cpu = busy;
    if (findings->add > 0)
        params->gamma = findings->add;
    if (findings->message > 0)
        params->overhead = findings->message;
    fill_gaps(tree, params);
}
