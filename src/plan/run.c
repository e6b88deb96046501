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

int topo_plan_positions(const struct topo_plan *plan, const struct topo_task *task)
{
    return task->round ? plan->round.levels->nodes * places_of(&plan->round) : task->turns;
}

/* Positions in which the blocks of a turn go. */
static int64_t messages_of(const struct topo_plan_run *run, const struct topo_task *task)
{
    return task->each > 0 ? (run->plan->turn[task->turn].blocks - 1) / task->each + 1 : 1;
}

static int64_t end_of(const struct topo_plan_run *run, const struct topo_task *task)
{
    if (task->round)
        return topo_plan_positions(run->plan, task);
    if (task->circulant)
        return missing(run, task) + run->blocks - 1 + task->turns;
    if (task->stride == 0 || task->periods > 0)
        return (int64_t)task->turns * (task->periods > 1 ? task->periods : 1) * messages_of(run, task);
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
    return (size_t)plan->tasks * sizeof(struct topo_task_run) + 2 * (size_t)topo_plan_blocks(plan) * sizeof(uint32_t);
}

void topo_plan_run_begin(struct topo_plan_run *run, const struct topo_plan *plan, void *memory)
{
    *run = (struct topo_plan_run){.plan = plan, .blocks = topo_plan_blocks(plan), .task = memory};
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
        const int64_t messages = messages_of(run, task);
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

bool topo_plan_may_begin(const struct topo_plan_run *run, int index)
{
    const struct topo_task *task = &run->plan->task[index];
    const struct topo_task_run *at = &run->task[index];
    if (at->begun == at->end || at->begun - at->over >= task->window)
        return false;
    if (run->plan->windows > 0 && (task->kind == TOPO_TASK_RECEIVE || task->kind == TOPO_TASK_GIVE) &&
        topo_plan_step(run, index, at->begun).first >= run->room)
        return false;
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

/* The round of what a task sends next; where rounds do not matter all are one. */
static int64_t round_of(const struct topo_plan_run *run, int task)
{
    return run->plan->ahead > 0 ? run->task[task].begun / run->plan->task[task].turns : 0;
}

/* The first round of which something has not begun to be sent. */
static int64_t first_round(const struct topo_plan_run *run)
{
    int64_t first = INT64_MAX;
    for (int i = 0; i < run->plan->tasks && run->plan->ahead > 0; i++)
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
        if (plan->task[i].kind != TOPO_TASK_SEND || (plan->ahead > 0 && round_of(run, i) - first >= plan->ahead))
            continue;
        const int64_t later = next < 0 ? -1 : round_of(run, i) - round_of(run, next);
        if ((later < 0 || (later == 0 && run->task[i].begun < run->task[next].begun)) && topo_plan_may_begin(run, i))
            next = i;
    }
    return next;
}

void topo_plan_here(struct topo_plan_run *run, int64_t block)
{
    run->lacks[block] = 0;
}

int topo_plan_finished(const struct topo_plan_run *run)
{
    const struct topo_plan *plan = run->plan;
    int64_t finished = plan->rounds;
    for (int i = 0; i < plan->tasks; i++) {
        const struct topo_task *task = &plan->task[i];
        const int64_t rounds = run->task[i].over * task->stride / task->turns / plan->ranks;
        if (run->task[i].over < run->task[i].end && rounds < finished)
            finished = rounds;
    }
    return (int)finished;
}

void topo_plan_begun(struct topo_plan_run *run, int task)
{
    run->task[task].begun++;
    run->sending += run->plan->task[task].kind == TOPO_TASK_SEND;
}

void topo_plan_over(struct topo_plan_run *run, int index)
{
    struct topo_task_run *at = &run->task[index];
    enum topo_task_kind kind = run->plan->task[index].kind;
    const bool brings =
        kind == TOPO_TASK_RECEIVE || kind == TOPO_TASK_TAKE || (kind == TOPO_TASK_GIVE && run->plan->node_vector);
    if (brings || run->done) {
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
