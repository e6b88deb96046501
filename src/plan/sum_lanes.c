/* Long sums that all ranks of a node drive, in periods (plan.h).
 *
 * Of all-reduces and reduce-scatters the vector has a block for each node, cut into `stripes`; stripe s is driven on
 * every node by its rank s mod ranks, so every rank drives a part of the exchange, whatever the nodes' sizes; where
 * blocks are too short to be cut for all ranks, stripes are dealt out over all of them. A stripe's sum travels along
 * the block's paths (patterns/paths.h, direct ones) backwards: from all nodes to the node that the block belongs to,
 * each unit of each level of the machine giving one partial sum out; the total may take the same way forwards. So of a
 * vector of m bytes a node's link carries 2m(1 - 1/nodes) each way, the least there can be, in two steps a level:
 * nodes that are in no racks send to one another, and each gets as many messages as all others. Along the levels of a
 * radix some would get more, where its powers are not the number of nodes.
 *
 * Additions follow the levels of a radix, from inside out and the units of a group in their order, as sum_leader.c has
 * them, whichever node they take place on: so the result does not depend on how the vector is cut, to the last bit.
 * Each takes place as soon as that allows.
 *
 * A chain is the sum that one node gets: the vector is a single block, and each node of a chain (patterns/chain.h) adds
 * its own to the partial sum of the node before it. Additions follow the chain. But for the root they take place where
 * the first partial sum has landed, in the driving rank's own memory: that of the node, which all of its ranks go
 * through, carries its sum once, however many nodes send to it. With 1 tree the chain is divided: its links carry the
 * vector twice, but it is as deep as the logarithm of the nodes. With k of 2 to TOPO_TREES_MOST stripe s goes up tree s
 * mod k of patterns/trees.h: as deep, and links carry the vector once, but of levels they know racks alone, and those
 * where k is 2. 0: neither. */
#include <limits.h>
#include <stdlib.h>

#include "base/memory.h"
#include "patterns/chain.h"
#include "patterns/paths.h"
#include "patterns/reduce_cut.h"
#include "patterns/trees_racks.h"
#include "plan/sum_lanes.h"

/* Where no totals go back, the partial sums of every so many rounds are waited for: a node that is ahead would fill
 * another one's memory otherwise. */
enum { WINDOW = TOPO_REDUCE_WINDOWS_MORE };

enum topo_status topo_sum_lanes_cut(const struct topo_levels *levels, const struct topo_levels *few, size_t bytes,
                                    bool scatters, bool oversubscribed, struct topo_sum_cut *cut)
{
    const int nodes = levels->nodes, least = levels->ranks_least, most = levels->ranks_most;
    const size_t longest = bytes / (size_t)levels->start[nodes] * (size_t)most;
    int more;
    if (topo_reduce_cut_sent_more(levels, few, &more) != TOPO_OK)
        return TOPO_NOMEM;
    const bool direct = topo_reduce_cut_direct(bytes, nodes, more, oversubscribed);
    const struct topo_reduce_scatter_cut scatter =
        topo_reduce_cut_scatter(bytes, longest, nodes, least, most, direct, oversubscribed);
    const int stripes = scatters ? scatter.stripes : topo_reduce_cut_stripes(bytes, nodes, most, direct);
    *cut = (struct topo_sum_cut){stripes, direct,
                                 scatters ? scatter.segment
                                          : topo_reduce_cut_segment(bytes, nodes, most, stripes, oversubscribed)};
    return TOPO_OK;
}

/* Stripes are dealt out over all blocks where a block is not cut for all ranks of a node, so that all of them have
 * messages to send, and each message's time on a processor is shared. Ranks that share processors gain nothing by it
 * among few nodes: there as many as a block has stripes send, each of them several messages together. */
struct topo_stripes_dealt topo_stripes_deal(const struct topo_levels *levels, int stripes, bool oversubscribed)
{
    enum { MANY = 17 };
    return (struct topo_stripes_dealt){levels, stripes,
                                       levels->nodes >= MANY || (!oversubscribed && stripes < levels->ranks_most)};
}

/* Across blocks a rank further each time: blocks that are as many ranks apart often have as far to go, and a rank
 * should have some of each. */
int topo_stripe_driver(const struct topo_stripes_dealt *dealt, int node, int stripe)
{
    const int ranks = topo_node_ranks(dealt->levels, node);
    return dealt->levels->start[node] + (dealt->across ? stripe + stripe / ranks : stripe % dealt->stripes) % ranks;
}

/* A block of a round on the rank that drives it. Its operands are numbered from `operand` on: the node's own, then
 * what each child sends. */
struct lane {
    int block;
    int parent;          /* the rank that gets the partial sum, and sends the total; -1: the block is this node's */
    int child, children; /* ranks that send partial sums, and get the total, in the order in which they begin */
    int operand, total;  /* `total` holds the sum in the end */
    int came;            /* the turn that brings the total */
};

/* A message of each round; the operand of the lane that it is, or whose place the sum is in;
 * -1: the total. */
struct message {
    int peer, tag, block, lane, operand;
    int number; /* in the order in which they are worth sending */
};

/* A turn that sends. */
struct send {
    int turn, lane, number;
    bool total;
};

/* All of this rank's, in the order in which they are worth adding up. */
struct lanes {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    struct topo_stripes_dealt dealt;
    int node, ranks, local;
    int stripes, lanes, children;
    struct lane *lane;
    int *child;
    struct topo_operand *operand; /* [children + lanes] turns are operands of the same lane, by number */
    int *turn;                    /* [children + lanes] */
    struct message *message;      /* [children + lanes] */
    struct send *send;            /* [children + lanes] */
    int sends;
};

static void lanes_end(struct lanes *lanes)
{
    topo_free_all(lanes->lane, lanes->child, lanes->operand, lanes->turn, lanes->message, lanes->send);
}

static struct lanes lanes_of(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int node = topo_plan_node(in);
    int local = 0;
    while (topo_tree_rank(in->tree, in->levels->start[node] + local) != in->rank)
        local++;
    topo_plan_cut_sum(in, plan);
    plan->node_vector = true;
    return (struct lanes){.in = in,
                          .plan = plan,
                          .dealt = {in->levels, in->stripes, false},
                          .node = node,
                          .ranks = topo_node_ranks(in->levels, node),
                          .local = local,
                          .stripes = in->stripes};
}

/* Memory for so many lanes with so many children in all; false when it is out. */
static bool allocate(struct lanes *lanes, size_t most, size_t children)
{
    lanes->lane = topo_alloc(most, sizeof *lanes->lane);
    lanes->child = topo_alloc(children, sizeof *lanes->child);
    lanes->operand = topo_alloc(children + most, sizeof *lanes->operand);
    lanes->turn = topo_alloc(children + most, sizeof *lanes->turn);
    lanes->message = topo_alloc(children + most, sizeof *lanes->message);
    lanes->send = topo_alloc(children + most, sizeof *lanes->send);
    return lanes->lane && lanes->child && lanes->operand && lanes->turn && lanes->message && lanes->send;
}

static int rank_of(const struct lanes *lanes, int node, int block)
{
    return topo_tree_rank(lanes->in->tree, topo_stripe_driver(&lanes->dealt, node, block));
}

static bool is_mine(const struct lanes *lanes, int block)
{
    return rank_of(lanes, lanes->node, block) == lanes->in->rank;
}

/* One more lane, of a block that comes from these nodes and goes to `parent`, -1: nowhere; nothing is added to any
 * operand yet. */
static struct lane *add_lane(struct lanes *lanes, int block, int parent, const int *child, int children)
{
    struct lane *lane = &lanes->lane[lanes->lanes];
    *lane = (struct lane){.block = block,
                          .parent = parent < 0 ? -1 : rank_of(lanes, parent, block),
                          .child = lanes->children,
                          .children = children,
                          .operand = lanes->children + lanes->lanes++,
                          .came = TOPO_PLAN_NONE};
    for (int i = 0; i <= children; i++)
        lanes->operand[lane->operand + i] = (struct topo_operand){TOPO_PLAN_PARTIAL, TOPO_PLAN_NONE, TOPO_PLAN_NONE};
    for (int i = 0; i < children; i++)
        lanes->child[lanes->children++] = rank_of(lanes, child[i], block);
    return lane;
}

/* Adds an operand to another one, after those that are added to it already. */
static void add_into(struct topo_operand *operand, int into, int from)
{
    int *last = &operand[into].first;
    while (*last != TOPO_PLAN_NONE)
        last = &operand[*last].next;
    *last = from;
    operand[from].into = into;
}

static int by_stream(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return x->peer != y->peer ? x->peer - y->peer : x->tag != y->tag ? x->tag - y->tag : x->block - y->block;
}

static int by_number(const void *a, const void *b)
{
    return ((const struct send *)a)->number - ((const struct send *)b)->number;
}

/* The next turn of a task is a message. */
static enum topo_status add_message(struct lanes *lanes, const struct message *message, bool sends)
{
    const int turn = lanes->plan->turns;
    if (sends)
        lanes->send[lanes->sends++] = (struct send){turn, message->lane, message->number, message->operand < 0};
    else if (message->operand < 0)
        lanes->lane[message->lane].came = turn;
    else
        lanes->turn[message->operand] = turn;
    return topo_plan_add_turn(lanes->plan, (struct topo_turn){message->peer, message->block, 1});
}

/* A task as it is for all rounds. */
static struct topo_task task_of(const struct lanes *lanes, enum topo_task_kind kind, bool returns)
{
    return (struct topo_task){.kind = kind,
                              .stride = lanes->plan->period,
                              .window = INT_MAX, /* rounds end it */
                              .awaited = returns ? 0 : WINDOW,
                              .after = TOPO_PLAN_NO_TASK};
}

/* Messages of all lanes with children, or with parents: partial sums, or totals. Those of one stream, which is a task,
 * follow each other by their blocks, so that both ends have them in one order. */
static enum topo_status add_messages(struct lanes *lanes, struct topo_task task, bool children, bool totals)
{
    enum topo_status status = TOPO_OK;
    struct message *list = lanes->message, *end = list;
    for (int i = 0; i < lanes->lanes; i++) {
        const struct lane *lane = &lanes->lane[i];
        struct message message = {.block = lane->block,
                                  .lane = i,
                                  .operand = totals ? -1 : lane->operand + (children ? 0 : lane->total),
                                  .tag = TOPO_PLAN_STREAM + (totals ? TOPO_STREAMS : 0) +
                                         topo_stream_of((unsigned)lane->block)};
        for (int at = 0; at < (children ? lane->children : lane->parent >= 0); at++) {
            message.peer = children ? lanes->child[lane->child + at] : lane->parent;
            message.operand += children && !totals;
            message.number = (int)(end - list);
            *end++ = message;
        }
    }
    qsort(list, (size_t)(end - list), sizeof *list, by_stream);
    task.joined = task.kind == TOPO_TASK_RECEIVE && !totals;
    for (const struct message *at = list; at < end && status == TOPO_OK; at++) {
        task.tag = at->tag;
        if (at == list || at[-1].peer != at->peer || at[-1].tag != at->tag)
            status = topo_plan_add(lanes->plan, task);
        if (status == TOPO_OK)
            status = add_message(lanes, at, task.kind == TOPO_TASK_SEND);
    }
    return status;
}

static int turn_of(const struct lanes *lanes, const struct lane *lane, int operand)
{
    return operand < 0 ? operand : lanes->turn[lane->operand + operand];
}

/* What is added to what, and sent then, by turns. */
static enum topo_status tell_operands(const struct lanes *lanes)
{
    if (topo_plan_add_operands(lanes->plan) != TOPO_OK)
        return TOPO_NOMEM;
    struct topo_operand *all = lanes->plan->operand;
    for (int i = 0; i < lanes->lanes; i++) {
        const struct lane *lane = &lanes->lane[i];
        for (int at = 0; at <= lane->children; at++) {
            const struct topo_operand *here = &lanes->operand[lane->operand + at];
            all[turn_of(lanes, lane, at)] = (struct topo_operand){.into = turn_of(lanes, lane, here->into),
                                                                  .first = turn_of(lanes, lane, here->first),
                                                                  .next = turn_of(lanes, lane, here->next)};
        }
        const int total = lane->parent < 0 ? turn_of(lanes, lane, lane->total) : lane->came;
        if (total >= 0)
            all[total].into = TOPO_PLAN_TOTAL;
    }
    qsort(lanes->send, (size_t)lanes->sends, sizeof *lanes->send, by_number);
    for (int i = lanes->sends - 1; i >= 0; i--) {
        const struct send *send = &lanes->send[i];
        const struct lane *lane = &lanes->lane[send->lane];
        const int sum = turn_of(lanes, lane, lane->total), sent = send->total && lane->parent >= 0 ? lane->came : sum;
        all[send->turn].into = send->total ? TOPO_PLAN_TOTAL : sum;
        all[send->turn].next = all[sent].next;
        all[sent].next = send->turn;
    }
    return TOPO_OK;
}

/* All tasks, of a plan in which these are the node's blocks in the order in which they are worth adding up, and this
 * rank takes so many totals from one on. */
static enum topo_status add_tasks(struct lanes *lanes, const int *order, int blocks, bool returns,
                                  struct topo_turn takes)
{
    struct topo_plan *plan = lanes->plan;
    plan->period = blocks * lanes->stripes;
    const struct topo_task receive = task_of(lanes, TOPO_TASK_RECEIVE, true),
                           send = task_of(lanes, TOPO_TASK_SEND, returns);
    struct topo_task take = task_of(lanes, TOPO_TASK_TAKE, true);
    enum topo_status status = add_messages(lanes, receive, true, false);
    if (status == TOPO_OK)
        status = topo_plan_add(plan, task_of(lanes, TOPO_TASK_GIVE, true));
    for (int i = 0; i < blocks && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){-1, order[i] * lanes->stripes, lanes->stripes});
    if (status == TOPO_OK && lanes->lanes > 0)
        status = topo_plan_add(plan, task_of(lanes, TOPO_TASK_ADD, true));
    for (int i = 0; i < lanes->lanes && status == TOPO_OK; i++) {
        lanes->turn[lanes->lane[i].operand] = plan->turns;
        status = topo_plan_add_turn(plan, (struct topo_turn){-1, lanes->lane[i].block, 1});
    }
    if (status == TOPO_OK)
        status = add_messages(lanes, send, false, false);
    if (status == TOPO_OK && returns)
        status = add_messages(lanes, receive, false, true);
    if (status == TOPO_OK && returns)
        status = add_messages(lanes, send, true, true);
    take.each = 1;
    take.window = takes.blocks; /* what is there first is taken first, of all and not of the next few */
    if (status == TOPO_OK && takes.blocks > 0)
        status = topo_plan_add_one(plan, take, takes);
    return status == TOPO_OK ? tell_operands(lanes) : status;
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

/* The blocks in the order in which they are worth adding up: those that others wait for come first. Nodes begin with
 * the block of the next node, each with another one's. */
static void order_blocks(const struct topo_paths *paths, int node, struct block *block)
{
    for (int i = 0; i < paths->nodes; i++)
        block[i] = (struct block){i, paths->hops[i], (i - node + paths->nodes) % paths->nodes};
    qsort(block, (size_t)paths->nodes, sizeof *block, by_start);
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
                    struct topo_operand *operand)
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

/* This rank's stripes of a block. */
static void add_block(struct lanes *lanes, const struct topo_paths *paths, int block, struct source *source)
{
    const int *to = paths->to + paths->first_to[block], count = paths->first_to[block + 1] - paths->first_to[block];
    source[0] = (struct source){lanes->node, 0};
    for (int child = 0; child < count; child++)
        source[child + 1] = (struct source){to[child], child + 1};
    qsort(source, (size_t)count + 1, sizeof *source, by_node);
    for (int stripe = block * lanes->stripes; stripe < (block + 1) * lanes->stripes; stripe++)
        if (is_mine(lanes, stripe)) {
            struct lane *lane = add_lane(lanes, stripe, paths->from[block], to, count);
            lane->total = add_unit(lanes->in->divided, 0, source, count + 1, lanes->operand + lane->operand);
        }
}

enum topo_status topo_plan_sum_lanes(const struct topo_plan_input *in, struct topo_plan *plan)
{
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;
    const int nodes = in->levels->nodes;
    TOPO_SCOPED struct source *source = topo_alloc((size_t)nodes, sizeof *source);
    TOPO_SCOPED struct block *block = topo_alloc((size_t)nodes, sizeof *block);
    TOPO_SCOPED int *order = topo_alloc((size_t)nodes, sizeof *order);
    struct lanes lanes = lanes_of(in, plan);
    enum topo_status status = TOPO_NOMEM;
    if (source && block && order &&
        topo_paths_new(in->direct ? in->levels : in->divided, lanes.node, TOPO_PATH_DIRECT, &paths) == TOPO_OK) {
        lanes.dealt = topo_stripes_deal(in->levels, in->stripes, in->oversubscribed);
        plan->everywhere = !in->scatters;
        plan->in_place = lanes.node == 0 ? in->stripes : 0;
        const size_t most = (size_t)((in->stripes - 1) / lanes.ranks + 1 + lanes.dealt.across); /* of a block */
        order_blocks(paths, lanes.node, block);
        if (allocate(&lanes, most * (size_t)nodes, (size_t)paths->first_to[nodes] * most)) {
            for (int i = 0; i < nodes; i++)
                add_block(&lanes, paths, order[i] = block[i].number, source);
            const struct topo_turn all = {-1, 0, nodes * in->stripes},
                                   own = {-1, lanes.node * in->stripes, in->stripes};
            status = add_tasks(&lanes, order, nodes, !in->scatters, in->scatters ? own : all);
        }
    }
    lanes_end(&lanes);
    return status;
}

enum topo_status topo_stripe_place(const struct topo_levels *levels, int root, int node, int trees, int stripe,
                                   struct topo_stripe_place *place)
{
    if (trees < 2) {
        struct topo_chain_place chain;
        const enum topo_status status = topo_chain_place(levels, root, node, trees == 1, &chain);
        *place = (struct topo_stripe_place){chain.parent, chain.children, {chain.child[0], chain.child[1]}};
        return status;
    }
    struct topo_trees all;
    topo_trees_find(levels, root, node, trees, &all);
    int tree = all.trees > 0 ? stripe % all.trees : 0;
    *place =
        (struct topo_stripe_place){.parent = node == root ? -1 : topo_levels_numbered(levels, root, all.parent[tree])};
    for (int edge = 0; edge < all.edges; edge++)
        if (all.tree[edge] == tree)
            place->child[place->children++] = topo_levels_numbered(levels, root, all.child[edge]);
    return TOPO_OK;
}

/* A stripe of this rank's, added up where the first partial sum has landed, but on the root's node. */
static void add_place(struct lanes *lanes, int stripe, const struct topo_stripe_place *place)
{
    struct lane *lane = add_lane(lanes, stripe, place->parent, place->child, place->children);
    lane->total = place->parent >= 0 && place->children > 0;
    for (int i = 1; i <= place->children; i++)
        add_into(lanes->operand + lane->operand, lane->total, i == lane->total ? 0 : i);
}

enum topo_status topo_plan_reduce_chain(const struct topo_plan_input *in, struct topo_plan *plan)
{
    struct lanes lanes = lanes_of(in, plan);
    const int root = topo_plan_root_node(in);
    const size_t mine = lanes.local < in->stripes ? (size_t)((in->stripes - 1 - lanes.local) / lanes.ranks) + 1 : 0;
    enum topo_status status = TOPO_NOMEM;
    plan->in_place = lanes.node == root ? in->stripes : 0;
    if (allocate(&lanes, mine, (in->trees < 2 ? 2 : (size_t)in->trees) * mine)) {
        struct topo_stripe_place place;
        status = TOPO_OK;
        for (int stripe = lanes.local; stripe < in->stripes && status == TOPO_OK; stripe += lanes.ranks) {
            status = topo_stripe_place(in->levels, root, lanes.node, in->trees, stripe, &place);
            if (status == TOPO_OK)
                add_place(&lanes, stripe, &place);
        }
        if (status == TOPO_OK)
            status = add_tasks(&lanes, (int[]){0}, 1, false,
                               (struct topo_turn){-1, 0, in->rank == in->root ? in->stripes : 0});
    }
    lanes_end(&lanes);
    return status;
}
