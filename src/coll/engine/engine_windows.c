/* Plans in rounds (plan/plan.h), through windows of the node's memory: a rank waits for others of its node and for
 * messages at the same time, so it looks for what it can do next, and gives its processor away where there is nothing.
 *
 * What is received of a sum is added as it comes: an operand that is there waits for those that are added to it, then
 * it is added to another one, unless others come before it there. */
#include <string.h>

#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "plan/run.h"

/* One call. Position p of a task has the request p % window of its own, which begin at `first`. */
struct engine {
    const struct topo_comm *comm;
    const struct topo_plan *plan;
    const struct topo_engine_windows *windows;
    struct topo_shm_windows *shm;
    struct topo_plan_run run;
    int give, add, take; /* the tasks of these kinds; TOPO_PLAN_NO_TASK: there is none */
    int landing;         /* sums: turns before it bring operands from other ranks */
    int *first;          /* [tasks + 1] */
    MPI_Request *request;
    int *indices;  /* [requests] */
    int *task;     /* [requests] the task of each, ... */
    int *by_turn;  /* ... and, of sums, of each turn */
    char *places;  /* [windows][landing] where operands land */
    bool *taken;   /* by position of TAKE modulo its window */
    int active;    /* messages under way */
    bool receives; /* some may begin to be received: a round has begun, or something has come */
    int64_t over;  /* rounds that the node knows this rank to be through with */
    int code;      /* the first error */
};

static void failed(struct engine *engine, int code)
{
    engine->code = topo_first_error(engine->code, code);
}

/* Requests of a task: of as many positions as may be under way. */
static int requests_of(const struct topo_plan *plan, const struct topo_task *task)
{
    const bool travels = task->kind == TOPO_TASK_RECEIVE || task->kind == TOPO_TASK_SEND;
    return travels ? topo_plan_window(plan, task) : 0;
}

static MPI_Request *request_of(const struct engine *engine, int task, int64_t position)
{
    const int requests = engine->first[task + 1] - engine->first[task];
    return &engine->request[engine->first[task] + (position < requests ? position : position % requests)];
}

/* Where an operand of a sum is. */
static char *operand_at(const struct engine *engine, struct topo_at at)
{
    const struct topo_engine_windows *windows = engine->windows;
    if (engine->plan->operand[at.turn].into == TOPO_PLAN_TOTAL)
        return windows->place(windows->of, at.round, at.block).at;
    if (at.turn >= engine->landing)
        return windows->own(windows->of, at.round, at.block);
    const size_t place = (size_t)(at.round % engine->plan->windows) * (size_t)engine->landing + (size_t)at.turn;
    return engine->places + place * windows->longest;
}

/* What a message of a sum carries: an operand, a partial sum or the total. */
static char *summand_at(const struct engine *engine, const struct topo_task *task, struct topo_at at, char *total)
{
    const int into = engine->plan->operand[at.turn].into;
    if (into == TOPO_PLAN_TOTAL)
        return total;
    if (task->kind == TOPO_TASK_SEND)
        at.turn = into;
    return operand_at(engine, at);
}

/* The next message of a task. False: it has no bytes, so it is over. */
static bool begin(struct engine *engine, int task)
{
    const struct topo_task *here = &engine->plan->task[task];
    const struct topo_channel *channel = &engine->comm->channel;
    const int64_t position = engine->run.task[task].begun;
    const struct topo_at at = topo_plan_at(engine->plan, here, position);
    struct topo_elements what = engine->windows->place(engine->windows->of, at.round, at.block);
    const int peer = engine->plan->turn[at.turn].peer, tag = TOPO_TAG_TREE + here->tag;
    topo_plan_begun(&engine->run, task);
    if (what.count == 0)
        return false;
    if (engine->plan->sums)
        what.at = summand_at(engine, here, at, what.at);
    const bool awaited =
        engine->plan->synchronous ||
        (here->awaited > 0 &&
         (engine->shm->all->before + (uint64_t)at.round) % (uint64_t)here->awaited == (uint64_t)here->awaited - 1);
    MPI_Request *request = request_of(engine, task, position);
    const int code = here->kind == TOPO_TASK_RECEIVE
                         ? topo_irecv_typed(what.at, what.count, what.type, peer, tag, channel, request)
                         : (awaited ? topo_issend_typed : topo_isend_typed)(what.at, what.count, what.type, peer, tag,
                                                                            channel, request);
    failed(engine, code);
    engine->active += code == MPI_SUCCESS;
    return code == MPI_SUCCESS;
}

static void finish(struct engine *engine, int task);

/* All messages of a task that may begin. */
static bool begin_all(struct engine *engine, int task)
{
    bool begun = false, over = false;
    for (; topo_plan_may_begin(&engine->run, task); begun = true)
        over |= !begin(engine, task);
    if (over)
        finish(engine, task);
    return begun;
}

/* Adds an operand to another one. */
static void add(void *of, int64_t round, int operand, int into)
{
    struct engine *engine = of;
    const struct topo_at from = {round, operand, engine->plan->turn[operand].block}, to = {round, into, from.block};
    if (engine->code == MPI_SUCCESS)
        engine->code = engine->windows->add(engine->windows->of, round, from.block, operand_at(engine, from),
                                            operand_at(engine, to));
}

/* What a turn brings is there: a sum goes on, the node may have a total. */
static void operand_is_there(struct engine *engine, struct topo_at at)
{
    const struct topo_operand *all = engine->plan->operand;
    const int sum = topo_plan_operand_is_there(&engine->run, at.round, at.turn, add, engine);
    if (sum < 0)
        return;
    if (all[sum].into == TOPO_PLAN_TOTAL)
        topo_shm_windows_fill(engine->shm, at.round, at.block);
    for (int send = all[sum].next; send >= 0; send = all[send].next)
        begin_all(engine, engine->by_turn[send]);
}

/* What has come, or gone, in a task, in its order. */
static void finish(struct engine *engine, int task)
{
    const struct topo_task *here = &engine->plan->task[task];
    const struct topo_task_run *run = &engine->run.task[task];
    while (run->over < run->begun && *request_of(engine, task, run->over) == MPI_REQUEST_NULL) {
        const struct topo_at at = topo_plan_at(engine->plan, here, run->over);
        if (here->kind == TOPO_TASK_RECEIVE && engine->plan->sums)
            operand_is_there(engine, at);
        else if (here->kind == TOPO_TASK_RECEIVE)
            topo_shm_windows_fill(engine->shm, at.round, at.block);
        topo_plan_over(&engine->run, task);
        engine->receives |= here->kind == TOPO_TASK_RECEIVE;
    }
}

/* Takes in what has come and drops what has gone. False: nothing has. */
static bool take_messages(struct engine *engine)
{
    int through = 0;
    if (engine->active == 0)
        return false;
    const int code = topo_testsome(engine->first[engine->plan->tasks], engine->request, &through, engine->indices);
    failed(engine, code);
    if (code != MPI_SUCCESS || through == MPI_UNDEFINED) { /* how many are under way is not known */
        for (int task = 0; task < engine->plan->tasks && !engine->plan->sums; task++)
            if (requests_of(engine->plan, &engine->plan->task[task]) > 0)
                finish(engine, task);
        engine->active -= through == MPI_UNDEFINED ? engine->active : 0;
        return false;
    }
    engine->active -= through;
    for (int i = 0; i < through; i++)
        finish(engine, engine->task[engine->indices[i]]);
    return through > 0;
}

static bool receive(struct engine *engine)
{
    bool moved = false;
    while (engine->receives) {
        engine->receives = false;
        for (int task = 0; task < engine->plan->tasks; task++)
            if (engine->plan->task[task].kind == TOPO_TASK_RECEIVE)
                moved |= begin_all(engine, task);
    }
    return moved;
}

/* Whether a block is there, for all of the node; one without bytes always is where others are no sums. */
static bool is_there(const void *of, int64_t round, int block)
{
    const struct engine *engine = of;
    const struct topo_engine_windows *windows = engine->windows;
    return topo_shm_windows_has(engine->shm, round, block) ||
           (!engine->plan->sums && windows->place(windows->of, round, block).count == 0);
}

/* Begins what any rank of the node has put there; of sends that wait for their receivers one, so that few are under way
 * and a block is taken after each. */
static bool send(struct engine *engine)
{
    bool sent = false, more = !engine->plan->sums; /* these begin as sums are there */
    while (more) {
        const int next = topo_plan_next_send(&engine->run);
        more = next >= 0 && !engine->plan->synchronous;
        sent |= next >= 0;
        if (next >= 0 && !begin(engine, next))
            finish(engine, next);
    }
    return sent;
}

static void go_on(struct engine *engine, int task)
{
    topo_plan_begun(&engine->run, task);
    topo_plan_over(&engine->run, task);
}

static bool is_done(const struct engine *engine, int task)
{
    return engine->run.task[task].begun == engine->run.task[task].end;
}

/* The next bit of what this rank gives. False: there is none, or no room for it. */
static bool give(struct engine *engine)
{
    const int task = engine->give;
    if (is_done(engine, task) || !topo_plan_may_begin(&engine->run, task))
        return false;
    const struct topo_task *here = &engine->plan->task[task];
    const struct topo_at at = topo_plan_at(engine->plan, here, engine->run.task[task].begun);
    const enum topo_engine_work done = engine->windows->give(engine->windows->of, at.round, at.block, &engine->code);
    for (int turn = 0; turn < here->turns && done == TOPO_ENGINE_ALL; turn++)
        go_on(engine, task);
    return done != TOPO_ENGINE_NOTHING;
}

/* Adds up the node's operands of the next block. */
static bool add_own(struct engine *engine)
{
    const struct topo_engine_windows *windows = engine->windows;
    if (engine->add < 0 || is_done(engine, engine->add) || !topo_plan_may_begin(&engine->run, engine->add))
        return false;
    const struct topo_at at =
        topo_plan_at(engine->plan, &engine->plan->task[engine->add], engine->run.task[engine->add].begun);
    if (!windows->are_given(windows->of, at.round, at.block))
        return false;
    if (engine->code == MPI_SUCCESS)
        engine->code = windows->add_own(windows->of, at.round, at.block);
    operand_is_there(engine, at);
    go_on(engine, engine->add);
    return true;
}

/* The next block that is there is copied out. False: none of those in the window is. */
static bool take(struct engine *engine)
{
    const struct topo_engine_windows *windows = engine->windows;
    if (engine->take < 0 || is_done(engine, engine->take))
        return false;
    const struct topo_task *here = &engine->plan->task[engine->take];
    const struct topo_turn *turn = &engine->plan->turn[here->turn];
    const struct topo_task_run *run = &engine->run.task[engine->take];
    const int64_t end = run->end - run->over < here->window ? run->end : run->over + here->window;
    int64_t next = run->over;
    struct topo_at at = topo_plan_at(engine->plan, here, next);
    for (size_t slot = (size_t)next % (size_t)here->window; next < end; next++) {
        if (at.round >= engine->run.begun)
            return false;
        if (!engine->taken[slot] && ((windows->wants && !windows->wants(windows->of, at.round, at.block)) ||
                                     is_there(engine, at.round, at.block)))
            break;
        slot = slot + 1 == (size_t)here->window ? 0 : slot + 1;
        if (++at.block == turn->block + turn->blocks) {
            at.block = turn->block;
            at.round++;
        }
    }
    if (next == end)
        return false;
    failed(engine, windows->take(windows->of, at.round, at.block));
    engine->taken[next % here->window] = true;
    for (bool *taken; run->over < run->end && *(taken = &engine->taken[run->over % here->window]);) {
        *taken = false;
        go_on(engine, engine->take);
    }
    return true;
}

/* Rounds whose windows are free begin; others of the node may have those that this rank is through with. */
static void find_rounds(struct engine *engine)
{
    const int64_t begun = engine->run.begun;
    topo_plan_begin_rounds(&engine->run, topo_shm_windows_room(engine->shm));
    engine->receives |= engine->run.begun > begun;
    if (engine->run.finished > engine->over)
        topo_shm_windows_finish(engine->shm, (int)(engine->over = engine->run.finished));
}

/* An error ends sums, of which nobody knows how far they are then. Others go on, as others wait for what they send. */
static void run(struct engine *engine)
{
    int idle = 0;
    while (engine->run.open > 0 && (engine->code == MPI_SUCCESS || !engine->plan->sums)) {
        bool moved = take_messages(engine);
        find_rounds(engine);
        moved |= give(engine);
        moved |= receive(engine);
        moved |= add_own(engine);
        moved |= send(engine);
        moved |= take(engine);
        if (moved)
            idle = 0;
        else
            topo_idle(&idle, engine->active == 0, &engine->comm->node->wait_policy);
    }
    find_rounds(engine);
    topo_shm_windows_close(engine->shm);
}

static void *part_of(char *block, size_t *used, size_t bytes)
{
    char *part = block ? block + *used : NULL;
    *used += topo_align(bytes, TOPO_CACHE_LINE);
    return part;
}

/* Cuts the block; returns the bytes that it needs, of none as well. */
static size_t use_block(struct engine *engine, char *block, void **run)
{
    const struct topo_plan *plan = engine->plan;
    size_t used = 0, requests = 0;
    for (int task = 0; task < plan->tasks; task++)
        requests += (size_t)requests_of(plan, &plan->task[task]);
    *run = part_of(block, &used, topo_plan_run_bytes(plan));
    engine->request = part_of(block, &used, requests * sizeof *engine->request);
    engine->indices = part_of(block, &used, requests * sizeof *engine->indices);
    engine->task = part_of(block, &used, requests * sizeof *engine->task);
    engine->by_turn = part_of(block, &used, (plan->sums ? (size_t)plan->turns : 0) * sizeof *engine->by_turn);
    engine->first = part_of(block, &used, ((size_t)plan->tasks + 1) * sizeof *engine->first);
    engine->taken = part_of(block, &used, engine->take < 0 ? 0 : (size_t)plan->task[engine->take].window);
    engine->places = part_of(block, &used, (size_t)plan->windows * (size_t)engine->landing * engine->windows->longest);
    return used;
}

static void find_tasks(struct engine *engine)
{
    const struct topo_plan *plan = engine->plan;
    for (int task = 0; task < plan->tasks; task++) {
        const struct topo_task *here = &plan->task[task];
        if (topo_plan_adds(plan, here))
            engine->landing = here->turn + here->turns;
        else if (here->kind == TOPO_TASK_GIVE)
            engine->give = task;
        else if (here->kind == TOPO_TASK_ADD)
            engine->add = task;
        else if (here->kind == TOPO_TASK_TAKE)
            engine->take = task;
    }
}

static void begin_requests(struct engine *engine)
{
    const struct topo_plan *plan = engine->plan;
    engine->first[0] = 0;
    for (int task = 0; task < plan->tasks; task++) {
        const struct topo_task *here = &plan->task[task];
        const int first = engine->first[task], end = engine->first[task + 1] = first + requests_of(plan, here);
        for (int i = first; i < end; i++) {
            engine->request[i] = MPI_REQUEST_NULL;
            engine->task[i] = task;
        }
        for (int turn = here->turn; turn < here->turn + here->turns && plan->sums; turn++)
            engine->by_turn[turn] = task;
    }
}

int topo_engine_run_windows(const struct topo_comm *comm, const struct topo_plan *plan,
                            const struct topo_engine_windows *windows)
{
    struct engine engine = {.comm = comm,
                            .plan = plan,
                            .windows = windows,
                            .shm = windows->shm,
                            .give = TOPO_PLAN_NO_TASK,
                            .add = TOPO_PLAN_NO_TASK,
                            .take = TOPO_PLAN_NO_TASK,
                            .code = MPI_SUCCESS};
    void *memory;
    find_tasks(&engine);
    char *block = topo_scratch_take(use_block(&engine, NULL, &memory));
    if (!block)
        return MPI_ERR_NO_MEM;
    use_block(&engine, block, &memory);
    begin_requests(&engine);
    if (engine.take >= 0)
        memset(engine.taken, 0, (size_t)plan->task[engine.take].window);
    topo_plan_run_begin(&engine.run, plan, memory);
    engine.run.is_there = is_there;
    engine.run.of = &engine;
    run(&engine);
    /* After a failure messages may still be on their way into partial sums: the block is left to them. */
    if (engine.code == MPI_SUCCESS || !plan->sums)
        topo_scratch_give(block);
    return engine.code;
}
