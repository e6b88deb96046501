/* Allgather for long blocks: all ranks of a node drive the exchange between nodes, in rounds of a segment of each
 * block, straight into and out of the memory that the node shares; every rank copies each segment out of it once, as
 * soon as it is there. The exchange runs over lanes, one for each pair of ranks of two neighbour nodes (as many as the
 * smaller node has ranks), and blocks are assigned to them cyclically.
 *
 * Blocks lie, and every list of them is, by the number of messages that they need to get to the node, its own first;
 * two nodes see those between them in one order. So a rank waits only for blocks that need fewer messages, never in a
 * circle. Several streams are between two ranks, as what is there may go rounds before what has to come from far.
 *
 * Cost: (n - s) m beta for the link of a node with s ranks, the least there can be, plus the time the first segment
 * needs to arrive at the last node and one round's copies; inside the node (n + 1) m bytes copied by each rank
 * meanwhile. */
#include <stdlib.h>

#include "base/memory.h"
#include "patterns/limits.h"
#include "patterns/paths.h"
#include "plan/gather.h"

enum {
    ROUNDS_MOST = 8,     /* under way at a time */
    WINDOW = 32,         /* messages of a stream, and blocks among which a rank takes what is there first */
    WINDOW_BY_TREES = 4, /* the same of messages, where a rank has several streams */
    SENDS = 32,          /* of a rank under way at a time, at most */
    SENDS_BY_TREES = 2,  /* a rank has blocks for several nodes: all at once would come late together */
    SENDS_LEAST = 2,     /* synchronous ones */
    NODE_SENDS = 8       /* of a node whose ranks are too few to have as many with SENDS_LEAST */
};

/* The blocks of node `origin` on their way from a node to another. */
struct message {
    int hops, later; /* messages that they have taken then; which comes later of those with as many */
    int origin, from, to;
};

static int in_order(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    return x->hops != y->hops ? x->hops - y->hops : x->later - y->later;
}

/* On one level of nodes by distance, so that all have as much to do at any time. */
static struct message message_of(const struct topo_levels *levels, int hops, int origin, int from, int to)
{
    int distance = (to - origin + levels->nodes) % levels->nodes;
    return (struct message){hops, levels->count == 1 ? distance : origin, origin, from, to};
}

int topo_gather_lanes_between(const struct topo_levels *levels, int a, int b)
{
    int x = topo_node_ranks(levels, a), y = topo_node_ranks(levels, b);
    return x < y ? x : y;
}

int topo_gather_lane_first(const struct topo_levels *levels, int node, int lanes, int lane)
{
    int offset = topo_node_ranks(levels, node) % lanes ? node : 0;
    return (lane + offset) % lanes;
}

struct topo_gather_lanes_cut topo_gather_lanes_cut(const struct topo_levels *levels, bool oversubscribed,
                                                   size_t longest)
{
    enum { ALL_RANKS = 64 << 10, LEAST = 8 << 10 };
    size_t segment = ALL_RANKS / (size_t)levels->ranks_most;
    segment = segment < LEAST ? LEAST : segment < TOPO_SEGMENT_BYTES ? segment : TOPO_SEGMENT_BYTES;
    bool trees = !oversubscribed && (levels->ranks_least == levels->ranks_most || longest <= segment);
    for (int z = 0; z < levels->count && trees; z++)
        if (topo_group_of(levels, z, 0).count > TOPO_RADIX)
            return (struct topo_gather_lanes_cut){TOPO_PATH_TREE, segment};
    return (struct topo_gather_lanes_cut){TOPO_PATH_RING, TOPO_SEGMENT_BYTES};
}

/* What is known on a rank while its plan is made. */
struct here {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    int node, local;
    int *place; /* of the first block of each node */
    int window;
};

/* The blocks of one message that this rank carries to or from a rank of another node are further turns of the last
 * task, the first ones begin it. */
static enum topo_status deal(const struct here *here, struct topo_task task, const struct message *message, int tasks)
{
    const struct topo_levels *levels = here->in->levels;
    const int other = message->from == here->node ? message->to : message->from;
    const int lanes = topo_gather_lanes_between(levels, here->node, other);
    enum topo_status status = TOPO_OK;
    if (here->local >= lanes)
        return status;
    const int peer = topo_tree_rank(here->in->tree, levels->start[other] + here->local);
    for (int i = topo_gather_lane_first(levels, message->origin, lanes, here->local);
         i < topo_node_ranks(levels, message->origin) && status == TOPO_OK; i += lanes) {
        if (here->plan->tasks == tasks)
            status = topo_plan_add(here->plan, task);
        if (status == TOPO_OK)
            status = topo_plan_add_turn(here->plan, (struct topo_turn){peer, here->place[message->origin] + i, 1});
    }
    return status;
}

enum { OWN, NEAR, FAR, STREAMS = 8 };

/* A sender's own blocks are a stream; so are those that it passes on: of nodes in its own innermost unit, and of others
 * by how many units they have come through where they part from it, as links between units may be slow. */
static int stream_of(const struct topo_levels *levels, const struct message *message)
{
    if (message->from == message->origin)
        return OWN;
    const int parting = topo_levels_parting(levels, message->origin, message->from);
    if (parting == levels->count - 1)
        return NEAR;
    const struct topo_group group = topo_group_of(levels, parting, message->from);
    const int unit = topo_unit_of(&levels->level[parting], message->origin) - group.first;
    return FAR + (group.mine - unit - 1 + group.count) % group.count % (STREAMS - FAR);
}

/* What this rank sends or receives in a stream of the messages between its node and another from message[0] on. */
static enum topo_status add_stream(const struct here *here, enum topo_task_kind kind, int stream,
                                   const struct message *message, int messages)
{
    struct topo_plan *plan = here->plan;
    const int tasks = plan->tasks;
    const struct topo_task task = {.kind = kind,
                                   .tag = stream,
                                   .stride = plan->ranks,
                                   .needs = kind == TOPO_TASK_SEND ? TOPO_PLAN_ALL : 0,
                                   .after = TOPO_PLAN_NO_TASK};
    enum topo_status status = TOPO_OK;
    for (int i = 0; i < messages && status == TOPO_OK; i++)
        if (message[i].from == message->from && message[i].to == message->to &&
            stream_of(here->in->levels, &message[i]) == stream)
            status = deal(here, task, &message[i], tasks);
    if (status == TOPO_OK && plan->tasks > tasks) {
        const int most = plan->task[tasks].turns * ROUNDS_MOST;
        plan->task[tasks].window = most < here->window ? most : here->window;
    }
    return status;
}

/* All streams with each neighbour, nearest first. */
static enum topo_status add_streams(const struct here *here, enum topo_task_kind kind, const struct message *message,
                                    int messages)
{
    enum topo_status status = TOPO_OK;
    TOPO_SCOPED bool *seen = topo_calloc((size_t)here->in->levels->nodes, sizeof *seen);
    if (!seen)
        return TOPO_NOMEM;
    for (int i = 0; i < messages && status == TOPO_OK; i++) {
        const int other = kind == TOPO_TASK_SEND ? message[i].to : message[i].from;
        if (seen[other])
            continue;
        seen[other] = true;
        for (int stream = 0; stream < STREAMS && status == TOPO_OK; stream++)
            status = add_stream(here, kind, stream, message + i, messages - i);
    }
    return status;
}

/* The blocks of nodes by how they come; after it messages[] are those that this node receives. */
static enum topo_status lay_out(struct here *here, const struct topo_paths *paths, struct message *message)
{
    const struct topo_levels *levels = here->in->levels;
    enum topo_status status = TOPO_OK;
    for (int o = 0; o < levels->nodes; o++)
        message[o] = message_of(levels, paths->hops[o], o, paths->from[o], here->node);
    qsort(message, (size_t)levels->nodes, sizeof *message, in_order);
    for (int i = 0, place = 0; i < levels->nodes && status == TOPO_OK; i++) {
        const struct topo_span span = {levels->start[message[i].origin], topo_node_ranks(levels, message[i].origin)};
        here->place[message[i].origin] = place;
        place += span.count;
        status = topo_plan_add_span(here->plan, span);
    }
    return status;
}

static enum topo_status add_messages(struct here *here, enum topo_path_kind kind)
{
    const struct topo_levels *levels = here->in->levels;
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;
    TOPO_SCOPED struct message *message = NULL;
    int sends = 0;
    if (topo_paths_new(levels, here->node, kind, &paths) != TOPO_OK)
        return TOPO_NOMEM;
    message = topo_alloc((size_t)(levels->nodes + paths->first_to[levels->nodes]), sizeof *message);
    if (!message || lay_out(here, paths, message) != TOPO_OK)
        return TOPO_NOMEM;
    struct message *out = message + levels->nodes;
    for (int o = 0; o < levels->nodes; o++)
        for (int edge = paths->first_to[o]; edge < paths->first_to[o + 1]; edge++)
            out[sends++] = message_of(levels, paths->hops[o] + 1, o, here->node, paths->to[edge]);
    qsort(out, (size_t)sends, sizeof *out, in_order);
    enum topo_status status = add_streams(here, TOPO_TASK_RECEIVE, message + 1, levels->nodes - 1);
    return status == TOPO_OK ? add_streams(here, TOPO_TASK_SEND, out, sends) : status;
}

/* The own block for the node, all blocks from it. */
static enum topo_status add_copies(const struct here *here)
{
    struct topo_task task = {
        .kind = TOPO_TASK_GIVE, .stride = here->plan->ranks, .window = 1, .after = TOPO_PLAN_NO_TASK};
    enum topo_status status = topo_plan_add_one(here->plan, task, (struct topo_turn){here->in->rank, here->local, 1});
    task.kind = TOPO_TASK_TAKE;
    task.each = 1;
    task.window = WINDOW;
    return status == TOPO_OK
               ? topo_plan_add_one(here->plan, task, (struct topo_turn){here->in->rank, 0, here->plan->ranks})
               : status;
}

enum topo_status topo_plan_gather_lanes(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int node = topo_plan_node(in), nodes = in->levels->nodes, ranks = in->tree->ranks;
    const struct topo_gather_lanes_cut cut =
        topo_gather_lanes_cut(in->levels, in->oversubscribed, in->bytes / (size_t)ranks);
    TOPO_SCOPED int *place = topo_alloc((size_t)nodes, sizeof *place);
    struct here here = {in, plan, node, 0, place, cut.kind == TOPO_PATH_TREE ? WINDOW_BY_TREES : WINDOW};
    if (!place)
        return TOPO_NOMEM;
    while (topo_tree_rank(in->tree, in->levels->start[node] + here.local) != in->rank)
        here.local++;
    topo_plan_cut_ranks(in, plan);
    plan->period = ranks;
    plan->own = here.local;
    plan->owns = 1;
    plan->again = true;
    plan->node_vector = true;
    enum topo_status status = add_copies(&here);
    return status == TOPO_OK ? add_messages(&here, cut.kind) : status;
}

struct topo_plan topo_plan_in_windows(const struct topo_plan *plan, const struct topo_levels *levels,
                                      enum topo_path_kind kind, bool oversubscribed, bool differ, int rounds,
                                      int windows)
{
    struct topo_plan bound = *plan;
    const bool racks = levels->count > 1, ring = kind == TOPO_PATH_RING;
    const bool uneven = levels->ranks_least < levels->ranks_most || differ;
    const bool waits = rounds > windows && racks && !oversubscribed;
    bound.cut.bytes = (plan->cut.bytes + (size_t)rounds - 1) / (size_t)rounds;
    bound.rounds = rounds;
    bound.windows = windows;
    /* The node with the least to send has the most to receive: who sends to it must not run out of segments when others
     * are late. Where all have as much to do, and by trees, whatever the blocks, later segments only hold earlier ones
     * up (docs/LEVELS.md), until all windows are taken: then behind a block that comes from another rack all others
     * would wait. */
    bound.ahead = waits || (uneven && ring) ? windows : 1;
    bound.at_once = !ring && bound.ahead == 1 ? SENDS_BY_TREES : SENDS;
    /* Own segments of several rounds are there from the start. Sent at once, they share the link with what others wait
     * for. */
    bound.synchronous = rounds > 1 && uneven && ring && !oversubscribed && !racks;
    if (bound.synchronous) {
        bound.at_once = NODE_SENDS / levels->ranks_most;
        bound.at_once = bound.at_once > SENDS_LEAST ? bound.at_once : SENDS_LEAST;
    }
    return bound;
}
