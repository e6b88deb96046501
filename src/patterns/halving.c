#include "patterns/halving.h"

#include <stdlib.h>

#include "base/memory.h"
#include "patterns/paths.h"

/* A block on this node: the outermost level at which it parts from the node that gets it next, -1 for its own; that
 * node; its place in the vector. */
struct block {
    int level, to, place;
};

void topo_halving_free(struct topo_halving *halving)
{
    if (!halving)
        return;
    topo_free_all(halving->step, halving->child, halving->message, halving->span, halving);
}

/* Sorts the nodes by their unit in the group of `level`, else as they were: from[] to to[]; first[] has room for a unit
 * more than a group has. */
static void sort_by_unit(const struct topo_levels *levels, int level, const int *from, int *to, int *first)
{
    for (int i = 0; i <= levels->nodes; i++)
        first[i] = 0;
    for (int i = 0; i < levels->nodes; i++)
        first[topo_group_of(levels, level, from[i]).mine + 1]++;
    for (int i = 0; i < levels->nodes; i++)
        first[i + 1] += first[i];
    for (int i = 0; i < levels->nodes; i++)
        to[first[topo_group_of(levels, level, from[i]).mine]++] = from[i];
}

bool topo_halving_sort_nodes(const struct topo_levels *levels, int *order)
{
    int *other = topo_alloc((size_t)levels->nodes, sizeof *other);
    int *first = topo_alloc((size_t)levels->nodes + 1, sizeof *first);
    bool good = other && first;
    for (int node = 0; node < levels->nodes; node++)
        order[node] = node;
    for (int level = 0; good && level < levels->count; level++) {
        sort_by_unit(levels, level, order, other, first);
        for (int i = 0; i < levels->nodes; i++)
            order[i] = other[i];
    }
    topo_free(other);
    topo_free(first);
    return good;
}

static void add_block(struct topo_halving *halving, struct topo_block_set *set, int place)
{
    struct topo_block_span *last = set->count > 0 ? &halving->span[halving->spans - 1] : NULL;
    if (set->count == 0)
        set->first = halving->spans;
    set->blocks++;
    if (last && last->first + last->count == place) {
        last->count++;
        return;
    }
    halving->span[halving->spans++] = (struct topo_block_span){place, 1};
    set->count++;
}

/* By node that gets it at this level; by place. */
static int by_message(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    return x->to != y->to ? (x->to > y->to) - (x->to < y->to) : (x->place > y->place) - (x->place < y->place);
}

/* The step at `level`; `sent` are the blocks that leave in it. */
static void fill_step(struct topo_halving *halving, const struct topo_levels *levels, int level, int node,
                      const struct block *by_place, const struct block *sent, int count)
{
    const struct topo_level *here = &levels->level[level];
    struct topo_group group = topo_group_of(levels, level, node);
    struct topo_halving_step *step = &halving->step[halving->count++];
    int lane = node - here->first[group.first + group.mine];
    *step = (struct topo_halving_step){.level = level,
                                       .mine = group.mine,
                                       .units = group.count,
                                       .child = halving->children,
                                       .message = halving->messages};
    for (int place = 0; place < levels->nodes; place++)
        if (by_place[place].level < level)
            add_block(halving, &step->kept, place);
    for (int unit = 0; unit < group.count; unit++)
        if (unit != group.mine)
            halving->child[halving->children++] = topo_gather_lane_node(here, group.first + unit, lane);
    for (int i = 0; i < count; i++) {
        if (i == 0 || sent[i].to != sent[i - 1].to)
            halving->message[halving->messages++] = (struct topo_halving_message){.node = sent[i].to};
        add_block(halving, &halving->message[halving->messages - 1].set, sent[i].place);
    }
    step->messages = halving->messages - step->message;
}

/* Memory for everything, as much as is needed at most. */
static bool make_room(struct topo_halving *halving, const struct topo_levels *levels, int node)
{
    size_t nodes = (size_t)levels->nodes, children = 0;
    for (int level = 0; level < levels->count; level++)
        children += (size_t)topo_group_of(levels, level, node).count;
    halving->step = topo_alloc((size_t)levels->count + 1, sizeof *halving->step);
    halving->child = topo_alloc(children + 1, sizeof *halving->child);
    halving->message = topo_alloc(nodes, sizeof *halving->message);
    /* Every block is sent once at most, and kept on every level. */
    halving->span = topo_alloc(nodes * ((size_t)levels->count + 1), sizeof *halving->span);
    return halving->step && halving->child && halving->message && halving->span;
}

enum topo_status topo_halving_new(const struct topo_levels *levels, int node, struct topo_halving **out)
{
    struct topo_halving *halving = topo_calloc(1, sizeof *halving);
    struct topo_paths *paths = NULL;
    int nodes = levels->nodes, *order = topo_alloc((size_t)nodes, sizeof *order);
    struct block *by_place = topo_alloc((size_t)nodes, sizeof *by_place);
    struct block *sent = topo_alloc((size_t)nodes, sizeof *sent);
    enum topo_status status = TOPO_NOMEM;
    *out = NULL;
    if (!halving || !order || !by_place || !sent || !make_room(halving, levels, node) ||
        !topo_halving_sort_nodes(levels, order) || topo_paths_new(levels, node, TOPO_PATH_DIRECT, &paths) != TOPO_OK)
        goto out;
    halving->nodes = nodes;
    for (int place = 0; place < nodes; place++) {
        int to = paths->from[order[place]];
        by_place[place] = (struct block){to < 0 ? -1 : topo_levels_parting(levels, node, to), to, place};
    }
    for (int level = levels->count - 1; level >= 0; level--) {
        int count = 0;
        for (int place = 0; place < nodes; place++)
            if (by_place[place].level == level)
                sent[count++] = by_place[place];
        qsort(sent, (size_t)count, sizeof *sent, by_message);
        if (topo_group_of(levels, level, node).count > 1)
            fill_step(halving, levels, level, node, by_place, sent, count);
    }
    struct topo_block_span *fit = topo_realloc(halving->span, (size_t)halving->spans + 1, sizeof *fit);
    if (!fit)
        goto out;
    halving->span = fit;
    status = TOPO_OK;
out:
    topo_paths_free(paths);
    topo_free(sent);
    topo_free(by_place);
    topo_free(order);
    if (status == TOPO_OK)
        *out = halving;
    else
        topo_halving_free(halving);
    return status;
}

int topo_halving_source(const struct topo_halving *plan, const struct topo_halving_step *step,
                        const struct topo_levels *levels, int root, int node)
{
    const int *child = plan->child + step->child, *end = child + step->units - 1;
    if (topo_halving_has_all(levels, step, root, node))
        return -1;
    while (child < end && !topo_halving_has_all(levels, step, root, *child))
        child++;
    return child < end ? *child : -1;
}
