/* Costs of the forms whose plans go in rounds (plan/plan.h): what all plans have to send, to add up and to copy takes
 * its time on the busiest link, memory or processor; before it the first round's operands come, after it the last
 * segment has its way to go. */
#include <math.h>

#include "base/memory.h"
#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "patterns/reduce_cut.h"
#include "plan/gather.h"
#include "plan/sum_lanes.h"

enum { ELEMENT = 8 }; /* bytes; vectors are of doubles here */

/* A vector in rounds of so many blocks, and what plans say of one. */
struct rounds {
    const struct topo_cost_input *in;
    struct topo_levels *levels, *divided;
    struct topo_load *up, *back;       /* messages of all rounds; what brings totals is apart */
    size_t bytes;                      /* of a sum: in all, ... */
    int blocks, stripes;               /* ... in so many blocks, each node's in so many stripes */
    double count, segment;             /* rounds; mean bytes of a block of one */
    bool scatters;                     /* blocks are as long as their nodes have ranks */
    bool *looked_at;                   /* by node */
    double *own, *received, *in_place; /* by rank: bytes that it adds up of its node, of others, in windows */
};

/* Every rank copies so many bytes into its node's windows or out of them. */
static void copy_all(struct topo_load *load, const struct rounds *all, double bytes, bool hidden)
{
    for (int rank = 0; rank < all->in->tree->ranks; rank++)
        topo_load_memory(load, rank, all->in->params->copy * bytes, bytes, hidden);
}

/* Bytes of a block; of a vector of fewer numbers than blocks some have none. */
static double bytes_of(const struct rounds *all, int block)
{
    const size_t numbers = all->bytes < ELEMENT ? 1 : all->bytes / ELEMENT, blocks = (size_t)all->blocks,
                 at = (size_t)block;
    if (all->scatters)
        return all->segment * topo_node_ranks(all->levels, block / all->stripes) * all->levels->nodes /
               all->in->tree->ranks;
    return all->stripes == 0 || numbers * (at + 1) / blocks > numbers * at / blocks ? all->segment : 0;
}

/* Whether a turn brings what the node's ranks have. */
static bool is_own(const struct topo_plan *plan, int turn)
{
    bool own = false;
    for (int i = 0; i < plan->tasks; i++)
        own |= plan->task[i].kind == TOPO_TASK_ADD && turn >= plan->task[i].turn &&
               turn < plan->task[i].turn + plan->task[i].turns;
    return own;
}

/* Sums are added to each other where the operand lies to which the others are: the node's own one in its windows. */
static void look_at_turn(const struct rounds *all, const struct topo_plan *plan, const struct topo_task *task, int turn,
                         int rank)
{
    const double bytes = bytes_of(all, plan->turn[turn].block);
    const int into = plan->operand ? plan->operand[turn].into : TOPO_PLAN_PARTIAL;
    const int peer = plan->turn[turn].peer;
    const bool sends = task->kind == TOPO_TASK_SEND,
               back = sends ? into == TOPO_PLAN_TOTAL : plan->sums && !topo_plan_adds(plan, task);
    if (bytes > 0 &&
        (sends || (task->kind == TOPO_TASK_RECEIVE && !all->looked_at[topo_tree_node_of(all->in->tree, peer)])))
        topo_load_messages(back ? all->back : all->up, sends ? rank : peer, sends ? peer : rank, all->count,
                           all->count * bytes);
    if (task->kind == TOPO_TASK_ADD)
        all->own[rank] += bytes;
    if (topo_plan_adds(plan, task))
        all->received[rank] += bytes;
    if (into >= 0 && (task->kind == TOPO_TASK_ADD || (topo_plan_adds(plan, task) && is_own(plan, into))))
        all->in_place[rank] += bytes;
}

/* All plans, one after the other; `busiest` not below 0: where no racks are in between, of this node and the first one
 * of each size. False: memory is out. */
static bool look_at_all(const struct rounds *all, topo_plan_function *form, struct topo_plan_input call, int busiest)
{
    const struct topo_tree *tree = all->in->tree;
    struct topo_plan plan = {0};
    TOPO_SCOPED bool *seen = topo_calloc((size_t)all->levels->ranks_most + 1, sizeof *seen);
    bool good = seen;
    for (int node = 0; node < all->levels->nodes && good; node++) {
        bool *size = &seen[topo_node_ranks(all->levels, node)];
        all->looked_at[node] = !*size || node == busiest || busiest < 0 || all->levels->count > 1;
        *size = true;
    }
    call.tree = tree;
    call.levels = all->levels;
    call.divided = all->divided;
    for (int rank = 0; rank < tree->ranks && good; rank++) {
        if (!all->looked_at[topo_tree_node_of(tree, rank)])
            continue;
        topo_plan_clear(&plan);
        call.rank = rank;
        good = form(&call, &plan) == TOPO_OK;
        for (int i = 0; i < plan.tasks && good; i++)
            for (int turn = 0; turn < plan.task[i].turns; turn++)
                look_at_turn(all, &plan, &plan.task[i], plan.task[i].turn + turn, rank);
    }
    topo_plan_free(&plan);
    return good;
}

static void end(struct rounds *all)
{
    topo_levels_free(all->levels);
    topo_levels_free(all->divided);
    topo_load_free(all->up);
    topo_load_free(all->back);
    topo_free_all(all->own, all->looked_at);
}

/* False: memory is out. */
static bool begin(const struct topo_cost_input *in, struct rounds *all)
{
    const size_t ranks = (size_t)in->tree->ranks;
    *all = (struct rounds){.in = in, .own = topo_calloc(3 * ranks, sizeof *all->own)};
    all->received = all->own + ranks;
    all->in_place = all->received + ranks;
    all->looked_at = topo_alloc((size_t)in->tree->units[topo_tree_node_level(in->tree)], sizeof *all->looked_at);
    return all->own && all->looked_at && topo_levels_new(in->tree, 0, &all->levels) == TOPO_OK &&
           topo_levels_new(in->tree, TOPO_RADIX, &all->divided) == TOPO_OK &&
           topo_load_new(in->tree, in->params, &all->up, NULL) == TOPO_OK &&
           topo_load_new(in->tree, in->params, &all->back, NULL) == TOPO_OK;
}

static struct topo_plan_input call_of(const struct rounds *all, size_t bytes)
{
    const struct topo_cost_input *in = all->in;
    return (struct topo_plan_input){.bytes = bytes > 0 ? bytes : 1,
                                    .root = topo_cost_root(in),
                                    .element = all->stripes > 0 ? ELEMENT : 0,
                                    .stripes = all->stripes,
                                    .scatters = all->scatters,
                                    .shares = true,
                                    .oversubscribed = topo_cost_oversubscribed(in, all->levels),
                                    .parameters = in->call->parameters};
}

/* A latency for each message that the last block of the first node takes beyond one. Negative when memory is out. */
static double further_latency(const struct rounds *all, const struct topo_levels *levels, enum topo_path_kind kind)
{
    TOPO_SCOPED_BY(topo_paths_end) struct topo_paths *paths = NULL;
    int hops = 1;
    if (topo_paths_new(levels, 0, kind, &paths) != TOPO_OK)
        return -1;
    for (int node = 0; node < levels->nodes; node++)
        hops = paths->hops[node] > hops ? paths->hops[node] : hops;
    return (hops - 1) * topo_params_link(all->in->params, all->in->tree, 0)->alpha;
}

/* All blocks one behind the other through every link, the last ones a latency later for each further node, where a
 * segment of each is then copied out. All others are as they come, but all copies together may take longer. Blocks of
 * the mean length. */
static double gather(struct rounds *all)
{
    const struct topo_cost_input *in = all->in;
    const size_t bytes = in->call->bytes;
    const struct topo_gather_lanes_cut cut =
        topo_gather_lanes_cut(all->levels, topo_cost_oversubscribed(in, all->levels), bytes);
    const size_t segment = (size_t)topo_given(in->call->parameters.segment, (int)cut.segment);
    const double further = further_latency(all, all->levels, cut.kind), m = (double)bytes;
    all->count = bytes > 0 ? (double)((bytes + segment - 1) / segment) : 1;
    all->segment = m / all->count;
    if (further < 0 || !look_at_all(all, topo_plan_gather_lanes, call_of(all, bytes * (size_t)in->tree->ranks), 0))
        return -1;
    double seconds = topo_load_step(all->up) + further;
    copy_all(all->up, all, (m < (double)segment ? m : (double)segment) * all->levels->ranks_most, false);
    seconds += topo_load_step(all->up);
    copy_all(all->up, all, m * (in->tree->ranks + 1), false);
    seconds = fmax(seconds, topo_load_step(all->up));
    seconds = fmax(seconds, topo_load_busy(all->up)); /* processors may have to do both */
    topo_cost_shm_copy(in, all->levels, true);
    topo_cost_shm_copy(in, all->levels, false);
    return seconds + topo_load_step(in->load);
}

/* The first round's operands are written, the first segment that a rank drives is added up and the last result read
 * while nothing else happens. All else hides behind messages: a rank sends a sum and adds up the next one, and results
 * are read as they come; where it is `scatters` each rank reads its part only. */
static double sum(struct rounds *all)
{
    const struct topo_cost_input *in = all->in;
    const struct topo_levels *levels = all->levels;
    const bool oversubscribed = topo_cost_oversubscribed(in, levels);
    const double m = (double)all->bytes;
    struct topo_sum_cut cut;
    int most, busiest;
    if (topo_sum_lanes_cut(levels, all->divided, all->bytes, all->scatters, oversubscribed, &cut) != TOPO_OK ||
        topo_paths_most(cut.direct ? levels : all->divided, &most, &busiest) != TOPO_OK)
        return -1;
    if (levels->ranks_least < levels->ranks_most && most > levels->nodes - 1)
        busiest = -1; /* whose link has most depends on how ranks share the blocks */
    all->stripes = cut.stripes;
    all->blocks = levels->nodes * cut.stripes;
    const double whole = (double)cut.segment * all->blocks;
    all->count = m > whole ? floor((m + whole - 1) / whole) : 1;
    const double round = m / all->count, segment = all->segment = round / all->blocks,
                 further = further_latency(all, cut.direct ? levels : all->divided, TOPO_PATH_DIRECT);
    struct topo_plan_input call = call_of(all, all->bytes);
    call.root = -1;
    call.direct = cut.direct;
    if (further < 0 || !look_at_all(all, topo_plan_sum_lanes, call, busiest))
        return -1;
    const bool pipelined = !oversubscribed && topo_reduce_cut_pipelined(all->bytes, all->blocks, cut.segment,
                                                                        TOPO_REDUCE_WINDOWS, levels->ranks_most);
    copy_all(in->load, all, pipelined ? 0 : round, false);
    topo_cost_shm_copy(in, levels, true);
    double seconds = topo_load_step(in->load);
    for (int rank = 0; rank < in->tree->ranks; rank++) {
        const int others = topo_node_ranks(levels, topo_tree_node_of(in->tree, rank)) - 1;
        const double each = pipelined ? segment : segment * others, added = pipelined ? round : others * all->own[rank],
                     first = added < each ? added : each, later = (added + all->received[rank]) * all->count - first;
        topo_load_memory(in->load, rank, in->params->gamma * first, first, false);
        topo_load_memory(all->up, rank, in->params->gamma * later, later, true);
    }
    seconds += topo_load_step(in->load) + further;
    copy_all(all->up, all, pipelined ? 0 : m - round, true);
    const double read = all->scatters ? m / in->tree->ranks : m, last = segment < read ? segment : read;
    seconds += topo_load_step(all->up);
    if (!all->scatters) {
        copy_all(all->back, all, read - last, true);
        seconds += topo_load_step(all->back) + further;
    }
    topo_cost_shm_copy(in, levels, false);
    copy_all(in->load, all, all->scatters ? read : last, false);
    return seconds + topo_load_step(in->load);
}

/* Seconds of a pipeline of `depth` messages one after the other and so many segments, of which `ahead` are received at
 * a time; `step` seconds are those of a segment's message, whose latency then passes while others arrive, `work` those
 * of what else is done for it meanwhile. */
static double pipeline(const struct topo_cost_input *in, double step, double work, int depth, double segments,
                       int ahead)
{
    const double next = fmax(step - topo_params_link(in->params, in->tree, 0)->alpha, step / ahead);
    return step * depth + fmax(next, work) * (segments - 1);
}

/* Round by round along the chain: once it runs, all nodes hand one on at the same time. */
static double chain(struct rounds *all)
{
    const struct topo_cost_input *in = all->in;
    const struct topo_levels *levels = all->levels;
    const double m = (double)all->bytes;
    const struct topo_reduce_chain_cut cut = topo_reduce_cut_chain(
        all->bytes, levels, levels->ranks_most, topo_cost_oversubscribed(in, levels), in->call->parameters.segment);
    const double whole = (double)cut.segment * cut.stripes, rounds = m > whole ? ceil(m / whole) : 1,
                 round = m / rounds, segment = round / cut.stripes;
    all->stripes = all->blocks = cut.stripes;
    all->count = 1;
    all->segment = segment;
    struct topo_plan_input call = call_of(all, all->bytes);
    call.trees = cut.trees;
    if (!look_at_all(all, topo_plan_reduce_chain, call, -1))
        return -1;
    topo_cost_shm_copy(in, levels, true);
    copy_all(in->load, all, round, false);
    const double first = topo_load_step(in->load);
    double step[2];
    for (int i = 0; i < 2; i++) { /* with the messages, and by itself */
        struct topo_load *load = i == 0 ? all->up : all->back;
        for (int rank = 0; rank < in->tree->ranks; rank++) {
            const int others = topo_node_ranks(levels, topo_tree_node_of(in->tree, rank)) - 1;
            const double own = cut.pipelined ? round : all->own[rank] * others;
            topo_load_memory(load, rank, in->params->gamma * (own + all->received[rank]), own + all->in_place[rank],
                             true);
        }
        copy_all(load, all, cut.pipelined ? 0 : round, true);
        step[i] = topo_load_step(load);
    }
    const int depth = topo_reduce_cut_depth(levels, cut.trees);
    const double seconds = first + pipeline(in, step[0], step[1], depth > 0 ? depth : 1, rounds,
                                            cut.ahead > TOPO_REDUCE_AHEAD_LEAST ? cut.ahead : TOPO_REDUCE_AHEAD_LEAST);
    topo_cost_shm_copy(in, levels, false);
    topo_load_memory(in->load, topo_cost_root(in), in->params->copy * round, round, false);
    return seconds + topo_load_step(in->load);
}

static double in_rounds(const struct topo_cost_input *in, double (*of)(struct rounds *all), size_t bytes, bool scatters)
{
    struct rounds all;
    const bool good = begin(in, &all);
    all.bytes = bytes;
    all.scatters = scatters;
    const double seconds = good ? of(&all) : -1;
    end(&all);
    return seconds;
}

double topo_cost_gather_lanes(const struct topo_cost_input *in)
{
    return in_rounds(in, gather, in->call->bytes * (size_t)in->tree->ranks, false);
}

double topo_cost_sum_lanes(const struct topo_cost_input *in, size_t bytes, bool scatters)
{
    return in_rounds(in, sum, bytes, scatters);
}

double topo_cost_chain(const struct topo_cost_input *in)
{
    return in_rounds(in, chain, in->call->bytes, false);
}
