#include "model/price_parts.h"

#include <string.h>

#include "base/align.h"
#include "base/memory.h"
#include "plan/gather.h"
#include "plan/sum_ranks.h"

/* What plans are made from, and the part of `node` in exchanges by halving. */
struct source {
    topo_plan_function *form;
    struct topo_plan_input in;
    struct topo_levels *divided;
    struct topo_halving *halving;
    int node;
};

static struct topo_price_rank *add(struct topo_price_ranks *ranks, int rank)
{
    struct topo_price_rank *its = &ranks->at[ranks->count];
    *its = (struct topo_price_rank){.rank = rank, .plan = &its->made};
    ranks->number[rank] = ranks->count++;
    return its;
}

static bool look_at_node(struct source *source, int node)
{
    if (!topo_plan_is_halving(source->form) || node == source->node)
        return true;
    topo_halving_free(source->halving);
    source->halving = NULL;
    source->node = node;
    const bool good = topo_halving_new(source->divided, node, &source->halving) == TOPO_OK;
    source->in.halving = source->halving;
    return good;
}

static bool add_made(struct topo_price_ranks *ranks, struct source *source, int rank)
{
    source->in.rank = rank;
    return look_at_node(source, topo_tree_node_of(ranks->tree, rank)) &&
           source->form(&source->in, &add(ranks, rank)->made) == TOPO_OK;
}

static bool only_takes(const struct topo_plan *plan)
{
    for (int i = 0; i < plan->tasks; i++)
        if (plan->task[i].kind != TOPO_TASK_TAKE)
            return false;
    return true;
}

/* The rank that drives a node, and all others if the first of them does more than take. Where one rank drives an
 * allgather the next one stands for those behind it, whose blocks lie behind its own in the vector of the node. */
static bool add_node(struct topo_price_ranks *ranks, struct source *source, int node)
{
    const struct topo_levels *levels = ranks->levels;
    const int first = topo_tree_rank(ranks->tree, levels->start[node]);
    const int driver = source->in.root < 0 ? first : topo_plan_driver(&source->in, node);
    if (!add_made(ranks, source, driver))
        return false;
    for (int at = levels->start[node]; at < levels->start[node + 1] && source->in.stripes == 0; at++) {
        const int rank = topo_tree_rank(ranks->tree, at);
        if (rank == driver)
            continue;
        if (!add_made(ranks, source, rank))
            return false;
        struct topo_price_rank *its = &ranks->at[ranks->count - 1];
        if (source->form == topo_plan_gather_leader && its->made.node_vector) {
            its->others = levels->start[node + 1] - at - 1;
            break;
        }
        if (!only_takes(&its->made))
            continue;
        topo_plan_free(&its->made);
        ranks->number[rank] = -1;
        ranks->count--;
        break;
    }
    return true;
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;
    while (y > 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* A period is as many blocks as tasks take turns in. Of whole segments two are looked at, and the shorter ones before
 * them. */
static void shorten(struct topo_price_ranks *ranks)
{
    const struct topo_pipeline cut = ranks->at->plan->cut;
    const int64_t blocks = topo_plan_blocks(ranks->at->plan);
    int64_t period = 0;
    if (ranks->at->plan->shares > 0 || ranks->at->plan->ranks > 0 || ranks->at->plan->cuts > 0)
        return;
    for (int i = 0; i < ranks->count; i++)
        for (int t = 0; t < ranks->at[i].plan->tasks; t++) {
            const int stride = ranks->at[i].plan->task[t].stride;
            if (stride == 0)
                return;
            period = period > 0 ? common_multiple(period, stride) : stride;
        }
    const int64_t least = cut.lead + 2 * period;
    if (period == 0 || blocks < least + period)
        return;
    const int64_t looked_at = least + (blocks - least) % period;
    const size_t bytes = topo_pipeline_offset(&cut, (size_t)looked_at);
    ranks->left_out = (double)(cut.bytes - bytes) / (double)bytes;
    ranks->blocks_left_out = (double)(cut.bytes - bytes) / (double)cut.segment;
    for (int i = 0; i < ranks->count; i++) {
        struct topo_pipeline *its = &ranks->at[i].made.cut;
        its->segments = (size_t)looked_at;
        its->bytes = bytes;
    }
}

/* Of a ring so many periods are looked at, twice as many as a window has. */
static void shorten_ring(struct topo_price_ranks *ranks)
{
    enum { LOOKED_AT = 64 };
    const int periods = ranks->at->plan->tasks > 0 ? ranks->at->plan->task->periods : 0;
    if (periods <= LOOKED_AT)
        return;
    for (int i = 0; i < ranks->count; i++)
        for (int t = 0; t < ranks->at[i].plan->tasks; t++) {
            const struct topo_task *task = &ranks->at[i].plan->task[t];
            if (task->periods != periods || task->turns > 1 || task->among > 0)
                return;
        }
    ranks->periods_left_out = periods - LOOKED_AT;
    for (int i = 0; i < ranks->count; i++)
        for (int t = 0; t < ranks->at[i].made.tasks; t++)
            ranks->at[i].made.task[t].periods = LOOKED_AT;
}

/* Whether a node, by its first rank, has a block. */
static bool is_there(const void *of, int64_t round, int block)
{
    const struct topo_price_rank *its = of;
    return its->there[round * its->plan->period + block] >= 0;
}

static bool begin(struct topo_price_rank *its)
{
    const struct topo_plan *plan = its->plan;
    const size_t blocks = (size_t)topo_plan_blocks(plan), run = topo_align(topo_plan_run_bytes(plan), sizeof(double)),
                 times = (size_t)plan->tasks * sizeof *its->times;
    size_t positions = 0;
    its->memory = topo_alloc(run + times, 1);
    if (!its->memory)
        return false;
    topo_plan_run_begin(&its->run, plan, its->memory);
    its->times = (struct topo_price_times *)((char *)its->memory + run);
    its->gives = -1;
    for (int i = 0; i < plan->tasks; i++) {
        const struct topo_task_run *at = &its->run.task[i];
        its->gives = plan->task[i].kind == TOPO_TASK_GIVE && !plan->node_vector ? i : its->gives;
        positions += (size_t)(at->end - at->begun) * (plan->task[i].kind == TOPO_TASK_GIVE ? 3 : 2);
    }
    topo_plan_begin_rounds(&its->run, plan->rounds); /* as if there were enough windows */
    its->run.is_there = is_there;
    double *next = its->here = topo_alloc(2 * blocks + positions + 1, sizeof *its->here);
    for (size_t block = 0; block < blocks && next; block++)
        *next++ = plan->sums ? -1 : 0;
    its->there = next;
    for (size_t block = 0; block < blocks && next; block++)
        *next++ = -1;
    for (int i = 0; i < plan->tasks && next; i++) {
        const struct topo_task_run *at = &its->run.task[i];
        const int64_t count = at->end - at->begun;
        its->times[i] = (struct topo_price_times){at->begun, next, next + count, next + 2 * count, 0};
        for (int64_t p = 0; p < count; p++)
            its->times[i].end[p] = -1;
        next += count * (plan->task[i].kind == TOPO_TASK_GIVE ? 3 : 2);
    }
    return its->here;
}

static bool open_ranks(const struct topo_tree *tree, struct topo_price_ranks *ranks)
{
    *ranks = (struct topo_price_ranks){.tree = tree};
    ranks->at = topo_calloc((size_t)tree->ranks, sizeof *ranks->at);
    ranks->number = topo_alloc((size_t)tree->ranks, sizeof *ranks->number);
    if (ranks->number)
        memset(ranks->number, -1, (size_t)tree->ranks * sizeof *ranks->number);
    return ranks->at && ranks->number && topo_levels_new(tree, 0, &ranks->levels) == TOPO_OK;
}

struct topo_price_rank *topo_price_vector_of(const struct topo_price_ranks *ranks, const struct topo_price_rank *its)
{
    const int first = ranks->levels->start[topo_tree_node_of(ranks->tree, its->rank)];
    const int number = ranks->number[topo_tree_rank(ranks->tree, first)];
    return number < 0 ? NULL : &ranks->at[number];
}

/* The plan of most blocks: all ranks have the same, or as many as they have of one length. */
static const struct topo_plan *with_most(const struct topo_price_ranks *ranks)
{
    const struct topo_plan *plan = ranks->at->plan;
    for (int i = 1; i < ranks->count; i++)
        if (topo_plan_blocks(ranks->at[i].plan) > topo_plan_blocks(plan))
            plan = ranks->at[i].plan;
    return plan;
}

static bool begin_all(struct topo_price_ranks *ranks, size_t element)
{
    const struct topo_plan *plan = ranks->count > 0 ? with_most(ranks) : NULL;
    const int64_t blocks = ranks->blocks = ranks->count > 0 ? topo_plan_blocks(plan) : 0;
    ranks->offset = topo_alloc((size_t)blocks + 1, sizeof *ranks->offset);
    if (!ranks->offset)
        return false;
    for (int64_t block = 0; block <= blocks && ranks->count > 0; block++)
        ranks->offset[block] = (double)(topo_plan_offset(plan, block) * (plan->sums ? element : 1));
    for (int i = 0; i < ranks->count; i++)
        if (!begin(&ranks->at[i]))
            return false;
    for (int i = 0; i < ranks->count; i++)
        ranks->at[i].run.of = topo_price_vector_of(ranks, &ranks->at[i]);
    return true;
}

/* Whether all units of each level have as many nodes. */
static bool units_alike(const struct topo_levels *levels)
{
    bool alike = true;
    for (int z = 0; z < levels->count; z++)
        for (int unit = 0; unit < levels->level[z].units && alike; unit++)
            alike = topo_unit_size(&levels->level[z], unit) * levels->level[z].units == levels->nodes;
    return alike;
}

/* Ranks of other nodes are those of the first one. */
static void stand_for_all(struct topo_price_ranks *ranks)
{
    for (int at = ranks->levels->ranks_most; at < ranks->tree->ranks; at++)
        ranks->number[topo_tree_rank(ranks->tree, at)] =
            ranks->number[topo_tree_rank(ranks->tree, at % ranks->levels->ranks_most)];
}

enum topo_status topo_price_ranks_make(const struct topo_tree *tree, topo_plan_function *form,
                                       const struct topo_plan_input *call, bool alike, struct topo_price_ranks *ranks)
{
    struct source source = {.form = form, .in = *call, .node = -1};
    bool good = open_ranks(tree, ranks) &&
                topo_levels_new(tree, topo_given(call->parameters.radix, topo_plan_radix(form, ranks->levels)),
                                &source.divided) == TOPO_OK;
    source.in.tree = tree;
    source.in.levels = ranks->levels;
    source.in.divided = source.divided;
    const bool by_rank = topo_plan_is_by_rank(form) || topo_plan_sums_by_rank(form);
    ranks->alike = alike && good && call->root < 0 && ranks->levels->ranks_least == ranks->levels->ranks_most &&
                   units_alike(ranks->levels) && (by_rank || units_alike(source.divided));
    for (int node = 0; good && node < (ranks->alike ? 1 : ranks->levels->nodes); node++)
        good = add_node(ranks, &source, node);
    if (good && ranks->alike)
        stand_for_all(ranks);
    topo_halving_free(source.halving);
    topo_levels_free(source.divided);
    if (good) {
        shorten(ranks);
        shorten_ring(ranks);
    }
    return good && begin_all(ranks, call->element) ? TOPO_OK : TOPO_NOMEM;
}

enum topo_status topo_price_ranks_take(const struct topo_tree *tree, const struct topo_plan *plan,
                                       const struct topo_plan_input *call, struct topo_price_ranks *ranks)
{
    bool good = open_ranks(tree, ranks);
    for (int rank = 0; good && rank < tree->ranks; rank++)
        if (plan[rank].sums || !only_takes(&plan[rank]))
            add(ranks, rank)->plan = &plan[rank];
    return good && begin_all(ranks, call->element) ? TOPO_OK : TOPO_NOMEM;
}

bool topo_price_is_waited_for(const struct topo_plan *plan, int task)
{
    bool waited = plan->at_once > 0 || plan->sums;
    for (int other = 0; other < plan->tasks && !waited; other++)
        waited = plan->task[other].after == task;
    return waited;
}

void topo_price_ranks_free(struct topo_price_ranks *ranks)
{
    for (int i = 0; i < ranks->count; i++) {
        topo_plan_free(&ranks->at[i].made);
        topo_free(ranks->at[i].memory);
        topo_free(ranks->at[i].here);
    }
    topo_levels_free(ranks->levels);
    topo_free_all(ranks->at, ranks->number, ranks->offset);
}
