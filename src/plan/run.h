/* A plan that runs: which positions of its tasks have begun, which are over, and what may begin now. Who moves the
 * bytes asks, does it, and says so: the engine by MPI, a test and a picture without. */
#ifndef TOPO_PLAN_RUN_H
#define TOPO_PLAN_RUN_H

#include "plan/plan.h"

/* Positions [over, begun) of a task are under way. */
struct topo_task_run {
    int64_t begun, over, end;
};

struct topo_plan_run {
    const struct topo_plan *plan;
    int64_t blocks;
    struct topo_task_run *task; /* [plan->tasks] */
    uint32_t *lacks;            /* [blocks] how often each comes until it is here */
    uint32_t *done;             /* [blocks] positions on each that are over; NULL: no task counts them */
    int open;                   /* tasks that are not over */
    int sending;                /* positions of SEND under way */
    int64_t room;               /* of a vector in windows: blocks from this one on have no room yet */
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

/* Positions of a task that has no stride. */
int topo_plan_positions(const struct topo_plan *plan, const struct topo_task *task);

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

/* A block is here, whoever brought it; so many rounds all tasks are through with. */
void topo_plan_here(struct topo_plan_run *run, int64_t block);
int topo_plan_finished(const struct topo_plan_run *run);

/* The next position of a task begins; the oldest one that is under way is over. */
void topo_plan_begun(struct topo_plan_run *run, int task);
void topo_plan_over(struct topo_plan_run *run, int task);

#endif
