/* Neighbourhood collectives: what ranks of one node send to ranks of another crosses in one message, equal blocks once.
 * The two ranks that send and receive it are ends of edges between the two nodes, others for other nodes, so that ranks
 * share the work. Both nodes know these edges, so both name the same ranks.
 *
 * Cost: for each pair of nodes one message between them, alpha + the bytes of all blocks times beta, after one and
 * before one inside a node. An edge that is the only one between two nodes, or inside one, is a message by itself. */
#include "plan/neighbor.h"

#include <stdlib.h>

#include "base/memory.h"

/* A block between this node and another one, for one rank there; those of a bundle lie together, in its order. */
struct link {
    int away, out, major, minor;
    struct topo_edge edge;
};

/* Links first .. end - 1: all that go one way between this node and another. */
struct bundle {
    int first, end, sender, receiver;
};

struct maker {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    bool gathers;
    const struct topo_edge *edge;
    int edges, node, links;
    struct link *link;
};

static int by_ends(const void *a, const void *b)
{
    const struct topo_edge *x = a, *y = b;
    return x->from != y->from ? (x->from > y->from) - (x->from < y->from) : (x->to > y->to) - (x->to < y->to);
}

void topo_edges_sort(struct topo_edge *edge, int count)
{
    if (count > 0)
        qsort(edge, (size_t)count, sizeof *edge, by_ends);
}

static int by_bundle(const void *a, const void *b)
{
    const int *x = a, *y = b;
    int i = 0;
    while (i < 3 && x[i] == y[i])
        i++;
    return (x[i] > y[i]) - (x[i] < y[i]);
}

static int node_of(const struct maker *maker, int rank)
{
    return topo_tree_node_of(maker->in->tree, rank);
}

static bool same(struct topo_edge a, struct topo_edge b)
{
    return a.from == b.from && a.to == b.to;
}

/* Whether a sorted edge may be in a bundle of this node's, once: which of several is which block two ranks alone know.
 */
static bool may_join(const struct maker *maker, int i)
{
    const struct topo_edge *edge = maker->edge;
    const bool again = i > 0 && same(edge[i], edge[i - 1]);
    const bool several = again || (i + 1 < maker->edges && same(edge[i], edge[i + 1]));
    return (node_of(maker, edge[i].from) == maker->node) != (node_of(maker, edge[i].to) == maker->node) &&
           !(maker->gathers ? again : several);
}

static bool find_links(struct maker *maker)
{
    maker->link = topo_alloc((size_t)maker->edges + 1, sizeof *maker->link);
    for (int i = 0; i < maker->edges && maker->link; i++) {
        const struct topo_edge edge = maker->edge[i];
        const bool out = node_of(maker, edge.from) == maker->node;
        const int away = node_of(maker, out ? edge.to : edge.from);
        if (may_join(maker, i))
            maker->link[maker->links++] = (struct link){away, out, maker->gathers ? edge.from : edge.to,
                                                        maker->gathers ? edge.to : edge.from, edge};
    }
    if (maker->links > 0)
        qsort(maker->link, (size_t)maker->links, sizeof *maker->link, by_bundle);
    return maker->link;
}

/* One of so many for each of the nodes. */
static int spread(const struct maker *maker, int count, int node)
{
    return (int)((int64_t)node * count / maker->in->levels->nodes);
}

/* The bundle that begins with this link. */
static struct bundle bundle_at(const struct maker *maker, int first)
{
    const struct link *link = &maker->link[first];
    struct bundle bundle = {.first = first, .end = first};
    while (bundle.end < maker->links && maker->link[bundle.end].away == link->away &&
           maker->link[bundle.end].out == link->out)
        bundle.end++;
    const int count = bundle.end - first, from = link->out ? maker->node : link->away,
              to = link->out ? link->away : maker->node;
    bundle.sender = link[spread(maker, count, to)].edge.from;
    bundle.receiver = link[spread(maker, count, from)].edge.to;
    return bundle;
}

static bool is_bundled(const struct maker *maker, struct topo_edge edge)
{
    for (int i = 0; i < maker->links;) {
        const struct bundle bundle = bundle_at(maker, i);
        for (; i < bundle.end; i++)
            if (bundle.end - bundle.first > 1 && same(maker->link[i].edge, edge))
                return true;
    }
    return false;
}

static enum topo_status add_block(const struct maker *maker, struct topo_edge edge)
{
    const int number = topo_neighbor_number(edge, maker->in->tree->ranks, maker->gathers);
    maker->plan->ranks++;
    return topo_plan_add_span(maker->plan, (struct topo_span){number, 1});
}

/* A turn with the blocks of a bundle that come from a rank, and go to one; below 0: whichever it is. */
static enum topo_status add_part(const struct maker *maker, const struct bundle *bundle, int from, int to, int peer)
{
    const int first = maker->plan->ranks;
    enum topo_status status = TOPO_OK;
    const struct link *last = NULL;
    for (int i = bundle->first; i < bundle->end && status == TOPO_OK; i++) {
        const struct link *link = &maker->link[i];
        if ((from >= 0 && link->edge.from != from) || (to >= 0 && link->edge.to != to) ||
            (last && maker->gathers && link->edge.from == last->edge.from))
            continue;
        status = add_block(maker, link->edge);
        last = link;
    }
    return last && status == TOPO_OK
               ? topo_plan_add_turn(maker->plan, (struct topo_turn){peer, first, maker->plan->ranks - first})
               : status;
}

/* Of each other rank of the node what it has in a bundle. */
static enum topo_status add_others(const struct maker *maker, const struct bundle *bundle, bool up)
{
    const struct topo_levels *levels = maker->in->levels;
    enum topo_status status = TOPO_OK;
    for (int at = levels->start[maker->node]; at < levels->start[maker->node + 1] && status == TOPO_OK; at++) {
        const int rank = topo_tree_rank(maker->in->tree, at);
        if (rank != maker->in->rank)
            status = add_part(maker, bundle, up ? rank : -1, up ? -1 : rank, rank);
    }
    return status;
}

/* What a task has to do with a bundle. */
static enum topo_status add_bundle(const struct maker *maker, enum topo_neighbor_task task, const struct bundle *bundle)
{
    const int me = maker->in->rank;
    const bool out = maker->link[bundle->first].out, drives = me == (out ? bundle->sender : bundle->receiver);
    switch (task) {
    case TOPO_NEIGHBOR_UP_IN: return out && drives ? add_others(maker, bundle, true) : TOPO_OK;
    case TOPO_NEIGHBOR_UP_OUT: return out && !drives ? add_part(maker, bundle, me, -1, bundle->sender) : TOPO_OK;
    case TOPO_NEIGHBOR_ACROSS_OUT: return out && drives ? add_part(maker, bundle, -1, -1, bundle->receiver) : TOPO_OK;
    case TOPO_NEIGHBOR_ACROSS_IN: return !out && drives ? add_part(maker, bundle, -1, -1, bundle->sender) : TOPO_OK;
    case TOPO_NEIGHBOR_DOWN_OUT: return !out && drives ? add_others(maker, bundle, false) : TOPO_OK;
    case TOPO_NEIGHBOR_DOWN_IN: return !out && !drives ? add_part(maker, bundle, -1, me, bundle->receiver) : TOPO_OK;
    default: return TOPO_OK;
    }
}

static enum topo_status add_direct(const struct maker *maker, bool sends)
{
    enum topo_status status = TOPO_OK;
    for (int i = 0; i < maker->edges && status == TOPO_OK; i++) {
        const struct topo_edge edge = maker->edge[i];
        if ((sends ? edge.from : edge.to) != maker->in->rank || edge.from == edge.to || is_bundled(maker, edge))
            continue;
        status = add_block(maker, edge);
        if (status == TOPO_OK)
            status = topo_plan_add_turn(maker->plan,
                                        (struct topo_turn){sends ? edge.to : edge.from, maker->plan->ranks - 1, 1});
    }
    return status;
}

/* A task; what it sends comes after what it is made of. Bundles and other blocks go in tags of their own. */
static enum topo_status add_task(const struct maker *maker, enum topo_neighbor_task task)
{
    static const int tags[] = {1, 2, 3, 0, 0, 1, 2, 3};
    const bool sends = task >= TOPO_NEIGHBOR_DIRECT_OUT;
    const int after = task == TOPO_NEIGHBOR_ACROSS_OUT ? TOPO_NEIGHBOR_UP_IN
                      : task == TOPO_NEIGHBOR_DOWN_OUT ? TOPO_NEIGHBOR_ACROSS_IN
                                                       : TOPO_PLAN_NO_TASK;
    enum topo_status status =
        topo_plan_add(maker->plan, (struct topo_task){.kind = sends ? TOPO_TASK_SEND : TOPO_TASK_RECEIVE,
                                                      .tag = tags[task],
                                                      .after = after,
                                                      .lag = after < 0 ? 0 : TOPO_PLAN_WHOLE});
    if (task == TOPO_NEIGHBOR_DIRECT_OUT)
        maker->plan->own = maker->plan->ranks;
    if (status == TOPO_OK && (task == TOPO_NEIGHBOR_DIRECT_IN || task == TOPO_NEIGHBOR_DIRECT_OUT))
        status = add_direct(maker, sends);
    for (int i = 0; i < maker->links && status == TOPO_OK;) {
        const struct bundle bundle = bundle_at(maker, i);
        if (bundle.end - i > 1)
            status = add_bundle(maker, task, &bundle);
        i = bundle.end;
    }
    if (status == TOPO_OK)
        maker->plan->task[task].window = maker->plan->task[task].turns;
    return status;
}

enum topo_status topo_plan_neighbor(const struct topo_plan_input *in, const struct topo_edges *edges,
                                    enum topo_neighbor_form form, struct topo_plan *plan)
{
    struct maker maker = {.in = in,
                          .plan = plan,
                          .gathers = form == TOPO_NEIGHBOR_ONE_BLOCK,
                          .edge = edges->edge,
                          .edges = edges->count,
                          .node = topo_plan_node(in)};
    enum topo_status status = TOPO_OK;
    if (form != TOPO_NEIGHBOR_DIRECT && !find_links(&maker))
        status = TOPO_NOMEM;
    plan->in_order = true;
    for (int task = 0; task < TOPO_NEIGHBOR_TASKS && status == TOPO_OK; task++)
        status = add_task(&maker, task);
    plan->owns = plan->ranks - plan->own;
    plan->cut.bytes = in->bytes * (size_t)plan->ranks;
    topo_free(maker.link);
    return status;
}

/* Where the blocks of a task begin, and end. */
static struct topo_span blocks_of(const struct topo_plan *plan, enum topo_neighbor_task task)
{
    const struct topo_task *its = &plan->task[task];
    struct topo_span span = {0, 0};
    for (int i = 0; i < its->turns; i++) {
        span.first = i == 0 ? plan->turn[its->turn].block : span.first;
        span.count += plan->turn[its->turn + i].blocks;
    }
    return span;
}

/* Received blocks by number; those that come from this node apart, as they have numbers that others come with, too. */
struct found {
    int number, up, block;
};

static int by_number(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : x->up - y->up;
}

static int find(const struct found *found, int count, int number, bool up)
{
    const struct found key = {.number = number, .up = up},
                       *at = count > 0 ? bsearch(&key, found, (size_t)count, sizeof *found, by_number) : NULL;
    return at ? at->block : -1;
}

enum topo_status topo_neighbor_sources(const struct topo_plan *plan, int *source, const int *number, int count,
                                       int *arrives)
{
    struct found *found = topo_alloc((size_t)plan->own + 1, sizeof *found);
    const struct topo_span down = blocks_of(plan, TOPO_NEIGHBOR_DOWN_OUT);
    int received = 0;
    if (!found)
        return TOPO_NOMEM;
    for (int task = TOPO_NEIGHBOR_UP_IN; task <= TOPO_NEIGHBOR_DOWN_IN; task++) {
        const struct topo_span span = blocks_of(plan, task);
        for (int block = span.first; block < span.first + span.count; block++)
            found[received++] = (struct found){plan->order[block].first, task == TOPO_NEIGHBOR_UP_IN, block};
    }
    if (received > 0)
        qsort(found, (size_t)received, sizeof *found, by_number);
    for (int block = 0; block < plan->ranks; block++)
        source[block] =
            find(found, received, plan->order[block].first, block < down.first || block >= down.first + down.count);
    for (int i = 0; i < count; i++)
        arrives[i] = find(found, received, number[i], false);
    topo_free(found);
    return TOPO_OK;
}
