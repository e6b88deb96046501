#include "model/load.h"

#include <string.h>

#include "base/memory.h"
#include "model/shared_cores.h"

struct traffic {
    double out, in; /* bytes through a unit's own link */
    double medium;  /* bytes through the medium that joins the units inside it */
};

/* What one unit's ranks share. */
struct unit {
    struct traffic step, before; /* of this step, and of all those before */
    double worked; /* nodes: bytes through the medium of work, and of work at the same time as the messages */
    double beside;
};

struct topo_load {
    const struct topo_tree *tree;
    const struct topo_params *params;
    int node_level;
    int cores_level; /* topo_cores_level() */
    struct unit *units;
    int *start; /* [levels + 2]: units of level l start here; level `levels` are the ranks; the last is the root */
    struct {
        double own;               /* seconds beside the transfers: messages, work */
        double hidden;            /* seconds of work at the same time as they */
        double cpu;               /* seconds of a processor that both and the handling of bytes take */
        double packet;            /* the same for packets, on any processor of its node */
        double wait;              /* the same for waiting: once in a step with messages */
        double used, used_packet; /* both of all steps before */
    } * rank;
    double alpha; /* largest so far */
    double work;  /* seconds, every rank */
    double turns; /* seconds until all ranks of the most loaded core have looked for messages once */
    bool any, messages;
};

enum topo_status topo_load_new(const struct topo_tree *tree, const struct topo_params *params, struct topo_load **out,
                               struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_load_end) struct topo_load *load = topo_calloc(1, sizeof *load);
    size_t total = 0, ranks = (size_t)tree->ranks;
    *out = NULL;
    if (!load)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the model");
    load->tree = tree;
    load->params = params;
    load->node_level = topo_tree_node_level(tree);
    load->cores_level = topo_cores_level(tree, params);
    load->turns = topo_cores_turn(tree, params);
    load->start = topo_alloc((size_t)tree->levels + 2, sizeof *load->start);
    if (load->start) {
        for (int level = 0; level <= tree->levels; level++) {
            load->start[level] = (int)total;
            total += level < tree->levels ? (size_t)tree->units[level] : ranks;
        }
        load->start[tree->levels + 1] = (int)total++;
    }
    load->units = topo_calloc(total, sizeof *load->units);
    load->rank = topo_calloc(ranks, sizeof *load->rank);
    if (!load->start || !load->units || !load->rank)
        return topo_fail(error, TOPO_NOMEM, "out of memory for the model of %d ranks", tree->ranks);
    *out = TOPO_KEPT(load);
    return TOPO_OK;
}

void topo_load_free(struct topo_load *load)
{
    if (!load)
        return;
    topo_free_all(load->start, load->units, load->rank, load);
}

/* The unit of `level` that holds `rank`; level -1 is the root, level `levels` the rank itself. */
static int unit_around(const struct topo_load *load, int level, int rank)
{
    const struct topo_tree *tree = load->tree;
    return level < 0 ? load->start[tree->levels + 1]
                     : load->start[level] + (level < tree->levels ? topo_tree_unit(tree, level, rank) : rank);
}

static struct unit *unit_of(struct topo_load *load, int level, int rank)
{
    return &load->units[unit_around(load, level, rank)];
}

void topo_load_message(struct topo_load *load, int from, int to, double bytes)
{
    topo_load_messages(load, from, to, 1, bytes);
}

/* A rank waits for all its messages of a step at once. */
static void raise_wait(struct topo_load *load, int rank, double seconds)
{
    double more = seconds - load->rank[rank].wait;
    if (more <= 0)
        return;
    load->rank[rank].wait = seconds;
    load->rank[rank].own += more;
    load->rank[rank].cpu += more;
}

void topo_load_bytes(struct topo_load *load, int from, int to, double bytes)
{
    const struct topo_tree *tree = load->tree;
    const struct topo_params *params = load->params;
    int shared = topo_tree_shared_levels(tree, from, to);
    const struct topo_link *link = topo_params_link(params, tree, shared);
    double cpu = bytes * (link->cpu > 0 ? link->cpu : params->copy);
    load->any = true;
    for (int level = shared; level <= tree->levels; level++) {
        unit_of(load, level, from)->step.out += bytes;
        unit_of(load, level, to)->step.in += bytes;
        unit_of(load, level - 1, from)->step.medium += bytes;
        if (level > shared)
            unit_of(load, level - 1, to)->step.medium += bytes;
    }
    load->rank[from].cpu += cpu;
    load->rank[to].cpu += cpu;
}

void topo_load_messages(struct topo_load *load, int from, int to, double count, double bytes)
{
    const struct topo_tree *tree = load->tree;
    const struct topo_params *params = load->params;
    load->any = true;
    if (from == to) {
        topo_load_rank_work(load, from, params->copy * bytes, false);
        return;
    }
    load->messages = true;
    const struct topo_link *link = topo_params_link(params, tree, topo_tree_shared_levels(tree, from, to));
    double overhead = count * (link->overhead > 0 ? link->overhead : params->overhead);
    double packet = 0;
    if (link->packet > 0 && count * link->packet > overhead)
        packet = (count * link->packet - overhead) * (bytes < count * link->from ? bytes / (count * link->from) : 1);
    if (link->alpha > load->alpha)
        load->alpha = link->alpha;
    raise_wait(load, from, link->wait);
    raise_wait(load, to, link->wait);
    topo_load_bytes(load, from, to, bytes);
    load->rank[from].own += overhead;
    load->rank[to].own += overhead;
    load->rank[from].cpu += overhead;
    load->rank[to].cpu += overhead;
    load->rank[from].packet += packet;
    load->rank[to].packet += packet;
}

/* `count` messages to ranks that share `shared` levels with `rank`, and as many from them. */
static void exchange_with(struct topo_load *load, int rank, int shared, double count, double bytes)
{
    const struct topo_tree *tree = load->tree;
    const struct topo_params *params = load->params;
    const struct topo_link *link = topo_params_link(params, tree, shared);
    double overhead = link->overhead > 0 ? link->overhead : params->overhead;
    double cpu = overhead + bytes * (link->cpu > 0 ? link->cpu : params->copy), all = count * bytes;
    load->any = load->messages = true;
    if (link->packet > overhead)
        load->rank[rank].packet +=
            2 * count * (link->packet - overhead) * (bytes < link->from ? bytes / link->from : 1);
    if (link->alpha > load->alpha)
        load->alpha = link->alpha;
    raise_wait(load, rank, link->wait);
    for (int level = shared; level <= tree->levels; level++) {
        unit_of(load, level, rank)->step.out += all;
        unit_of(load, level, rank)->step.in += all;
        unit_of(load, level - 1, rank)->step.medium += level > shared ? 2 * all : all;
    }
    load->rank[rank].own += 2 * count * overhead;
    load->rank[rank].cpu += 2 * count * cpu;
}

/* One that exchanges a message of `bytes` with each of those of which so many are in each unit, down to `last`. */
static void exchange_with_all(struct topo_load *load, const int *count, int last, int rank, double bytes)
{
    for (int shared = 0; shared <= last; shared++) {
        const int others = count[unit_around(load, shared - 1, rank)] - count[unit_around(load, shared, rank)];
        if (others > 0)
            exchange_with(load, rank, shared, others, bytes);
    }
}

/* One more, or less, in all units that hold `rank`. */
static void count_in(const struct topo_load *load, int *count, int last, int rank, int more)
{
    for (int level = -1; level <= last; level++)
        count[unit_around(load, level, rank)] += more;
}

bool topo_load_all_pairs(struct topo_load *load, double bytes)
{
    const struct topo_tree *tree = load->tree;
    TOPO_SCOPED int *count = topo_calloc((size_t)load->start[tree->levels + 1] + 1, sizeof *count);
    if (!count)
        return false;
    for (int rank = 0; rank < tree->ranks; rank++)
        count_in(load, count, tree->levels, rank, 1);
    for (int rank = 0; rank < tree->ranks; rank++)
        exchange_with_all(load, count, tree->levels, rank, bytes);
    return true;
}

/* The first ranks of nodes of so many ranks are counted, or no longer; how many there are. */
static int count_firsts(const struct topo_load *load, const struct topo_levels *levels, int ranks, int *count, int more)
{
    int firsts = 0;
    for (int node = 0; node < levels->nodes; node++)
        if (topo_node_ranks(levels, node) == ranks) {
            count_in(load, count, load->node_level, topo_tree_rank(load->tree, levels->start[node]), more);
            firsts++;
        }
    return firsts;
}

bool topo_load_all_firsts(struct topo_load *load, const struct topo_levels *levels, double bytes)
{
    const struct topo_tree *tree = load->tree;
    TOPO_SCOPED int *count = topo_calloc((size_t)load->start[tree->levels + 1] + 1, sizeof *count);
    for (int ranks = levels->ranks_least; ranks <= levels->ranks_most && count; ranks++) {
        if (count_firsts(load, levels, ranks, count, 1) == 0)
            continue;
        for (int node = 0; node < levels->nodes; node++)
            exchange_with_all(load, count, load->node_level, topo_tree_rank(tree, levels->start[node]),
                              bytes * ranks * topo_node_ranks(levels, node));
        count_firsts(load, levels, ranks, count, -1);
    }
    return count;
}

void topo_load_work(struct topo_load *load, double seconds)
{
    load->any = true;
    load->work += seconds;
    for (int rank = 0; rank < load->tree->ranks; rank++)
        load->rank[rank].cpu += seconds;
}

void topo_load_rank_work(struct topo_load *load, int rank, double seconds, bool hidden)
{
    load->any = true;
    if (hidden)
        load->rank[rank].hidden += seconds;
    else
        load->rank[rank].own += seconds;
    load->rank[rank].cpu += seconds;
}

void topo_load_memory(struct topo_load *load, int rank, double seconds, double bytes, bool hidden)
{
    struct unit *node = unit_of(load, load->node_level, rank);
    topo_load_rank_work(load, rank, seconds, hidden);
    if (hidden)
        node->beside += bytes;
    else
        node->worked += bytes;
}

/* The busiest core of all, in this step or in those before. */
static double cpu_of(const struct topo_load *load, bool before)
{
    struct topo_shared_cores unit = {0};
    double most = 0;
    for (int i = 0; load->cores_level != -2 && i < load->tree->ranks; i++) {
        int rank = topo_tree_rank(load->tree, i);
        double seconds = before ? load->rank[rank].used : load->rank[rank].cpu;
        topo_shared_cores_add(&unit, seconds, before ? load->rank[rank].used_packet : load->rank[rank].packet);
        if (i + 1 < load->tree->ranks && topo_cores_are_shared(load->tree, load->cores_level, i + 1))
            continue;
        double core = topo_shared_cores_busiest(&unit, load->params->cores);
        most = core > most ? core : most;
        unit = (struct topo_shared_cores){0};
    }
    return most;
}

static double seconds_of(const struct topo_link *link, const struct traffic *traffic)
{
    double through = (traffic->out > traffic->in ? traffic->out : traffic->in) * link->beta;
    double inside = traffic->medium * link->shared;
    return through > inside ? through : inside;
}

/* The busiest link or medium of all, in this step or in those before. */
static double links_of(const struct topo_load *load, bool before)
{
    const struct topo_tree *tree = load->tree;
    double most = 0;
    for (int level = -1; level <= tree->levels; level++) {
        static const struct topo_link none;
        struct topo_link link = level < 0 ? none : *topo_params_link(load->params, tree, level);
        int first = load->start[level < 0 ? tree->levels + 1 : level];
        int count = level < 0 ? 1 : level < tree->levels ? tree->units[level] : tree->ranks;
        /* The medium inside a unit joins the units of the level below. */
        link.shared = level < tree->levels ? topo_params_link(load->params, tree, level + 1)->shared : 0;
        for (int i = 0; i < count; i++) {
            const struct unit *unit = &load->units[first + i];
            double seconds = seconds_of(&link, before ? &unit->before : &unit->step);
            most = seconds > most ? seconds : most;
        }
    }
    return most;
}

double topo_load_busy(const struct topo_load *load)
{
    double cpu = cpu_of(load, true), links = links_of(load, true);
    return cpu > links ? cpu : links;
}

static void add_traffic(struct traffic *sum, const struct traffic *traffic, int times)
{
    sum->out += traffic->out * times;
    sum->in += traffic->in * times;
    sum->medium += traffic->medium * times;
}

/* The next step begins, after `times` of this one. */
static void begin_next(struct topo_load *load, int times)
{
    for (int i = 0; i <= load->start[load->tree->levels + 1]; i++) {
        struct unit *unit = &load->units[i];
        add_traffic(&unit->before, &unit->step, times);
        unit->step = (struct traffic){0};
        unit->worked = unit->beside = 0;
    }
    for (int rank = 0; rank < load->tree->ranks; rank++) {
        double used = load->rank[rank].used + load->rank[rank].cpu * times;
        double packet = load->rank[rank].used_packet + load->rank[rank].packet * times;
        memset(&load->rank[rank], 0, sizeof *load->rank);
        load->rank[rank].used = used;
        load->rank[rank].used_packet = packet;
    }
    load->alpha = load->work = 0;
    load->any = load->messages = false;
}

double topo_load_step(struct topo_load *load)
{
    return topo_load_steps(load, 1);
}

double topo_load_steps(struct topo_load *load, int times)
{
    const struct topo_tree *tree = load->tree;
    const double memory = topo_params_link(load->params, tree, load->node_level + 1)->shared;
    double longest, busiest = 0, beside = 0, cpu, seconds;
    if (!load->any)
        return 0;
    longest = links_of(load, false);
    cpu = cpu_of(load, false);
    for (int rank = 0; rank < tree->ranks; rank++) {
        if (load->rank[rank].own > busiest)
            busiest = load->rank[rank].own;
        if (load->rank[rank].hidden > beside)
            beside = load->rank[rank].hidden;
    }
    for (int i = 0; memory > 0 && i < tree->units[load->node_level]; i++) {
        const struct unit *node = &load->units[load->start[load->node_level] + i];
        if (node->worked * memory > busiest)
            busiest = node->worked * memory;
        if (node->beside > 0 && (node->step.medium + node->beside) * memory > beside)
            beside = (node->step.medium + node->beside) * memory;
    }
    seconds = longest + busiest + load->work;
    if (cpu > seconds)
        seconds = cpu;
    seconds += load->alpha;
    if (beside + busiest + load->work > seconds)
        seconds = beside + busiest + load->work;
    seconds += load->messages ? load->turns : 0;
    begin_next(load, times);
    return seconds * times;
}
