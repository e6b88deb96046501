#include "plan/run.h"

#include <string.h>

/* The rounds that the first phase lacks, so that the last one is whole. */
static int64_t missing(const struct topo_plan_run *run, const struct topo_task *task)
{
    int64_t rounds = run->blocks - 1 + task->turns;
    return (task->turns - rounds % task->turns) % task->turns;
}

/* Places for ranks in each node of a round. */
static int places_of(const struct topo_round *round)
{
    return round->firsts ? 1 : round->levels->ranks_most;
}

/* Positions in which the blocks of a turn go. */
static int messages_of(const struct topo_plan *plan, const struct topo_task *task)
{
    return task->each > 0 ? (plan->turn[task->turn].blocks - 1) / task->each + 1 : 1;
}

int topo_plan_positions(const struct topo_plan *plan, const struct topo_task *task)
{
    return task->round ? plan->round.levels->nodes * places_of(&plan->round) : task->turns * messages_of(plan, task);
}

static int64_t end_of(const struct topo_plan_run *run, const struct topo_task *task)
{
    if (task->round)
        return topo_plan_positions(run->plan, task);
    if (task->circulant)
        return missing(run, task) + run->blocks - 1 + task->turns;
    if (task->stride == 0 || task->periods > 0)
        return (int64_t)topo_plan_positions(run->plan, task) * (task->periods > 1 ? task->periods : 1);
    int64_t first = run->plan->turn[task->turn].block;
    return run->blocks > first ? ((run->blocks - 1 - first) / task->stride + 1) * task->turns : 0;
}

static bool counts(const struct topo_plan *plan)
{
    bool counts = false;
    for (int i = 0; i < plan->tasks; i++)
        counts |= plan->task[i].needs > 0;
    return counts;
}

/* Of all positions of a task. */
static void count_additions(struct topo_plan_run *run, int task)
{
    for (int64_t position = run->task[task].begun; position < run->task[task].end; position++) {
        const struct topo_step step = topo_plan_step(run, task, position);
        for (int64_t block = step.first; block < step.first + step.count; block++)
            run->lacks[block]++;
    }
}

size_t topo_plan_run_bytes(const struct topo_plan *plan)
{
    if (plan->rounds > 0)
        return (size_t)plan->tasks * sizeof(struct topo_task_run) +
               (size_t)plan->windows *
                   (sizeof(struct topo_round_run) + (plan->sums ? (size_t)plan->turns : 0) * sizeof(int));
    return (size_t)plan->tasks * sizeof(struct topo_task_run) + 2 * (size_t)topo_plan_blocks(plan) * sizeof(uint32_t);
}

/* What tasks have to do in each round. */
static void count_positions(struct topo_plan_run *run)
{
    const struct topo_plan *plan = run->plan;
    run->at = (struct topo_round_run *)(run->task + plan->tasks);
    run->due = (int *)(run->at + plan->windows);
    for (int i = 0; i < plan->tasks; i++) {
        const int positions = topo_plan_positions(plan, &plan->task[i]);
        run->task[i] = (struct topo_task_run){.end = (int64_t)positions * plan->rounds};
        run->each.left += positions;
        run->each.coming += topo_plan_adds(plan, &plan->task[i]) ? positions : 0;
    }
    run->open = plan->tasks;
}

void topo_plan_run_begin(struct topo_plan_run *run, const struct topo_plan *plan, void *memory)
{
    *run = (struct topo_plan_run){.plan = plan, .blocks = topo_plan_blocks(plan), .task = memory};
    if (plan->rounds > 0) {
        count_positions(run);
        return;
    }
    run->lacks = (uint32_t *)(run->task + plan->tasks);
    for (int64_t i = 0; i < run->blocks; i++)
        run->lacks[i] = !plan->has_all && !plan->sums;
    for (int i = 0; i < plan->owns && !plan->again; i++)
        run->lacks[topo_plan_block(run, plan->own + i)] = 0;
    if (counts(plan))
        run->done = memset(run->lacks + run->blocks, 0, (size_t)run->blocks * sizeof *run->done);
    for (int i = 0; i < plan->tasks; i++) {
        const struct topo_task *task = &plan->task[i];
        int64_t first = task->circulant ? missing(run, task) : 0;
        run->task[i] = (struct topo_task_run){first, first, end_of(run, task)};
        run->open += first < run->task[i].end;
        if (plan->sums && task->kind == TOPO_TASK_RECEIVE)
            count_additions(run, i);
    }
}

struct topo_step topo_plan_step_of_round(const struct topo_plan *plan, const struct topo_task *task, int position)
{
    const struct topo_round *round = &plan->round;
    const int nodes = round->levels->nodes, further = (position + round->local) % nodes;
    const int node = (round->node + (task->kind == TOPO_TASK_SEND ? further : nodes - further)) % nodes;
    const int place = (position / nodes + round->local) % places_of(round);
    struct topo_step step = {.count = 0};
    if (place >= topo_node_ranks(round->levels, node))
        return step;
    step.peer = topo_tree_rank(round->tree, round->levels->start[node] + place);
    const int number = round->firsts ? node : step.peer;
    step.first = plan->turn[task->turn].block + number;
    step.count = number != plan->self;
    return step;
}

struct topo_step topo_plan_step_in_period(const struct topo_plan_run *run, int index, int64_t position)
{
    const struct topo_task *task = &run->plan->task[index];
    int64_t late = run->task[index].end - 1; /* positions from one end are rounds from the other */
    int64_t at = task->backwards ? late - position + (task->circulant ? missing(run, task) : 0) : position, message = 0;
    if (task->each > 0) {
        const int64_t messages = messages_of(run->plan, task);
        message = at % messages;
        at /= messages;
    }
    int64_t period = task->turns > 1 ? at / task->turns : at;
    const struct topo_turn *turn = &run->plan->turn[task->turn + (task->turns > 1 ? at % task->turns : 0)];
    struct topo_step step = {.peer = turn->peer,
                             .first = turn->block + period * task->stride,
                             .count = turn->blocks,
                             .awaited =
                                 task->awaited > 0 && position / task->turns % task->awaited == task->awaited - 1};
    if (task->xors)
        step.first = turn->block ^ period;
    else if (task->among > 0)
        step.first = turn->block - turn->block % task->among + step.first % task->among;
    else if (task->periods > 0)
        step.first %= run->blocks;
    if (task->each > 0) {
        const int64_t left = step.count - message * task->each;
        step.first += message * task->each;
        step.count = (int)(left < task->each ? left : task->each);
    }
    if (task->circulant) {
        step.first -= missing(run, task);
        if (step.first < 0)
            step.count = 0;
        else if (step.first >= run->blocks)
            step.first = run->blocks - 1;
    }
    return step;
}

/* Whether a position has what it needs. */
static bool is_ready(const struct topo_plan_run *run, int task, int64_t position)
{
    const int needs = run->plan->task[task].needs;
    if (needs == 0)
        return true;
    struct topo_step step = topo_plan_step(run, task, position);
    for (int i = 0; i < step.count; i++) {
        const int64_t block = topo_plan_block(run, step.first + i);
        if (needs > 0 ? run->done[block] < (uint32_t)needs : run->lacks[block] > 0)
            return false;
    }
    return true;
}

/* Whether the first `tasks` tasks are over. */
static bool are_over(const struct topo_plan_run *run, int tasks)
{
    while (tasks > 0 && run->task[tasks - 1].over == run->task[tasks - 1].end)
        tasks--;
    return tasks == 0;
}

enum { ALL_ADDED = TOPO_PLAN_NONE, NOT_THERE = -2 }; /* of what is due */

static int *due_of(const struct topo_plan_run *run, int64_t round)
{
    return run->due + round % run->plan->windows * run->plan->turns;
}

/* topo_plan_may_begin() in rounds, of a position that there is, in the task's window. */
static bool may_begin_in_round(const struct topo_plan_run *run, const struct topo_task *task, int64_t position)
{
    const struct topo_plan *plan = run->plan;
    const struct topo_at at = topo_plan_at(plan, task, position);
    if (at.round >= run->begun)
        return false;
    if (task->kind == TOPO_TASK_SEND)
        return plan->sums ? due_of(run, at.round)[at.turn] != NOT_THERE : run->is_there(run->of, at.round, at.block);
    return plan->ahead == 0 || !topo_plan_adds(plan, task) || at.round < run->arrived + plan->ahead;
}

bool topo_plan_may_begin(const struct topo_plan_run *run, int index)
{
    const struct topo_task *task = &run->plan->task[index];
    const struct topo_task_run *at = &run->task[index];
    if (at->begun == at->end || at->begun - at->over >= topo_plan_window(run->plan, task))
        return false;
    if (run->plan->rounds > 0)
        return may_begin_in_round(run, task, at->begun);
    if (run->plan->in_order)
        return topo_plan_adds(run->plan, task) || are_over(run, task->after + 1);
    if (task->after >= 0) {
        const struct topo_task_run *other = &run->task[task->after];
        if (other->over < at->begun - task->lag && other->over < other->end)
            return false;
    }
    return topo_plan_adds(run->plan, task) || is_ready(run, index, at->begun);
}

bool topo_plan_may_add(const struct topo_plan_run *run, int task)
{
    return run->plan->in_order ? are_over(run, task) : is_ready(run, task, run->task[task].over);
}

/* So many rounds are sent from at a time; 0: from all. */
static int ahead_of(const struct topo_plan *plan)
{
    return plan->sums ? 0 : plan->ahead;
}

/* The round of what a task sends next; where rounds do not matter all are one. */
static int64_t round_of(const struct topo_plan_run *run, int task)
{
    return ahead_of(run->plan) > 0 ? run->task[task].begun / run->plan->task[task].turns : 0;
}

/* The first round of which something has not begun to be sent. */
static int64_t first_round(const struct topo_plan_run *run)
{
    int64_t first = INT64_MAX;
    for (int i = 0; i < run->plan->tasks && ahead_of(run->plan) > 0; i++)
        if (run->plan->task[i].kind == TOPO_TASK_SEND && run->task[i].begun < run->task[i].end &&
            round_of(run, i) < first)
            first = round_of(run, i);
    return first;
}

int topo_plan_next_send(const struct topo_plan_run *run)
{
    const struct topo_plan *plan = run->plan;
    int next = -1;
    if (plan->at_once > 0 && run->sending >= plan->at_once)
        return next;
    const int64_t first = first_round(run);
    for (int i = 0; i < plan->tasks; i++) {
        if (plan->task[i].kind != TOPO_TASK_SEND || (ahead_of(plan) > 0 && round_of(run, i) - first >= plan->ahead))
            continue;
        const int64_t later = next < 0 ? -1 : round_of(run, i) - round_of(run, next);
        if ((later < 0 || (later == 0 && run->task[i].begun < run->task[next].begun)) && topo_plan_may_begin(run, i))
            next = i;
    }
    return next;
}

void topo_plan_begin_rounds(struct topo_plan_run *run, int64_t rounds)
{
    const struct topo_plan *plan = run->plan;
    for (; run->begun < rounds && run->begun < plan->rounds; run->begun++) {
        run->at[run->begun % plan->windows] = run->each;
        for (int turn = 0; turn < plan->turns && plan->sums; turn++)
            due_of(run, run->begun)[turn] = NOT_THERE;
    }
}

int topo_plan_operand_is_there(struct topo_plan_run *run, int64_t round, int turn, topo_plan_add_function *add,
                               void *of)
{
    const struct topo_operand *all = run->plan->operand;
    int *due = due_of(run, round), sum = turn;
    due[turn] = all[turn].first;
    for (int i = turn; i >= 0; i = all[i].into) {
        for (; due[i] >= 0 && due[due[i]] == ALL_ADDED; due[i] = all[due[i]].next)
            add(of, round, due[i], i);
        if (due[i] >= 0 || (all[i].into >= 0 && due[all[i].into] != i))
            return TOPO_PLAN_NONE;
        sum = i;
    }
    for (int send = all[sum].next; send >= 0; send = all[send].next)
        due[send] = ALL_ADDED;
    return sum;
}

void topo_plan_begun(struct topo_plan_run *run, int task)
{
    run->task[task].begun++;
    run->sending += run->plan->task[task].kind == TOPO_TASK_SEND;
}

/* Rounds end, and operands of rounds have come, in their order. */
static void over_in_round(struct topo_plan_run *run, const struct topo_task *task, int64_t position)
{
    struct topo_round_run *at = &run->at[topo_plan_at(run->plan, task, position).round % run->plan->windows];
    at->left--;
    at->coming -= topo_plan_adds(run->plan, task);
    while (run->arrived < run->begun && run->at[run->arrived % run->plan->windows].coming == 0)
        run->arrived++;
    while (run->finished < run->begun && run->at[run->finished % run->plan->windows].left == 0)
        run->finished++;
}

void topo_plan_over(struct topo_plan_run *run, int index)
{
    struct topo_task_run *at = &run->task[index];
    enum topo_task_kind kind = run->plan->task[index].kind;
    const bool brings =
        kind == TOPO_TASK_RECEIVE || kind == TOPO_TASK_TAKE || (kind == TOPO_TASK_GIVE && run->plan->node_vector);
    if (run->plan->rounds > 0)
        over_in_round(run, &run->plan->task[index], at->over);
    else if (brings || run->done) {
        struct topo_step step = topo_plan_step(run, index, at->over);
        for (int i = 0; i < step.count; i++) {
            const int64_t block = topo_plan_block(run, step.first + i);
            run->lacks[block] -= brings && run->lacks[block] > 0; /* what the node has, this rank may have put there */
            if (run->done)
                run->done[block]++;
        }
    }
    run->sending -= kind == TOPO_TASK_SEND;
    run->open -= ++at->over == at->end;
}
