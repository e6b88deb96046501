#include "patterns/reduce_plan.h"

#include <stdlib.h>

#include "base/memory.h"
#include "patterns/chain.h"
#include "patterns/limits.h"
#include "patterns/paths.h"
#include "patterns/trees_racks.h"

/* Segments are dealt out over all blocks where a block is not cut for all ranks of a node, so that all of them have
 * messages to send: where a message takes 0.5 us of a processor and 0.1 ns a byte, 128 KiB on 16 simulated nodes of 8
 * take 48 us instead of 94, on 4 racks of 4 nodes of 16 67 instead of 104, and as long as before where it takes none.
 * Ranks that share processors gain nothing by it among few nodes: there as many as a block has segments send, each of
 * them several messages together. */
static bool deals_across(const struct topo_levels *levels, int stripes, bool oversubscribed)
{
    enum { MANY = 17 };
    return levels->nodes >= MANY || (!oversubscribed && stripes < levels->ranks_most);
}

/* A block and what it is sorted by. */
struct block {
    int number, hops, after;
};

static int by_start(const void *a, const void *b)
{
    const struct block *x = a, *y = b;
    return x->hops != y->hops ? y->hops - x->hops : x->after - y->after;
}

/* The blocks in the order in which they are worth adding up. Nodes begin with the block of the next node, each with
 * another one's. False when memory is out. */
static bool order_blocks(const struct topo_paths *paths, int nodes, int node, int *order)
{
    TOPO_SCOPED struct block *block = topo_alloc((size_t)nodes, sizeof *block);
    if (!block)
        return false;
    for (int i = 0; i < nodes; i++)
        block[i] = (struct block){i, paths->hops[i], (i - node + nodes) % nodes};
    qsort(block, (size_t)nodes, sizeof *block, by_start);
    for (int i = 0; i < nodes; i++)
        order[i] = block[i].number;
    return true;
}

/* Adds an operand to another one, after those that are added to it already. */
static void add_into(struct topo_reduce_plan_operand *operand, int into, int from)
{
    int *last = &operand[into].first;
    while (*last >= 0)
        last = &operand[*last].next;
    *last = from;
    operand[from].into = into;
}

/* An operand and the node that it comes from. */
struct source {
    int node, operand;
};

static int by_node(const void *a, const void *b)
{
    return ((const struct source *)a)->node - ((const struct source *)b)->node;
}

/* Adds up what comes from a unit, in its order, of which `level` tells the parts; returns the operand with the sum. */
static int add_unit(const struct topo_levels *sum_levels, int level, const struct source *source, int count,
                    struct topo_reduce_plan_operand *operand)
{
    int total = -1;
    if (count == 1)
        return source->operand;
    for (int end, first = 0; first < count; first = end) {
        int part = topo_unit_of(&sum_levels->level[level], source[first].node);
        for (end = first + 1; end < count && topo_unit_has(&sum_levels->level[level], part, source[end].node);)
            end++;
        int of_part = add_unit(sum_levels, level + 1, source + first, end - first, operand);
        if (total >= 0)
            add_into(operand, total, of_part);
        else
            total = of_part;
    }
    return total;
}

/* Room for the operands of one more task, nothing added to any yet. */
static struct topo_reduce_plan_operand *begin_operands(struct topo_reduce_plan *plan,
                                                       struct topo_reduce_plan_task *task)
{
    task->operand = task->child + plan->tasks; /* each task before has one more than children */
    for (int i = 0; i <= task->children; i++)
        plan->operand[task->operand + i] = (struct topo_reduce_plan_operand){-1, -1, -1};
    return plan->operand + task->operand;
}

/* Across blocks a rank further each time: blocks that are as many ranks
 * apart often have as far to go, and a rank should have some of each. */
int topo_reduce_plan_driver(const struct topo_reduce_plan *plan, int segment, int ranks)
{
    return (plan->across ? segment + segment / ranks : segment % plan->stripes) % ranks;
}

static int driver(const struct topo_reduce_plan *plan, const struct topo_levels *levels, int node, int segment)
{
    return levels->start[node] + topo_reduce_plan_driver(plan, segment, topo_node_ranks(levels, node));
}

/* Memory for so many tasks with so many children in all; false when it is out. */
static bool allocate(struct topo_reduce_plan *plan, size_t tasks, size_t children, size_t blocks)
{
    plan->task = topo_alloc(tasks + 1, sizeof *plan->task);
    plan->child = topo_alloc(children + 1, sizeof *plan->child);
    plan->task_of = topo_alloc(children + 1, sizeof *plan->task_of);
    plan->operand = topo_alloc(children + tasks + 1, sizeof *plan->operand);
    plan->order = topo_calloc(blocks, sizeof *plan->order);
    plan->task_stream = topo_alloc(tasks + 1, sizeof *plan->task_stream);
    plan->child_stream = topo_alloc(children + 1, sizeof *plan->child_stream);
    return plan->task && plan->child && plan->task_of && plan->operand && plan->order && plan->task_stream &&
           plan->child_stream;
}

/* A message between this rank and `peer`, and its place in a list of them. */
struct message {
    int peer, stream, segment, index;
};

static bool in_one_stream(const struct message *a, const struct message *b)
{
    return a->peer == b->peer && a->stream == b->stream;
}

static int by_stream(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return x->peer != y->peer       ? x->peer - y->peer
           : x->stream != y->stream ? x->stream - y->stream
                                    : x->segment - y->segment;
}

/* Sorts message[]. */
static void link_streams(struct message *message, int count, struct topo_reduce_plan_stream *stream)
{
    qsort(message, (size_t)count, sizeof *message, by_stream);
    for (int end, first = 0; first < count; first = end) {
        for (end = first; end < count && in_one_stream(&message[end], &message[first]); end++)
            stream[message[end].index] = (struct topo_reduce_plan_stream){message[first].index, message[end + 1].index};
        stream[message[end - 1].index].next = message[first].index;
    }
}

/* The last thing that a plan gets. */
static enum topo_status keep_streams(struct topo_reduce_plan *plan)
{
    const int most = plan->tasks > plan->children ? plan->tasks : plan->children;
    TOPO_SCOPED struct message *message = topo_calloc((size_t)most + 1, sizeof *message);
    if (!message)
        return TOPO_NOMEM;
    for (int i = 0; i < plan->tasks; i++)
        message[i] = (struct message){plan->task[i].parent, topo_stream_of((unsigned)plan->task[i].segment),
                                      plan->task[i].segment, i};
    link_streams(message, plan->tasks, plan->task_stream);
    for (int i = 0; i < plan->children; i++) {
        const int segment = plan->task[plan->task_of[i]].segment;
        message[i] = (struct message){plan->child[i], topo_stream_of((unsigned)segment), segment, i};
    }
    link_streams(message, plan->children, plan->child_stream);
    return TOPO_OK;
}

enum topo_status topo_reduce_plan_new(const struct topo_levels *levels, const struct topo_levels *sum_levels, int node,
                                      int local, int stripes, bool oversubscribed, struct topo_reduce_plan **out)
{
    TOPO_SCOPED_BY(topo_reduce_plan_end) struct topo_reduce_plan *plan = topo_calloc(1, sizeof *plan);
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;
    TOPO_SCOPED struct source *source = topo_alloc((size_t)levels->nodes, sizeof *source);
    int ranks = topo_node_ranks(levels, node);

    *out = NULL;
    if (!plan || !source || topo_paths_new(levels, node, TOPO_PATH_DIRECT, &paths) != TOPO_OK)
        return TOPO_NOMEM;
    plan->segments = levels->nodes * stripes;
    plan->stripes = stripes;
    plan->across = deals_across(levels, stripes, oversubscribed);
    plan->in_place = node == 0 ? stripes : 0;
    size_t most = (size_t)((stripes - 1) / ranks + 1 + plan->across); /* of a block's segments */
    if (!allocate(plan, most * (size_t)levels->nodes, (size_t)paths->first_to[levels->nodes] * most,
                  (size_t)levels->nodes) ||
        !order_blocks(paths, levels->nodes, node, plan->order))
        return TOPO_NOMEM;
    for (int i = 0; i < levels->nodes; i++) {
        int block = plan->order[i], from = paths->from[block];
        const int *to = paths->to + paths->first_to[block];
        int count = paths->first_to[block + 1] - paths->first_to[block];
        source[0] = (struct source){node, 0};
        for (int child = 0; child < count; child++)
            source[child + 1] = (struct source){to[child], child + 1};
        qsort(source, (size_t)count + 1, sizeof *source, by_node);
        for (int stripe = 0; stripe < stripes; stripe++) {
            int segment = block * stripes + stripe;
            if (topo_reduce_plan_driver(plan, segment, ranks) != local)
                continue;
            struct topo_reduce_plan_task task = {.segment = segment,
                                                 .parent = from < 0 ? -1 : driver(plan, levels, from, segment),
                                                 .child = plan->children,
                                                 .children = count,
                                                 .place = i * stripes + stripe};
            struct topo_reduce_plan_operand *operand = begin_operands(plan, &task);
            for (int child = 0; child < count; child++) {
                plan->task_of[plan->children] = plan->tasks;
                plan->child[plan->children++] = driver(plan, levels, to[child], segment);
            }
            task.total = add_unit(sum_levels, 0, source, count + 1, operand);
            plan->task[plan->tasks++] = task;
        }
    }
    if (keep_streams(plan) != TOPO_OK)
        return TOPO_NOMEM;
    *out = TOPO_KEPT(plan);
    return TOPO_OK;
}

/* Where a node stands in the tree that a stripe goes up: the nodes next to it. */
struct place {
    int parent, children, child[TOPO_TREES_MOST];
};

static enum topo_status place_in_chain(const struct topo_levels *levels, int root, int node, bool divided,
                                       struct place *to)
{
    struct topo_chain_place place;
    if (topo_chain_place(levels, root, node, divided, &place) != TOPO_OK)
        return TOPO_NOMEM;
    *to = (struct place){place.parent, place.children, {place.child[0], place.child[1]}};
    return TOPO_OK;
}

static struct place place_in_trees(const struct topo_levels *levels, int root, int node, int trees, int stripe)
{
    struct topo_trees all;
    topo_trees_find(levels, root, node, trees, &all);
    int tree = all.trees > 0 ? stripe % all.trees : 0;
    struct place place = {.parent = node == root ? -1 : topo_levels_numbered(levels, root, all.parent[tree])};
    for (int edge = 0; edge < all.edges; edge++)
        if (all.tree[edge] == tree)
            place.child[place.children++] = topo_levels_numbered(levels, root, all.child[edge]);
    return place;
}

enum topo_status topo_reduce_plan_collect(const struct topo_levels *levels, int root, int node, int local, int stripes,
                                          int trees, struct topo_reduce_plan **out)
{
    TOPO_SCOPED_BY(topo_reduce_plan_end) struct topo_reduce_plan *plan = topo_calloc(1, sizeof *plan);
    struct place place = {.parent = -1};
    int ranks = topo_node_ranks(levels, node), mine = local < stripes ? (stripes - 1 - local) / ranks + 1 : 0;
    *out = NULL;
    if (!plan || !allocate(plan, (size_t)mine, (size_t)(trees < 2 ? 2 : trees) * (size_t)mine, 1) ||
        (trees < 2 && place_in_chain(levels, root, node, trees == 1, &place) != TOPO_OK))
        return TOPO_NOMEM;
    plan->segments = plan->stripes = stripes;
    plan->in_place = node == root ? stripes : 0;
    plan->trees = trees;
    for (int stripe = local; stripe < stripes; stripe += ranks) {
        if (trees > 1)
            place = place_in_trees(levels, root, node, trees, stripe);
        int parent = place.parent < 0 ? -1 : driver(plan, levels, place.parent, stripe);
        struct topo_reduce_plan_task task = {.segment = stripe,
                                             .parent = parent,
                                             .child = plan->children,
                                             .children = place.children,
                                             .place = stripe,
                                             .total = parent >= 0 && place.children > 0};
        struct topo_reduce_plan_operand *operand = begin_operands(plan, &task);
        for (int i = 0; i < place.children; i++) {
            plan->task_of[plan->children] = plan->tasks;
            plan->child[plan->children++] = driver(plan, levels, place.child[i], stripe);
            add_into(operand, task.total, i + 1 == task.total ? 0 : i + 1);
        }
        plan->task[plan->tasks++] = task;
    }
    if (keep_streams(plan) != TOPO_OK)
        return TOPO_NOMEM;
    *out = TOPO_KEPT(plan);
    return TOPO_OK;
}

void topo_reduce_plan_free(struct topo_reduce_plan *plan)
{
    if (!plan)
        return;
    topo_free_all(plan->task, plan->child, plan->task_of, plan->order, plan->operand, plan->task_stream,
                  plan->child_stream, plan);
}
