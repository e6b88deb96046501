/* Messages on the links of the machine, event by event. Those that are on a link at a time have equal shares of it, as
 * on any fair network; a message is through when it is on each of its links. Processors that ranks share are like
 * links, and so is a node's memory for the messages inside it. */
#include "base/memory.h"
#include "model/price_parts.h"
#include "model/shared_cores.h"

/* A message on a link, in the order of what is due. */
struct flow {
    int message, next;
    double due;
};

struct link {
    double now, moved; /* each flow has moved by so many seconds of the link by then */
    double busy;
    int first, active; /* flows; -1: none */
    unsigned stamp;    /* of the event that is next */
};

/* A message begins to move, or, link >= 0, what is due first on a link is through unless its stamp is another one. */
struct event {
    double time;
    uint64_t order;
    int message, link;
    unsigned stamp;
};

/* One under way, or, on a list of them, free. */
struct moving {
    struct topo_price_message message;
    int left; /* links that it is still on */
    int next;
};

struct topo_price_links {
    const struct topo_tree *tree;
    const struct topo_params *params;
    int stripes;
    int start[TOPO_LEVELS_MAX + 2];     /* links of level l begin here, out and in of each unit; last, those of ranks */
    int stand_for[TOPO_LEVELS_MAX + 1]; /* nodes in a unit of this level that a message stands for */
    int memory;                         /* those of the media inside nodes */
    int cores, cores_level; /* where the processors begin, and whose: -1: the machine's; -2: enough for all */
    int cores_stand_for;
    bool failed;
    double turn; /* seconds until a rank has its turn where processors are short */
    struct link *link;
    int count;
    struct flow *flow;
    struct moving *moving;
    struct event *event; /* a heap */
    int flows, flow_room, free_flow, movings, moving_room, free_moving, events, event_room;
    uint64_t order;
    double now;
};

/* Nodes in a unit of a level of alike units; -1: the machine. */
static int nodes_in(const struct topo_tree *tree, int level)
{
    const int node = topo_tree_node_level(tree);
    return level < node ? tree->units[node] / (level < 0 ? 1 : tree->units[level]) : 1;
}

enum topo_status topo_price_links_new(const struct topo_tree *tree, const struct topo_params *params, int stripes,
                                      bool alike, struct topo_price_links **out)
{
    struct topo_price_links *links = *out = topo_calloc(1, sizeof *links);
    if (!links)
        return TOPO_NOMEM;
    links->tree = tree;
    links->params = params;
    links->stripes = stripes > 1 ? stripes : 1;
    for (int level = 0; level <= tree->levels; level++) {
        links->stand_for[level] = alike ? nodes_in(tree, level) : 1;
        links->start[level] = links->count;
        links->count += 2 * (level < tree->levels ? tree->units[level] : tree->ranks);
    }
    links->memory = links->count;
    links->count += tree->units[topo_tree_node_level(tree)];
    links->cores = links->count;
    links->cores_level = topo_cores_level(tree, params);
    links->cores_stand_for = alike && links->cores_level > -2 ? nodes_in(tree, links->cores_level) : 1;
    links->count += links->cores_level >= 0 ? tree->units[links->cores_level] : 1;
    links->free_flow = links->free_moving = -1;
    links->link = topo_calloc((size_t)links->count, sizeof *links->link);
    for (int i = 0; i < links->count && links->link; i++)
        links->link[i].first = -1;
    if (!links->link)
        return TOPO_NOMEM;
    links->turn = topo_cores_turn(tree, params);
    return TOPO_OK;
}

void topo_price_links_free(struct topo_price_links *links)
{
    if (links)
        topo_free_all(links->link, links->flow, links->moving, links->event, links);
}

static bool is_before(const struct event *a, const struct event *b)
{
    return a->time < b->time || (!(b->time < a->time) && a->order < b->order);
}

static bool push(struct topo_price_links *links, struct event event)
{
    if (!topo_grow_room(&links->event, links->events, &links->event_room, sizeof *links->event))
        return false;
    int at = links->events++;
    event.order = links->order++;
    for (; at > 0 && is_before(&event, &links->event[(at - 1) / 2]); at = (at - 1) / 2)
        links->event[at] = links->event[(at - 1) / 2];
    links->event[at] = event;
    return true;
}

static struct event pop(struct topo_price_links *links)
{
    const struct event first = links->event[0], last = links->event[--links->events];
    int at = 0;
    for (int child = 1; child < links->events; child = 2 * at + 1) {
        if (child + 1 < links->events && is_before(&links->event[child + 1], &links->event[child]))
            child++;
        if (!is_before(&links->event[child], &last))
            break;
        links->event[at] = links->event[child];
        at = child;
    }
    links->event[at] = last;
    return first;
}

/* While n flows are under way each moves at an n-th of the rate. */
static void move(struct link *link, double now)
{
    if (link->active > 0)
        link->moved += (now - link->now) / link->active;
    link->now = now;
}

static bool expect(struct topo_price_links *links, int number)
{
    struct link *link = &links->link[number];
    link->stamp++;
    if (link->active == 0)
        return true;
    const double time = link->now + (links->flow[link->first].due - link->moved) * link->active;
    return push(links, (struct event){.time = topo_later(time, link->now), .link = number, .stamp = link->stamp});
}

/* A message gets on a link that it takes for so many seconds. */
static bool get_on(struct topo_price_links *links, int number, int message, double now, double seconds)
{
    struct link *link = &links->link[number];
    int new = links->free_flow;
    if (new < 0) {
        if (!topo_grow_room(&links->flow, links->flows, &links->flow_room, sizeof *links->flow))
            return false;
        new = links->flows++;
    } else {
        links->free_flow = links->flow[new].next;
    }
    move(link, now);
    link->busy += seconds;
    link->active++;
    links->moving[message].left++;
    int *at = &link->first;
    const double due = link->moved + seconds;
    while (*at >= 0 && links->flow[*at].due <= due)
        at = &links->flow[*at].next;
    links->flow[new] = (struct flow){message, *at, due};
    *at = new;
    return expect(links, number);
}

bool topo_price_links_start(struct topo_price_links *links, const struct topo_price_message *message)
{
    int new = links->free_moving;
    if (new < 0) {
        if (!topo_grow_room(&links->moving, links->movings, &links->moving_room, sizeof *links->moving))
            return false;
        new = links->movings++;
    } else {
        links->free_moving = links->moving[new].next;
    }
    const struct topo_link *link = topo_params_link(links->params, links->tree, message->shared);
    links->moving[new] = (struct moving){.message = *message};
    const double begin = topo_later(message->begin, links->now);
    return push(links,
                (struct event){.time = begin + link->alpha + link->wait + links->turn, .message = new, .link = -1});
}

/* One end of a message: its links from the outermost one to the node's, or, in a node, to the rank's own, which takes
 * its processor's time, too. */
static bool get_on_all(struct topo_price_links *links, int message, double now, int way)
{
    const struct topo_tree *tree = links->tree;
    const struct topo_price_message *its = &links->moving[message].message;
    const int rank = way == 0 ? its->from->rank : its->to->rank, node = topo_tree_node_level(tree);
    const struct topo_link *outer = topo_params_link(links->params, tree, its->shared);
    const int last = its->shared <= node ? node : tree->levels;
    const double overhead = outer->overhead > 0 ? outer->overhead : links->params->overhead,
                 bytes = links->stripes * its->bytes, cpu = outer->cpu > 0 ? outer->cpu : links->params->copy;
    bool good = true;
    for (int level = its->shared; level <= last && good; level++) {
        const int unit = level < tree->levels ? topo_tree_unit(tree, level, rank) : rank;
        const double seconds = links->stand_for[level] * bytes * topo_params_link(links->params, tree, level)->beta;
        good =
            get_on(links, links->start[level] + 2 * unit + way, message, now, seconds + (level == last ? overhead : 0));
    }
    const double medium = topo_params_link(links->params, tree, node + 1)->shared;
    if (good && medium > 0 && its->shared > node && way == 0)
        good = get_on(links, links->memory + topo_tree_node_of(tree, rank), message, now, bytes * medium);
    if (!good || links->cores_level == -2)
        return good;
    const int unit = links->cores_level >= 0 ? topo_tree_unit(tree, links->cores_level, rank) : 0;
    const double packet =
        outer->packet > overhead ? outer->packet * (its->bytes < outer->from ? its->bytes / outer->from : 1) : 0;
    return get_on(links, links->cores + unit, message, now,
                  links->cores_stand_for * (links->stripes * topo_later(overhead, packet) + bytes * cpu) /
                      links->params->cores);
}

bool topo_price_links_next(struct topo_price_links *links, struct topo_price_message *ended)
{
    while (links->events > 0) {
        const struct event event = pop(links);
        links->now = event.time;
        if (event.link < 0) {
            links->failed |=
                !get_on_all(links, event.message, event.time, 0) || !get_on_all(links, event.message, event.time, 1);
            if (links->failed)
                return false;
            continue;
        }
        struct link *link = &links->link[event.link];
        if (event.stamp != link->stamp)
            continue;
        const int flow = link->first, message = links->flow[flow].message;
        link->moved = links->flow[flow].due;
        link->now = event.time;
        link->first = links->flow[flow].next;
        link->active--;
        links->flow[flow].next = links->free_flow;
        links->free_flow = flow;
        links->failed |= !expect(links, event.link);
        if (links->failed)
            return false;
        struct moving *moving = &links->moving[message];
        if (--moving->left > 0)
            continue;
        *ended = moving->message;
        ended->end = event.time;
        moving->next = links->free_moving;
        links->free_moving = message;
        return true;
    }
    return false;
}

bool topo_price_links_failed(const struct topo_price_links *links)
{
    return links->failed;
}

double topo_price_links_busy(const struct topo_price_links *links)
{
    double most = 0;
    for (int i = 0; i < links->count; i++)
        most = topo_later(most, links->link[i].busy);
    return most;
}
