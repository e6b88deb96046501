/* A rank begins all that may begin, then does one thing in node memory, after which MPI gets on with messages, or,
 * where there is none to do, waits for a message.
 *
 * Where blocks come in the order in which the node gets them (plan->lands), each is received into its slot of the FIFO
 * and sent on from there: the others have it one copy earlier. The slot is released when its sends are over.
 *
 * A plan in steps is run task by task, below; one in rounds: engine_windows.c. */
#include "coll/engine/engine.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "node/shm_fifo.h"
#include "plan/run.h"

enum { SHORT = 2048 /* bytes of memory for one run that need not be asked for */ };

/* One call. Position p of a task has the request p % window of its own, which begin at `first`. */
struct engine {
    const struct topo_comm *comm;
    const struct topo_plan *plan;
    const struct topo_engine_vector *vector;
    const struct topo_engine_sums *sums;
    struct topo_plan_run run;
    bool *added; /* sums: by block, the node's own operands are in it */
    int sends;   /* tasks that send */
    bool gives;  /* a task hands over */
    int *first;  /* [tasks + 1] */
    MPI_Request *request;
    int *indices;   /* [requests] */
    char **place;   /* [tasks] sums: where what a task receives lands, window times ... */
    size_t *stride; /* ... so many bytes */
    char **landed;  /* as many as are added in a pass */
    int code;       /* the first error */
    struct topo_shm_fifo_slot slot[TOPO_SHM_FIFO_SLOTS]; /* block b that lands is in b % SLOTS ... */
    int64_t released;                                    /* ... from this one on */
};

static struct topo_shm_fifo_slot *slot_of(struct engine *engine, int64_t block)
{
    return &engine->slot[block % TOPO_SHM_FIFO_SLOTS];
}

/* The slot of a block of so many elements. */
static void claim(struct engine *engine, int64_t block, size_t count)
{
    struct topo_shm_fifo_slot *slot = slot_of(engine, block);
    *slot = topo_shm_fifo_next(engine->comm->node, count * engine->vector->bytes);
    topo_shm_fifo_claim(slot);
}

/* Requests of a task: of as many positions as may be under way. */
static int requests_of(const struct topo_plan *plan, int task)
{
    enum topo_task_kind kind = plan->task[task].kind;
    return kind == TOPO_TASK_RECEIVE || kind == TOPO_TASK_SEND ? plan->task[task].window : 0;
}

static MPI_Request *request_of(const struct engine *engine, int task, int64_t position)
{
    return &engine->request[engine->first[task] + position % engine->plan->task[task].window];
}

/* Where the blocks of a step begin, and how many elements they have; 0: it is no message. */
static size_t offset_of(const struct engine *engine, const struct topo_step *step, size_t *count)
{
    *count = 0;
    if (step->count == 0)
        return 0;
    size_t offset = topo_plan_offset(engine->plan, step->first);
    *count = topo_plan_offset(engine->plan, step->first + step->count) - offset;
    return offset;
}

/* The same as they travel. */
static struct topo_elements elements_of(const struct engine *engine, const struct topo_step *step)
{
    const struct topo_engine_vector *vector = engine->vector;
    size_t count, at;
    if (vector->place && step->count > 0)
        return vector->place(vector->of, step->first, step->count);
    at = offset_of(engine, step, &count);
    return (struct topo_elements){vector->base + at * vector->bytes, (MPI_Count)(count * vector->units), vector->type};
}

/* Where a partial sum lands. */
static char *landed_at(const struct engine *engine, int task, int64_t position)
{
    return engine->place[task] + (size_t)(position % engine->plan->task[task].window) * engine->stride[task];
}

/* The node's own operands are added when blocks are first needed, those that lie one after the other at once. */
static void add_own(struct engine *engine, int64_t first, int64_t end)
{
    if (first + 1 == end && engine->added[first])
        return;
    for (int64_t block = first; block < end; block++) {
        const int64_t from = block;
        while (block < end && !engine->added[block])
            engine->added[block++] = true;
        const size_t at = topo_plan_offset(engine->plan, from), count = topo_plan_offset(engine->plan, block) - at;
        if (block > from && engine->sums->add_own)
            engine->code = topo_first_error(engine->code, engine->sums->add_own(engine->sums->of, at, count));
    }
}

/* Where the blocks of a step are, whose place in the vector is `at`: among the own operands until something is added to
 * them. */
static char *here_of(struct engine *engine, const struct topo_step *step, char *at)
{
    const struct topo_engine_vector *vector = engine->vector;
    if (vector->own && !memchr(engine->added + step->first, true, (size_t)step->count))
        return (char *)vector->own + (at - vector->base);
    add_own(engine, step->first, step->first + step->count);
    return at;
}

/* The own operands need not come to these blocks any more: they were added, or the total comes. */
static void mark_added(struct engine *engine, const struct topo_step *step)
{
    if (engine->vector->own)
        memset(engine->added + step->first, true, (size_t)step->count);
}

static int start_message(const struct engine *engine, const struct topo_task *task, const struct topo_step *step,
                         const struct topo_elements *what, MPI_Request *request)
{
    const struct topo_channel *channel = &engine->comm->channel;
    int tag = TOPO_TAG_TREE + task->tag;
    if (task->kind == TOPO_TASK_RECEIVE)
        return topo_irecv_typed(what->at, what->count, what->type, step->peer, tag, channel, request);
    return (step->awaited ? topo_issend_typed : topo_isend_typed)(what->at, what->count, what->type, step->peer, tag,
                                                                  channel, request);
}

/* From where, or to where, the next message of a task goes, which lies at what->at in the vector. */
static char *place_of(struct engine *engine, int task, const struct topo_step *step, const struct topo_elements *what)
{
    const bool receives = engine->plan->task[task].kind == TOPO_TASK_RECEIVE;
    if (topo_plan_adds(engine->plan, &engine->plan->task[task]))
        return landed_at(engine, task, engine->run.task[task].begun);
    if (engine->plan->sums && receives)
        mark_added(engine, step);
    else if (engine->plan->sums)
        return here_of(engine, step, what->at);
    if (!engine->plan->lands)
        return what->at;
    if (receives)
        claim(engine, step->first, (size_t)what->count); /* they are bytes */
    return slot_of(engine, step->first)->base;
}

/* The next message of a task. False: it has no bytes, so it is over. */
static bool begin(struct engine *engine, int task)
{
    int64_t position = engine->run.task[task].begun;
    const struct topo_step step = topo_plan_step(&engine->run, task, position);
    struct topo_elements what = elements_of(engine, &step);
    if (what.count > 0) {
        what.at = place_of(engine, task, &step, &what);
        engine->code = topo_first_error(engine->code, start_message(engine, &engine->plan->task[task], &step, &what,
                                                                    request_of(engine, task, position)));
    }
    topo_plan_begun(&engine->run, task);
    return what.count > 0;
}

/* Whether what is under way longest in a task has come or gone. */
static bool is_through(const struct engine *engine, int task)
{
    const struct topo_task_run *at = &engine->run.task[task];
    return at->over < at->begun && *request_of(engine, task, at->over) == MPI_REQUEST_NULL;
}

/* Whether all has come in the oldest turns of a task that bring the same blocks. */
static bool has_come(const struct engine *engine, int task)
{
    const struct topo_task_run *at = &engine->run.task[task];
    const int joined = engine->plan->task[task].joined;
    int come = 0;
    while (come < joined && at->over + come < at->begun &&
           *request_of(engine, task, at->over + come) == MPI_REQUEST_NULL)
        come++;
    return come == joined;
}

/* Adds what a task has received in turns from this position on, whose blocks are those of the step: `count` elements
 * from element `from` on. */
static void add(struct engine *engine, int task, int64_t position, const struct topo_step *step, size_t from,
                size_t count)
{
    const struct topo_task *adds = &engine->plan->task[task];
    const char *here = here_of(engine, step, engine->vector->base + from * engine->vector->bytes);
    for (int i = 0; i < adds->joined; i++)
        engine->landed[i] = landed_at(engine, task, position + i);
    int code = engine->sums->add(engine->sums->of, from, count, here, engine->landed, adds->joined, adds->own);
    engine->code = topo_first_error(engine->code, code);
    mark_added(engine, step);
}

/* Adds what has come in these turns, which are over then. */
static void add_next(struct engine *engine, int task)
{
    const int64_t over = engine->run.task[task].over;
    const struct topo_step step = topo_plan_step(&engine->run, task, over);
    size_t count, from = offset_of(engine, &step, &count);
    if (count > 0)
        add(engine, task, over, &step, from, count);
    for (int i = 0; i < engine->plan->task[task].joined; i++)
        topo_plan_over(&engine->run, task);
}

/* What a task has sent, or received and need not add, is over once it has gone or come, in its order. False: none. */
static bool finish_task(struct engine *engine, int task)
{
    const int64_t over = engine->run.task[task].over;
    while (!topo_plan_adds(engine->plan, &engine->plan->task[task]) && is_through(engine, task))
        topo_plan_over(&engine->run, task);
    return engine->run.task[task].over > over;
}

/* Messages that have come or gone. */
static void finish(struct engine *engine)
{
    int64_t through = INT64_MAX; /* blocks that all tasks are through with */
    for (int task = 0; task < engine->plan->tasks; task++) {
        finish_task(engine, task);
        through = engine->run.task[task].over < through ? engine->run.task[task].over : through;
    }
    for (; engine->plan->lands && engine->released < through; engine->released++)
        topo_shm_fifo_release(slot_of(engine, engine->released));
}

/* Whether there is a slot for what comes next. */
static bool has_room(const struct engine *engine, int task)
{
    return !engine->plan->lands || engine->run.task[task].begun < engine->released + TOPO_SHM_FIFO_SLOTS;
}

/* All receives that may begin, and all sends; but where a rank hands over, of each task that sends one, or as many as
 * the plan has under way at a time: what it sends next waits for what it hands over, as messages that begin together
 * arrive together. False: others may begin now. */
static bool begin_messages(struct engine *engine)
{
    bool all = true;
    int send = -1;
    for (int task = 0; task < engine->plan->tasks; task++)
        while (engine->plan->task[task].kind == TOPO_TASK_RECEIVE && has_room(engine, task) &&
               topo_plan_may_begin(&engine->run, task))
            all &= begin(engine, task);
    for (int i = 0; (i < engine->sends || engine->plan->at_once > 0) && (send = topo_plan_next_send(&engine->run)) >= 0;
         i += engine->gives)
        all &= begin(engine, send);
    return all && send < 0;
}

/* In a vector that is the node's blocks are there for all, or the rank waits until all up to the end of these are. */
static void meet_in_node(const struct engine *engine, const struct topo_step *step, bool gives)
{
    struct topo_shm_buffer *buffer = engine->vector->shared;
    const int own = engine->comm->node->ranks, end = (int)step->first + step->count;
    if (gives && step->first < own)
        topo_shm_buffer_arrive(buffer);
    else if (gives)
        topo_shm_buffer_add(buffer, step->count);
    else if (end == engine->comm->ranks)
        topo_shm_buffer_close(buffer);
    else if (end == own)
        topo_shm_buffer_wait_arrived(buffer);
    else
        topo_shm_buffer_wait_parts(buffer, end - own);
}

/* Blocks go to the ranks of this node, or come from one, in pieces that a slot has room for. */
static void hand_over(struct engine *engine, const struct topo_step *step, bool gives)
{
    if (engine->plan->node_vector) {
        meet_in_node(engine, step, gives);
        return;
    }
    size_t bytes, at = offset_of(engine, step, &bytes), end = at + bytes;
    char *data = engine->vector->base;
    if (engine->plan->lands) {
        topo_shm_fifo_publish(slot_of(engine, step->first));
        memcpy(data + at, slot_of(engine, step->first)->base, bytes);
        return;
    }
    while (at < end) {
        size_t piece = end - at < TOPO_SEGMENT_BYTES ? end - at : TOPO_SEGMENT_BYTES;
        struct topo_shm_fifo_slot slot = topo_shm_fifo_next(engine->comm->node, piece);
        if (gives) {
            topo_shm_fifo_claim(&slot);
            memcpy(slot.base, data + at, piece);
            topo_shm_fifo_publish(&slot);
        } else {
            topo_shm_fifo_await(&slot);
            memcpy(data + at, slot.base, piece);
        }
        topo_shm_fifo_release(&slot);
        at += piece;
    }
}

/* Adds the node's own operands to the block that comes next, while it is on its way. False: to none. */
static bool add_ahead(struct engine *engine)
{
    for (int task = 0; task < engine->plan->tasks && engine->plan->adds_ahead; task++) {
        const struct topo_task_run *at = &engine->run.task[task];
        if (!topo_plan_adds(engine->plan, &engine->plan->task[task]) || at->over == at->begun)
            continue;
        const struct topo_step step = topo_plan_step(&engine->run, task, at->over);
        if (step.count == 0 || engine->added[step.first])
            continue;
        add_own(engine, step.first, step.first + 1);
        return true;
    }
    return false;
}

/* The next thing to do in node memory, or to add, if there is any. */
static bool work_next(struct engine *engine)
{
    for (int task = 0; task < engine->plan->tasks; task++) {
        enum topo_task_kind kind = engine->plan->task[task].kind;
        if (topo_plan_adds(engine->plan, &engine->plan->task[task]) && has_come(engine, task) &&
            topo_plan_may_add(&engine->run, task)) {
            add_next(engine, task);
            return true;
        }
        if ((kind != TOPO_TASK_GIVE && kind != TOPO_TASK_TAKE) || !topo_plan_may_begin(&engine->run, task))
            continue;
        const struct topo_step step = topo_plan_step(&engine->run, task, engine->run.task[task].begun);
        topo_plan_begun(&engine->run, task);
        hand_over(engine, &step, kind == TOPO_TASK_GIVE);
        topo_plan_over(&engine->run, task);
        return true;
    }
    return false;
}

/* Waits for all messages of the tasks from *over on that are before `end`. */
static void wait_all(struct engine *engine, int *over, int end)
{
    const int first = engine->first[*over], count = engine->first[end] - first;
    if (count > 0)
        engine->code =
            topo_first_error(engine->code, PMPI_Waitall(count, engine->request + first, MPI_STATUSES_IGNORE));
    *over = end;
}

static struct topo_step step_of(const struct engine *engine, const struct topo_task *task, int turn)
{
    const struct topo_turn *at = &engine->plan->turn[task->turn + turn];
    return (struct topo_step){.peer = at->peer, .first = at->block, .count = at->blocks};
}

/* All messages of a task of a plan in steps. */
static void begin_all(struct engine *engine, int task)
{
    const struct topo_task *here = &engine->plan->task[task];
    const bool adds = topo_plan_adds(engine->plan, here);
    for (int i = 0; i < here->turns; i++) {
        const struct topo_step step = step_of(engine, here, i);
        struct topo_elements what = elements_of(engine, &step);
        if (what.count == 0)
            continue;
        if (adds || engine->plan->lands)
            what.at = adds ? landed_at(engine, task, i) : slot_of(engine, 0)->base;
        else if (engine->vector->own && here->kind == TOPO_TASK_SEND)
            what.at = here_of(engine, &step, what.at);
        else
            mark_added(engine, &step);
        int code = start_message(engine, here, &step, &what, request_of(engine, task, i));
        engine->code = topo_first_error(engine->code, code);
    }
}

/* All that a task has received is added. */
static void add_all(struct engine *engine, int task)
{
    const struct topo_task *here = &engine->plan->task[task];
    for (int i = 0; i < here->turns; i += here->joined) {
        const struct topo_step step = step_of(engine, here, i);
        size_t count, at = offset_of(engine, &step, &count);
        if (count > 0)
            add(engine, task, i, &step, at, count);
    }
}

static void hand_over_all(struct engine *engine, const struct topo_task *task)
{
    for (int i = 0; i < task->turns; i++) {
        const struct topo_step step = step_of(engine, task, i);
        hand_over(engine, &step, task->kind == TOPO_TASK_GIVE);
    }
}

/* A plan in steps. A run of its own for these, which keeps no books and looks at MPI where the rank waits, not for each
 * message, takes less than half of our own instructions for an all-reduce of 8 bytes on four nodes. */
static void run_in_order(struct engine *engine)
{
    const struct topo_plan *plan = engine->plan;
    int over = 0;
    for (int task = 0; task < plan->tasks; task++)
        if (topo_plan_adds(plan, &plan->task[task]))
            begin_all(engine, task);
    if (plan->sums && !engine->vector->own)
        add_own(engine, 0, topo_plan_blocks(plan));
    if (plan->lands)
        claim(engine, 0, plan->cut.bytes);
    for (int task = 0; task < plan->tasks; task++) {
        if (topo_plan_adds(plan, &plan->task[task])) {
            wait_all(engine, &over, task + 1);
            add_all(engine, task);
            continue;
        }
        if (plan->task[task].after >= over)
            wait_all(engine, &over, plan->task[task].after + 1);
        if (plan->task[task].kind == TOPO_TASK_GIVE || plan->task[task].kind == TOPO_TASK_TAKE)
            hand_over_all(engine, &plan->task[task]);
        else
            begin_all(engine, task);
    }
    wait_all(engine, &over, plan->tasks);
    if (plan->lands)
        topo_shm_fifo_release(slot_of(engine, 0));
}

/* Waits for a message. False: nothing can follow from it yet. */
static bool wait(struct engine *engine)
{
    int done = MPI_UNDEFINED, task = 0;
    int code = PMPI_Waitany(engine->first[engine->plan->tasks], engine->request, &done, MPI_STATUS_IGNORE);
    engine->code = topo_first_error(engine->code, code);
    if (done == MPI_UNDEFINED || engine->plan->lands) {
        finish(engine);
        return true;
    }
    while (engine->first[task + 1] <= done)
        task++;
    return topo_plan_adds(engine->plan, &engine->plan->task[task]) ? has_come(engine, task) : finish_task(engine, task);
}

static void run(struct engine *engine)
{
    const int requests = engine->first[engine->plan->tasks];
    int done;
    while (engine->run.open > 0) {
        const bool all = begin_messages(engine), worked = work_next(engine) || (all && add_ahead(engine));
        if (all && !worked && requests > 0) {
            while (!wait(engine))
                continue;
            continue;
        }
        if (worked && requests > 0)
            engine->code =
                topo_first_error(engine->code, topo_testsome(requests, engine->request, &done, engine->indices));
        finish(engine);
    }
}

/* Elements of the longest message of a task. */
static size_t longest_of(const struct topo_plan *plan, const struct topo_task *task)
{
    size_t longest = plan->shares > 0 ? plan->cut.bytes / (size_t)plan->shares + 1 : plan->cut.segment;
    if (plan->cuts > 0) /* the first block is the longest, and so is the first of parts with several */
        longest = task->each > 0 ? topo_plan_offset(plan, 1) * (size_t)task->each
                                 : topo_plan_offset(plan, plan->turn[task->turn].blocks);
    for (int i = 0; i < task->turns && task->stride == 0 && plan->cuts == 0; i++) {
        const struct topo_turn *turn = &plan->turn[task->turn + i];
        size_t count = topo_plan_offset(plan, turn->block + turn->blocks) - topo_plan_offset(plan, turn->block);
        longest = i == 0 || count > longest ? count : longest;
    }
    return longest < plan->cut.bytes ? longest : plan->cut.bytes;
}

/* Memory for a run, of which `used` bytes are given away. */
struct memory {
    char *base;
    size_t room, used;
};

/* The next `bytes`, aligned to `unit`; NULL where there is no more room, but they are counted. */
static void *take(struct memory *memory, size_t bytes, size_t unit)
{
    size_t at = topo_align(memory->used, unit);
    memory->used = at + bytes;
    return memory->used <= memory->room ? memory->base + at : NULL;
}

/* Bytes from one position that is under way to the next, where partial sums of a task land. */
static size_t stride_of(const struct engine *engine, int task)
{
    const size_t longest = longest_of(engine->plan, &engine->plan->task[task]);
    return topo_align(longest * engine->vector->bytes, TOPO_CACHE_LINE);
}

/* Where partial sums land. */
static void lay_out_sums(struct engine *engine, struct memory *memory)
{
    const struct topo_plan *plan = engine->plan;
    size_t joined = 0;
    for (int task = 0; task < plan->tasks; task++)
        joined = (size_t)plan->task[task].joined > joined ? (size_t)plan->task[task].joined : joined;
    engine->landed = take(memory, joined * sizeof *engine->landed, sizeof *engine->landed);
    engine->place = take(memory, (size_t)plan->tasks * sizeof *engine->place, sizeof *engine->place);
    engine->stride = take(memory, (size_t)plan->tasks * sizeof *engine->stride, sizeof *engine->stride);
    engine->added = take(memory, (size_t)topo_plan_blocks(plan), 1);
    int last = TOPO_PLAN_NO_TASK;
    for (int task = 0; task < plan->tasks; task++) {
        if (!topo_plan_adds(plan, &plan->task[task]))
            continue;
        const size_t stride = stride_of(engine, task), bytes = stride * (size_t)plan->task[task].window;
        /* Where all of the last one is over first, what came in that one's place is added. */
        const bool follows = last >= 0 && plan->task[task].after == last && plan->task[task].lag == TOPO_PLAN_WHOLE &&
                             bytes <= stride_of(engine, last) * (size_t)plan->task[last].window;
        char *place = follows ? NULL : take(memory, bytes, TOPO_CACHE_LINE);
        if (memory->used <= memory->room) {
            engine->place[task] = follows ? engine->place[last] : place;
            engine->stride[task] = stride;
        }
        last = task;
    }
}

/* Lays out what a run needs. False: that is more than there is room for, memory->used bytes. */
static bool lay_out(struct engine *engine, struct memory *memory)
{
    const struct topo_plan *plan = engine->plan;
    size_t requests = 0;
    memory->used = plan->in_order ? 0 : topo_plan_run_bytes(plan);
    for (int task = 0; task < plan->tasks; task++)
        requests += (size_t)requests_of(plan, task);
    engine->request = take(memory, requests * sizeof *engine->request, sizeof *engine->request);
    engine->indices = take(memory, requests * sizeof *engine->indices, sizeof *engine->indices);
    engine->first = take(memory, ((size_t)plan->tasks + 1) * sizeof *engine->first, sizeof *engine->first);
    if (plan->sums)
        lay_out_sums(engine, memory);
    return memory->used <= memory->room;
}

int topo_engine_run(const struct topo_comm *comm, const struct topo_plan *plan, const struct topo_engine_vector *vector,
                    const struct topo_engine_sums *sums)
{
    alignas(TOPO_CACHE_LINE) char block[SHORT];
    struct engine engine = {.comm = comm, .plan = plan, .vector = vector, .sums = sums, .code = MPI_SUCCESS};
    const int64_t blocks = plan->sums ? topo_plan_blocks(plan) : 0;
    struct memory memory = {block, sizeof block, 0};
    if (!lay_out(&engine, &memory)) {
        memory = (struct memory){topo_scratch_take(memory.used), memory.used, 0};
        if (!memory.base)
            return MPI_ERR_NO_MEM;
        lay_out(&engine, &memory);
    }
    if (blocks > 0)
        memset(engine.added, 0, (size_t)blocks * sizeof *engine.added);
    engine.first[0] = 0;
    for (int task = 0; task < plan->tasks; task++) {
        engine.first[task + 1] = engine.first[task] + requests_of(plan, task);
        engine.sends += plan->task[task].kind == TOPO_TASK_SEND;
        engine.gives |= plan->task[task].kind == TOPO_TASK_GIVE;
    }
    for (int i = 0; i < engine.first[plan->tasks]; i++)
        engine.request[i] = MPI_REQUEST_NULL;
    if (!plan->in_order)
        topo_plan_run_begin(&engine.run, plan, memory.base);
    (plan->in_order ? run_in_order : run)(&engine);
    /* What nobody sent or asked for: all of it on a single node. */
    if (blocks > 0)
        add_own(&engine, 0, blocks);
    if (memory.base != block)
        topo_scratch_give(memory.base);
    return engine.code;
}
