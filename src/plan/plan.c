#include "plan/plan.h"

#include "base/memory.h"
#include "patterns/halving.h"

void topo_plan_clear(struct topo_plan *plan)
{
    *plan = (struct topo_plan){.task = plan->task,
                               .turn = plan->turn,
                               .order = plan->order,
                               .part = plan->part,
                               .operand = plan->operand,
                               .task_room = plan->task_room,
                               .turn_room = plan->turn_room,
                               .order_room = plan->order_room,
                               .part_room = plan->part_room,
                               .operand_room = plan->operand_room};
}

void topo_plan_free(struct topo_plan *plan)
{
    topo_free_all(plan->task, plan->turn, plan->order, plan->part, plan->operand);
    *plan = (struct topo_plan){0};
}

enum topo_status topo_plan_add(struct topo_plan *plan, struct topo_task task)
{
    if (!topo_grow_room(&plan->task, plan->tasks, &plan->task_room, sizeof *plan->task))
        return TOPO_NOMEM;
    task.turn = plan->turns;
    plan->task[plan->tasks++] = task;
    return TOPO_OK;
}

enum topo_status topo_plan_add_turn(struct topo_plan *plan, struct topo_turn turn)
{
    if (!topo_grow_room(&plan->turn, plan->turns, &plan->turn_room, sizeof *plan->turn))
        return TOPO_NOMEM;
    plan->turn[plan->turns++] = turn;
    plan->task[plan->tasks - 1].turns++;
    return TOPO_OK;
}

enum topo_status topo_plan_add_turns(struct topo_plan *plan, struct topo_task task, const struct topo_turn *turn,
                                     int turns)
{
    enum topo_status status = topo_plan_add(plan, task);
    for (int i = 0; i < turns && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, turn[i]);
    return status;
}

enum topo_status topo_plan_add_one(struct topo_plan *plan, struct topo_task task, struct topo_turn turn)
{
    return topo_plan_add_turns(plan, task, &turn, 1);
}

enum topo_status topo_plan_add_span(struct topo_plan *plan, struct topo_span span)
{
    if (!topo_grow_room(&plan->order, plan->orders, &plan->order_room, sizeof *plan->order))
        return TOPO_NOMEM;
    plan->order[plan->orders++] = span;
    return TOPO_OK;
}

int64_t topo_plan_number_in(const struct topo_plan *plan, int64_t place)
{
    const struct topo_span *span = plan->order, *end = plan->order + plan->orders;
    const int64_t before = plan->rounds > 0 ? place / plan->period * plan->period : 0;
    place -= before;
    while (span < end && place >= span->count)
        place -= span++->count;
    return before + (span < end ? span->first + place : place);
}

enum topo_status topo_plan_add_part(struct topo_plan *plan, struct topo_plan_part part)
{
    if (!topo_grow_room(&plan->part, plan->parts, &plan->part_room, sizeof *plan->part))
        return TOPO_NOMEM;
    part.before = (int64_t)plan->cut.bytes;
    plan->cut.bytes += (size_t)part.bytes;
    plan->part[plan->parts++] = part;
    return TOPO_OK;
}

enum topo_status topo_plan_add_operands(struct topo_plan *plan)
{
    for (int turn = 0; turn < plan->turns; turn++) {
        if (!topo_grow_room(&plan->operand, turn, &plan->operand_room, sizeof *plan->operand))
            return TOPO_NOMEM;
        plan->operand[turn] = (struct topo_operand){TOPO_PLAN_PARTIAL, TOPO_PLAN_NONE, TOPO_PLAN_NONE};
    }
    return TOPO_OK;
}

void topo_plan_bind_rounds(struct topo_plan *plan, int rounds, int windows)
{
    const size_t blocks = (size_t)rounds * (size_t)plan->period;
    plan->cut = (struct topo_pipeline){.bytes = blocks, .segment = 1, .segments = blocks, .unit = 1};
    plan->rounds = rounds;
    plan->windows = windows < rounds ? windows : rounds;
}

/* The parts that a block is in, from the longest one on. */
static size_t cut_offset(const struct topo_plan *plan, int64_t block)
{
    struct topo_block at = {0, plan->cut.bytes};
    int64_t blocks = (int64_t)plan->cut.segments;
    for (int i = 0; i < plan->cuts; i++) {
        blocks /= plan->into[i];
        at = topo_block_of(at, plan->into[i], (int)(block / blocks));
        block %= blocks;
    }
    return at.at;
}

int64_t topo_plan_blocks(const struct topo_plan *plan)
{
    if (plan->rounds > 0)
        return (int64_t)plan->period * plan->rounds;
    if (plan->ranks > 0)
        return plan->ranks + (int64_t)plan->parts;
    return plan->shares > 0 ? plan->shares : (int64_t)plan->cut.segments;
}

/* Bytes of the blocks with numbers below one, where each rank has a block. */
static size_t before_number(const struct topo_plan *plan, int64_t number)
{
    size_t ranks = (size_t)plan->ranks, at = (size_t)number, longer = plan->cut.bytes % ranks;
    return at * (plan->cut.bytes / ranks) + (at < longer ? at : longer);
}

/* The same of those in places before one. */
static size_t before_place(const struct topo_plan *plan, int64_t place)
{
    size_t bytes = 0;
    for (const struct topo_span *span = plan->order; place > 0; place -= span++->count) {
        const int64_t count = place < span->count ? place : span->count;
        bytes += before_number(plan, span->first + count) - before_number(plan, span->first);
    }
    return bytes;
}

size_t topo_plan_offset(const struct topo_plan *plan, int64_t block)
{
    size_t bytes = plan->cut.bytes, shares;
    if (block == 0)
        return 0;
    if (plan->rounds > 0 && plan->ranks > 0)
        return (size_t)(block / plan->ranks) * bytes + before_place(plan, block % plan->ranks);
    if (block == topo_plan_blocks(plan))
        return bytes;
    if (plan->parts > 0) /* they are all that has bytes */
        return block > plan->ranks ? (size_t)plan->part[block - plan->ranks].before : 0;
    if (plan->ranks > 0)
        return plan->orders > 0 ? before_place(plan, block) : before_number(plan, block);
    if (plan->cuts > 0)
        return cut_offset(plan, block);
    if (plan->shares == 0)
        return topo_pipeline_offset(&plan->cut, (size_t)block);
    shares = topo_halving_shares(bytes * (plan->element ? plan->element : 1), plan->shares);
    return bytes * topo_halving_shares_before(shares, (int)block, plan->shares) / shares;
}

size_t topo_plan_length(const struct topo_plan *plan, int64_t first, int count)
{
    int64_t blocks = topo_plan_blocks(plan), end = first + count;
    if (end <= blocks)
        return topo_plan_offset(plan, end) - topo_plan_offset(plan, first);
    return plan->cut.bytes - topo_plan_offset(plan, first) + topo_plan_offset(plan, end - blocks);
}
