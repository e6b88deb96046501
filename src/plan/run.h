/* A plan that runs: which positions of its tasks have begun, which are over, and what may begin now. Who moves the
 * bytes asks, does it, and says so: the engine by MPI, a test and a picture without. */
#ifndef TOPO_PLAN_RUN_H
#define TOPO_PLAN_RUN_H

#include "plan/plan.h"

/* Positions [over, begun) of a task are under way. */
struct topo_task_run {
    int64_t begun, over, end;
};

/* Positions of a round that are not over; those of them that bring operands. */
struct topo_round_run {
    int left, coming;
};

struct topo_plan_run {
    const struct topo_plan *plan;
    int64_t blocks;
    struct topo_task_run *task; /* [plan->tasks] */
    uint32_t *lacks;            /* [blocks] how often each comes until it is here */
    uint32_t *done;             /* [blocks] positions on each that are over; NULL: no task counts them */
    int open;                   /* tasks that are not over */
    int sending;                /* positions of SEND under way */
    /* In rounds: how many have windows; in how many all operands have come; how many all tasks are through with. */
    int64_t begun, arrived, finished;
    struct topo_round_run each, *at; /* [windows] */
    int *due; /* sums: [windows][turns] what is added next to an operand, or that it is not there, or may not be sent */
    /* Others: whether any rank of the node has a block of a round; for who runs it to set. */
    bool (*is_there)(const void *of, int64_t round, int block);
    const void *of;
};

/* Bytes of memory that a run takes, aligned as any; begins one in it. */
size_t topo_plan_run_bytes(const struct topo_plan *plan);
void topo_plan_run_begin(struct topo_plan_run *run, const struct topo_plan *plan, void *memory);

/* What a position handles: blocks first .. first + count - 1, round, `count` 0 where it is no message. */
struct topo_step {
    int peer;
    int64_t first;
    int count;
    bool awaited; /* the send is to begin when its receiver is ready */
};
struct topo_step topo_plan_step_of_round(const struct topo_plan *plan, const struct topo_task *task, int position);
struct topo_step topo_plan_step_in_period(const struct topo_plan_run *run, int task, int64_t position);

static inline struct topo_step topo_plan_step(const struct topo_plan_run *run, int index, int64_t position)
{
    const struct topo_task *task = &run->plan->task[index];
    if (task->round)
        return topo_plan_step_of_round(run->plan, task, (int)position);
    if (task->stride > 0 || task->each > 0 || task->backwards || task->awaited > 0)
        return topo_plan_step_in_period(run, index, position);
    const struct topo_turn *turn = &run->plan->turn[task->turn + position];
    return (struct topo_step){.peer = turn->peer, .first = turn->block, .count = turn->blocks};
}

/* Positions of a task that has no stride, or in each round. */
int topo_plan_positions(const struct topo_plan *plan, const struct topo_task *task);

/* Where a position is in rounds. */
struct topo_at {
    int64_t round;
    int turn, block; /* the turn in the plan's list, the block in the round */
};

static inline struct topo_at topo_plan_at(const struct topo_plan *plan, const struct topo_task *task, int64_t position)
{
    const struct topo_turn *turn = &plan->turn[task->turn];
    const int each = task->each > 0 ? turn->blocks : task->turns;
    const int64_t round = each > 1 ? position / each : position;
    const int rest = (int)(position - round * each);
    if (task->each > 0)
        return (struct topo_at){round, task->turn, turn->block + rest};
    return (struct topo_at){round, task->turn + rest, turn[rest].block};
}

/* The block of a number that may be one round further. */
static inline int64_t topo_plan_block(const struct topo_plan_run *run, int64_t number)
{
    return number < run->blocks ? number : number - run->blocks;
}

/* Whether the next position of a task may begin; whether what the oldest one under way has received may be added. */
bool topo_plan_may_begin(const struct topo_plan_run *run, int task);
bool topo_plan_may_add(const struct topo_plan_run *run, int task);

/* The SEND that may begin and has begun least, so that streams go on side by side; -1: none may. */
int topo_plan_next_send(const struct topo_plan_run *run);

/* In rounds: these have windows, of which those that had none begin. */
void topo_plan_begin_rounds(struct topo_plan_run *run, int64_t rounds);

/* What a turn of a sum in rounds brings is there: an operand is added to another one, and what it kept waiting, as far
 * as the order of additions allows, by add(), which gets turns. Returns the turn in whose place the sum is now, which
 * may be sent, or the total; TOPO_PLAN_NONE: it is not there yet. */
typedef void topo_plan_add_function(void *of, int64_t round, int operand, int into);
int topo_plan_operand_is_there(struct topo_plan_run *run, int64_t round, int turn, topo_plan_add_function *add,
                               void *of);

/* The next position of a task begins; the oldest one that is under way is over. */
void topo_plan_begun(struct topo_plan_run *run, int task);
void topo_plan_over(struct topo_plan_run *run, int task);

#endif
