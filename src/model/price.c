#include "model/price.h"

#include "base/memory.h"
#include "model/price_parts.h"
#include "patterns/limits.h"

/* An end of a message that is under way. */
#define UNDER_WAY (-2.0)

struct price {
    struct topo_price_ranks ranks;
    struct topo_price_memory memory;
    struct topo_price_links *links;
    const struct topo_price_watch *watch;
    double busiest; /* seconds for which some link, memory or processor was busy */
    bool failed;    /* memory is out */
    bool unlike;    /* nodes that were to be alike are not */
};

static double *end_of(const struct topo_price_rank *its, int task, int64_t position)
{
    return &its->times[task].end[position - its->times[task].first];
}

static double *begin_of(const struct topo_price_rank *its, int task, int64_t position)
{
    return &its->times[task].begin[position - its->times[task].first];
}

static double bytes_of(const struct price *price, const struct topo_step *step)
{
    const double *offset = price->ranks.offset;
    const int64_t blocks = price->ranks.blocks, end = step->first + step->count;
    if (step->count == 0)
        return 0;
    return end <= blocks ? offset[end] - offset[step->first]
                         : offset[blocks] - offset[step->first] + offset[end - blocks];
}

/* When all positions of a task up to this one are over; beyond the last one: all. */
static double over_at(const struct topo_price_rank *its, int task, int64_t position)
{
    const int64_t last = its->run.task[task].end - 1;
    position = position < last ? position : last;
    return position >= its->times[task].first ? *end_of(its, task, position) : 0;
}

/* When the next position of a task may begin. What is sent waits for what its rank hands over. */
static double ready_at(const struct topo_price_rank *its, int index, const struct topo_step *step)
{
    const struct topo_task *task = &its->plan->task[index];
    const int64_t position = its->run.task[index].begun;
    double ready = over_at(its, index, position - task->window);
    if (task->after >= 0)
        ready = topo_later(ready, over_at(its, task->after, position - task->lag - 1));
    if (task->kind == TOPO_TASK_SEND && its->gives >= 0)
        ready = topo_later(
            ready, over_at(its, its->gives, position - its->times[index].first + its->times[its->gives].first - 1));
    for (int64_t block = step->first; block < step->first + step->count && task->kind != TOPO_TASK_RECEIVE; block++)
        ready = topo_later(ready, its->here[topo_plan_block(&its->run, block)]);
    if (task->kind == TOPO_TASK_SEND && its->plan->windows > 0 && !its->plan->sums)
        ready = topo_later(ready, ((const struct topo_price_rank *)its->run.of)->there[step->first]);
    return ready;
}

/* A rank adds; returns when it has. */
static double work(struct topo_price_rank *its, double begin, double seconds)
{
    its->worked += seconds;
    return its->added = topo_later(its->added, begin) + seconds;
}

/* The operands of its node are in a block of a sum, added from `when` on. */
static void add_own(const struct price *price, struct topo_price_rank *its, int64_t block, double when)
{
    const struct topo_step step = {.first = block, .count = 1};
    if (its->here[block] < 0)
        its->here[block] = work(its, when, price->memory.own * bytes_of(price, &step));
}

/* A rank of a sum in rounds that adds what has come, since then. */
struct adding {
    const struct price *price;
    struct topo_price_rank *its;
    double when;
};

static void add_operand(void *of, int64_t round, int operand, int into)
{
    struct adding *adding = of;
    const struct topo_plan *plan = adding->its->plan;
    const struct topo_step step = {.first = round * plan->period + plan->turn[into].block, .count = 1};
    (void)operand;
    adding->when = work(adding->its, adding->when, adding->price->memory.add * bytes_of(adding->price, &step));
}

/* What a turn brings is there, `when`; returns when it has been added. */
static double operand_is_there(const struct price *price, struct topo_price_rank *its, struct topo_at at, double when)
{
    const int64_t block = at.round * its->plan->period + at.block;
    struct adding adding = {price, its, when};
    const int sum = topo_plan_operand_is_there(&its->run, at.round, at.turn, add_operand, &adding);
    if (sum >= 0)
        its->here[block] = adding.when;
    if (sum >= 0 && its->plan->operand[sum].into == TOPO_PLAN_TOTAL)
        topo_price_vector_of(&price->ranks, its)->there[block] = adding.when;
    return adding.when;
}

/* Blocks have come; returns when they are here. */
static double land(const struct price *price, struct topo_price_rank *its, int task, int64_t position)
{
    const struct topo_step step = topo_plan_step(&its->run, task, position);
    double end = *end_of(its, task, position);
    if (its->plan->operand)
        return operand_is_there(price, its, topo_plan_at(its->plan, &its->plan->task[task], position), end);
    for (int64_t block = step.first; block < step.first + step.count; block++) {
        const struct topo_step one = {.first = block, .count = 1};
        if (topo_plan_adds(its->plan, &its->plan->task[task])) {
            add_own(price, its, block, its->plan->adds_ahead ? *begin_of(its, task, position) : end);
            end = work(its, end, price->memory.add * bytes_of(price, &one));
        }
        its->here[topo_plan_block(&its->run, block)] = topo_later(its->here[topo_plan_block(&its->run, block)], end);
        if (its->plan->windows > 0)
            topo_price_vector_of(&price->ranks, its)->there[block] = end;
    }
    return end;
}

/* Positions of a task that have ended are over, one after the other. */
static void finish(const struct price *price, struct topo_price_rank *its, int task)
{
    const struct topo_price_watch *watch = price->watch;
    const struct topo_task_run *at = &its->run.task[task];
    while (at->over < at->begun && *end_of(its, task, at->over) >= 0) {
        double *end = end_of(its, task, at->over);
        if (topo_plan_adds(its->plan, &its->plan->task[task]) && !its->plan->operand &&
            !topo_plan_may_add(&its->run, task))
            return;
        if (at->over > its->times[task].first)
            *end = topo_later(*end, end[-1]);
        if (its->plan->task[task].kind == TOPO_TASK_RECEIVE)
            *end = land(price, its, task, at->over);
        if (watch) {
            const struct topo_step step = topo_plan_step(&its->run, task, at->over);
            watch->position(watch->context, its->rank, task, &step,
                            price->memory.start + *begin_of(its, task, at->over), price->memory.start + *end);
        }
        topo_plan_over(&its->run, task);
    }
}

/* Begins the next position of a task; what moves nothing has ended. */
static struct topo_step begin_next(const struct price *price, struct topo_price_rank *its, int task)
{
    const int64_t position = its->run.task[task].begun;
    const struct topo_step step = topo_plan_step(&its->run, task, position);
    if (its->plan->sums && !its->plan->operand && its->plan->task[task].kind == TOPO_TASK_SEND)
        for (int64_t block = step.first; block < step.first + step.count; block++)
            add_own(price, its, block, 0);
    *begin_of(its, task, position) = ready_at(its, task, &step);
    topo_plan_begun(&its->run, task);
    if (bytes_of(price, &step) == 0)
        *end_of(its, task, position) = *begin_of(its, task, position);
    finish(price, its, task);
    return step;
}

/* The ranks of the node that only take what is given. */
static void tell_takers(const struct price *price, const struct topo_price_rank *its, int64_t position)
{
    const struct topo_price_watch *watch = price->watch;
    const struct topo_levels *levels = price->ranks.levels;
    const struct topo_price_times *times = &its->times[its->gives];
    struct topo_step step = topo_plan_step(&its->run, its->gives, position);
    const int node = topo_tree_node_of(price->ranks.tree, its->rank);
    step.peer = its->rank;
    for (int at = levels->start[node]; at < levels->start[node + 1]; at++) {
        const int rank = topo_tree_rank(price->ranks.tree, at);
        if (price->ranks.number[rank] < 0)
            watch->position(watch->context, rank, 0, &step, times->begin[position - times->first],
                            times->taken[position - times->first] + price->memory.flag);
    }
}

/* What has come goes to the node, in pieces that follow each other; what landed in its memory is there. */
static void give(struct price *price, struct topo_price_rank *its, int task)
{
    while (topo_plan_may_begin(&its->run, task)) {
        const int64_t position = its->run.task[task].begun;
        const double bytes = bytes_of(price, &(const struct topo_step[]){topo_plan_step(&its->run, task, position)}[0]);
        const double copied = its->plan->lands ? 0 : bytes,
                     piece = copied < TOPO_SEGMENT_BYTES ? copied : TOPO_SEGMENT_BYTES;
        struct topo_price_times *times = &its->times[task];
        const int64_t i = position - times->first;
        const double before = i > 0 ? times->taken[i - 1] : 0;
        begin_next(price, its, task);
        if (bytes > 0)
            times->begin[i] = topo_later(times->begin[i], i > 0 ? times->end[i - 1] : 0);
        times->taken[i] =
            topo_later(times->begin[i] + price->memory.copy * copied,
                       topo_later(times->begin[i] + price->memory.copy * piece, before) + price->memory.copies * bytes);
        times->end[i] = times->begin[i] + price->memory.copy * bytes;
        if (price->watch)
            tell_takers(price, its, position);
        finish(price, its, task);
    }
}

/* Whether a position has not met its other end. */
static bool is_alone(const struct topo_price_rank *its, int task, int64_t position)
{
    const double end = *end_of(its, task, position);
    return end < 0 && end > UNDER_WAY;
}

/* The first position under way of a task of this kind whose other end is rank number `other` of those looked at and has
 * not met it. */
static bool find(const struct price *price, const struct topo_price_rank *its, enum topo_task_kind kind, int tag,
                 int other, int *task, int64_t *position)
{
    for (*task = 0; *task < its->plan->tasks; ++*task) {
        const struct topo_task *here = &its->plan->task[*task];
        if (here->kind != kind || here->tag != tag)
            continue;
        for (*position = its->run.task[*task].over; *position < its->run.task[*task].begun; ++*position)
            if (is_alone(its, *task, *position) &&
                price->ranks.number[topo_plan_step(&its->run, *task, *position).peer] == other)
                return true;
    }
    return false;
}

/* A position has begun: if its other end has, too, the message starts. */
static void meet(struct price *price, struct topo_price_rank *its, int task, const struct topo_step *step)
{
    const bool sends = its->plan->task[task].kind == TOPO_TASK_SEND;
    const int64_t position = its->run.task[task].begun - 1;
    const int number = bytes_of(price, step) > 0 ? price->ranks.number[step->peer] : -1;
    int other;
    int64_t there;
    if (number < 0 || *end_of(its, task, position) >= 0)
        return;
    struct topo_price_rank *peer = &price->ranks.at[number];
    if (!find(price, peer, sends ? TOPO_TASK_RECEIVE : TOPO_TASK_SEND, its->plan->task[task].tag,
              (int)(its - price->ranks.at), &other, &there))
        return;
    const int shared = topo_tree_shared_levels(price->ranks.tree, its->rank, step->peer);
    price->unlike |=
        price->ranks.alike &&
        shared != topo_tree_shared_levels(price->ranks.tree, peer->rank, topo_plan_step(&peer->run, other, there).peer);
    const struct topo_price_message message = {
        .from = sends ? its : peer,
        .to = sends ? peer : its,
        .sends = sends ? task : other,
        .receives = sends ? other : task,
        .shared = shared,
        .sent = sends ? position : there,
        .received = sends ? there : position,
        .bytes = bytes_of(price, step),
        .begin = topo_later(*begin_of(its, task, position), *begin_of(peer, other, there))};
    *end_of(its, task, position) = *end_of(peer, other, there) = UNDER_WAY;
    price->failed |= !topo_price_links_start(price->links, &message);
}

/* Begins one position; true where it moves nothing, so that others may begin now. */
static bool begin_one(struct price *price, struct topo_price_rank *its, int task)
{
    const struct topo_step step = begin_next(price, its, task);
    meet(price, its, task, &step);
    return bytes_of(price, &step) == 0;
}

static bool begin_all_of(struct price *price, struct topo_price_rank *its, int task)
{
    bool again = false;
    while (topo_plan_may_begin(&its->run, task))
        again |= begin_one(price, its, task);
    return again;
}

static void begin_tasks(struct price *price, struct topo_price_rank *its, int on);

/* When all ranks of a node have given their operands for a round; below 0: some have not. */
static double all_have_given(const struct price *price, const struct topo_price_rank *its, int64_t round)
{
    const struct topo_levels *levels = price->ranks.levels;
    const int node = topo_tree_node_of(price->ranks.tree, its->rank);
    double when = 0;
    for (int at = levels->start[node]; at < levels->start[node + 1] && when >= 0; at++) {
        const struct topo_price_rank *other =
            &price->ranks.at[price->ranks.number[topo_tree_rank(price->ranks.tree, at)]];
        int task = 0;
        while (other->plan->task[task].kind != TOPO_TASK_GIVE)
            task++;
        const int64_t last = (round + 1) * other->plan->task[task].turns - 1;
        when = other->run.task[task].over > last ? topo_later(when, *end_of(other, task, last)) : -1;
    }
    return when;
}

/* A rank adds up operands of its node. False: not yet. */
static bool add_node(const struct price *price, struct topo_price_rank *its, int task)
{
    const int64_t position = its->run.task[task].begun;
    const struct topo_at at = topo_plan_at(its->plan, &its->plan->task[task], position);
    const struct topo_step step = topo_plan_step(&its->run, task, position);
    const double given = all_have_given(price, its, at.round);
    if (given < 0)
        return false;
    begin_next(price, its, task);
    *begin_of(its, task, position) = given;
    *end_of(its, task, position) =
        operand_is_there(price, its, at, work(its, given, price->memory.own * bytes_of(price, &step)));
    finish(price, its, task);
    return true;
}

/* A rank gives a position to the vector of its node, or takes it when all of it is there. In windows it copies it.
 * False: not yet. */
static bool use_vector(const struct price *price, struct topo_price_rank *its, int task)
{
    double *there = topo_price_vector_of(&price->ranks, its)->there, when = 0;
    const bool gives = its->plan->task[task].kind == TOPO_TASK_GIVE;
    if (its->plan->task[task].kind == TOPO_TASK_ADD)
        return add_node(price, its, task);
    const int64_t position = its->run.task[task].begun;
    const struct topo_step step = topo_plan_step(&its->run, task, position);
    for (int64_t block = step.first; block < step.first + step.count && !gives; block++) {
        if (there[block] < 0)
            return false;
        when = topo_later(when, there[block] + price->memory.flag);
    }
    begin_next(price, its, task);
    when = topo_later(when, *begin_of(its, task, position));
    if (its->plan->windows > 0)
        when = work(its, when, price->memory.copies * bytes_of(price, &step));
    *end_of(its, task, position) = when;
    for (int64_t block = step.first; block < step.first + step.count + its->others && gives && !its->plan->sums;
         block++)
        there[block] = when;
    finish(price, its, task);
    return true;
}

/* All that a rank may give and take there. Returns whether it gave. */
static bool meet_in_node(const struct price *price, struct topo_price_rank *its)
{
    bool gave = false;
    for (int task = 0; task < its->plan->tasks; task++) {
        const enum topo_task_kind kind = its->plan->task[task].kind;
        while (kind != TOPO_TASK_SEND && kind != TOPO_TASK_RECEIVE && topo_plan_may_begin(&its->run, task) &&
               use_vector(price, its, task))
            gave |= kind != TOPO_TASK_TAKE;
    }
    return gave;
}

/* What is new in a node's vector lets its other ranks go on. */
static void wake_node(struct price *price, const struct topo_price_rank *its)
{
    const int node = topo_tree_node_of(price->ranks.tree, its->rank);
    for (int at = price->ranks.levels->start[node]; at < price->ranks.levels->start[node + 1]; at++) {
        const int rank = topo_tree_rank(price->ranks.tree, at);
        if (rank != its->rank && price->ranks.number[rank] >= 0)
            begin_tasks(price, &price->ranks.at[price->ranks.number[rank]], -1);
    }
}

/* Begins what a rank may begin, as the engine does, once a task has gone on; below 0: any may have. */
static void begin_tasks(struct price *price, struct topo_price_rank *its, int on)
{
    const struct topo_plan *plan = its->plan;
    for (bool again = true; again;) {
        int send;
        again = false;
        for (int task = 0; task < plan->tasks && plan->sums; task++)
            finish(price, its, task);
        if (its->gives >= 0)
            give(price, its, its->gives);
        if (plan->node_vector && meet_in_node(price, its))
            wake_node(price, its);
        for (int task = 0; task < plan->tasks; task++) {
            const struct topo_task *here = &plan->task[task];
            if ((here->kind == TOPO_TASK_RECEIVE && (on < 0 || on == task || here->after >= 0 || plan->sums)) ||
                (here->kind == TOPO_TASK_SEND && plan->at_once == 0))
                again |= begin_all_of(price, its, task);
        }
        while (plan->at_once > 0 && (send = topo_plan_next_send(&its->run)) >= 0)
            again |= begin_one(price, its, send);
        on = -1;
    }
}

/* A message has come. */
static void arrive(struct price *price, const struct topo_price_message *message)
{
    struct topo_price_rank *from = message->from, *to = message->to;
    *end_of(from, message->sends, message->sent) = *end_of(to, message->receives, message->received) = message->end;
    from->times[message->sends].took += message->end - message->begin;
    to->times[message->receives].took += message->end - message->begin;
    finish(price, to, message->receives);
    finish(price, from, message->sends);
    begin_tasks(price, to, message->receives);
    if (to->plan->windows > 0)
        wake_node(price, to);
    if (begin_all_of(price, from, message->sends) || topo_price_is_waited_for(from->plan, message->sends))
        begin_tasks(price, from, message->sends);
}

/* When a task is over. What is not looked at takes as long as what is busiest is busy with it; and windows go on as
 * often as their messages take. Periods of a ring follow each other as the last ones did. */
static double end_of_task(const struct price *price, const struct topo_price_rank *its, int index)
{
    const struct topo_task *task = &its->plan->task[index];
    const struct topo_price_times *times = &its->times[index];
    const int64_t last = its->run.task[index].end - 1 - times->first;
    double more = price->busiest * price->ranks.left_out;
    if (last < 0)
        return 0;
    if (price->ranks.periods_left_out > 0)
        more = (times->end[last] - times->end[last / 2]) / (double)(last - last / 2) * price->ranks.periods_left_out;
    if (price->ranks.left_out > 0)
        more = topo_later(more, times->took / (double)(last + 1) / task->window * price->ranks.blocks_left_out *
                                    task->turns / task->stride);
    if (index == its->gives)
        return times->taken[last] + more + price->memory.flag;
    return times->end[last] + more;
}

/* Whoever sends nothing has added up when all is here. */
static double end_of_sums(struct price *price)
{
    double seconds = 0;
    for (int i = 0; i < price->ranks.count; i++) {
        struct topo_price_rank *its = &price->ranks.at[i];
        for (int64_t block = 0; block < its->run.blocks && its->plan->sums && !its->plan->operand; block++)
            add_own(price, its, block, 0);
        seconds = topo_later(seconds, its->added);
    }
    return seconds;
}

static double run(struct price *price)
{
    const double bytes = price->ranks.count > 0 ? price->ranks.offset[topo_plan_blocks(price->ranks.at->plan)] : 0;
    double seconds = 0;
    struct topo_price_message ended;
    if (price->ranks.count > 0 && price->ranks.at->plan->node_vector && price->ranks.at->plan->in_order) {
        price->memory.start = price->memory.copies * bytes / price->ranks.tree->ranks;
        price->memory.end = price->memory.copies * bytes;
    }
    for (int i = 0; i < price->ranks.count; i++)
        begin_tasks(price, &price->ranks.at[i], -1);
    while (!price->failed && !price->unlike && topo_price_links_next(price->links, &ended))
        arrive(price, &ended);
    price->failed |= topo_price_links_failed(price->links);
    price->busiest = topo_later(topo_price_links_busy(price->links), price->memory.copies * bytes);
    for (int i = 0; i < price->ranks.count; i++)
        price->busiest = topo_later(price->busiest, price->ranks.at[i].worked);
    for (int i = 0; i < price->ranks.count; i++) {
        const struct topo_price_rank *its = &price->ranks.at[i];
        price->unlike |= its->run.open > 0;
        for (int task = 0; task < its->plan->tasks && !price->unlike; task++)
            seconds = topo_later(seconds, end_of_task(price, its, task));
    }
    return price->failed || price->unlike
               ? -1
               : price->memory.start + topo_later(seconds, end_of_sums(price)) + price->memory.end;
}

/* Of ranks that were made, or not, by `status`; frees them. */
static double price_of(struct price *price, const struct topo_tree *tree, const struct topo_params *params,
                       const struct topo_plan_input *call, enum topo_status status)
{
    double seconds = -1;
    if (status == TOPO_OK &&
        topo_price_links_new(tree, params, call->stripes, price->ranks.alike, &price->links) == TOPO_OK &&
        topo_price_memory_of(tree, params, price->ranks.levels, call, &price->memory) == TOPO_OK)
        seconds = run(price);
    topo_price_links_free(price->links);
    topo_price_ranks_free(&price->ranks);
    return seconds;
}

double topo_price(const struct topo_tree *tree, const struct topo_params *params, topo_plan_function *form,
                  const struct topo_plan_input *call)
{
    double seconds = -1;
    for (bool alike = true, again = true; again; alike = false) {
        struct price price = {.watch = NULL};
        const enum topo_status status = topo_price_ranks_make(tree, form, call, alike, &price.ranks);
        again = price.ranks.alike;
        seconds = price_of(&price, tree, params, call, status);
        again = again && price.unlike && !price.failed;
    }
    return seconds;
}

double topo_price_watched(const struct topo_tree *tree, const struct topo_params *params, const struct topo_plan *plan,
                          const struct topo_plan_input *call, const struct topo_price_watch *watch)
{
    struct price price = {.watch = watch};
    enum topo_status status = topo_price_ranks_take(tree, plan, call, &price.ranks);
    return price_of(&price, tree, params, call, status);
}
