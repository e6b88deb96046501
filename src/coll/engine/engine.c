/* A rank begins all that may begin, then does one thing in node memory, after which MPI gets on with messages, or,
 * where there is none to do, waits for a message.
 *
 * Where blocks come in the order in which the node gets them (plan->lands), each is received into its slot of the FIFO
 * and sent on from there: the others have it one copy earlier. The slot is released when its sends are over. */
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
    struct topo_plan_run run;
    char *data;
    int sends;  /* tasks that send */
    int *first; /* [tasks + 1] */
    MPI_Request *request;
    int *indices;                                        /* [requests] */
    int code;                                            /* the first error */
    struct topo_shm_fifo_slot slot[TOPO_SHM_FIFO_SLOTS]; /* block b that lands is in b % SLOTS ... */
    int64_t released;                                    /* ... from this one on */
};

static struct topo_shm_fifo_slot *slot_of(struct engine *engine, int64_t block)
{
    return &engine->slot[block % TOPO_SHM_FIFO_SLOTS];
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

static size_t offset_of(const struct engine *engine, const struct topo_step *step, size_t *bytes)
{
    size_t offset = topo_plan_offset(engine->plan, step->first);
    *bytes = topo_plan_offset(engine->plan, step->first + step->count) - offset;
    return offset;
}

static int start_message(const struct engine *engine, const struct topo_task *task, const struct topo_step *step,
                         char *place, size_t bytes, MPI_Request *request)
{
    const struct topo_channel *channel = &engine->comm->channel;
    int tag = TOPO_TAG_TREE + task->tag;
    if (task->kind == TOPO_TASK_RECEIVE)
        return topo_irecv_typed(place, (MPI_Count)bytes, MPI_BYTE, step->peer, tag, channel, request);
    return (step->awaited ? topo_issend_typed : topo_isend_typed)(place, (MPI_Count)bytes, MPI_BYTE, step->peer, tag,
                                                                  channel, request);
}

/* The next message of a task. False: it has no bytes, so it is over. */
static bool begin(struct engine *engine, int task)
{
    int64_t position = engine->run.task[task].begun;
    const struct topo_step step = topo_plan_step(&engine->run, task, position);
    size_t bytes = 0, offset = step.count > 0 ? offset_of(engine, &step, &bytes) : 0;
    char *place = engine->data + offset;
    topo_plan_begun(&engine->run, task);
    if (engine->plan->lands) {
        struct topo_shm_fifo_slot *slot = slot_of(engine, step.first);
        if (engine->plan->task[task].kind == TOPO_TASK_RECEIVE) {
            *slot = topo_shm_fifo_next(engine->comm->node, bytes);
            topo_shm_fifo_claim(slot);
        }
        place = slot->base;
    }
    if (bytes > 0)
        engine->code = topo_first_error(engine->code, start_message(engine, &engine->plan->task[task], &step, place,
                                                                    bytes, request_of(engine, task, position)));
    return bytes > 0;
}

/* Messages that have come or gone. */
static void finish(struct engine *engine)
{
    int64_t through = INT64_MAX; /* blocks that all tasks are through with */
    for (int task = 0; task < engine->plan->tasks; task++) {
        const struct topo_task_run *at = &engine->run.task[task];
        while (at->over < at->begun && *request_of(engine, task, at->over) == MPI_REQUEST_NULL)
            topo_plan_over(&engine->run, task);
        through = at->over < through ? at->over : through;
    }
    for (; engine->plan->lands && engine->released < through; engine->released++)
        topo_shm_fifo_release(slot_of(engine, engine->released));
}

/* Whether there is a slot for what comes next. */
static bool has_room(const struct engine *engine, int task)
{
    return !engine->plan->lands || engine->run.task[task].begun < engine->released + TOPO_SHM_FIFO_SLOTS;
}

/* All receives that may begin, and of each task that sends one message, or as many as the plan has under way at a time:
 * what a rank sends next waits for what it hands over, as messages that begin together arrive together. False: others
 * may begin now. */
static bool begin_messages(struct engine *engine)
{
    bool all = true;
    int send = -1;
    for (int task = 0; task < engine->plan->tasks; task++)
        while (engine->plan->task[task].kind == TOPO_TASK_RECEIVE && has_room(engine, task) &&
               topo_plan_may_begin(&engine->run, task))
            all &= begin(engine, task);
    for (int i = 0; (i < engine->sends || engine->plan->at_once > 0) && (send = topo_plan_next_send(&engine->run)) >= 0;
         i++)
        all &= begin(engine, send);
    return all && send < 0;
}

/* Blocks go to the ranks of this node, or come from one, in pieces that a slot has room for. */
static void hand_over(struct engine *engine, const struct topo_step *step, bool gives)
{
    size_t bytes, at = offset_of(engine, step, &bytes), end = at + bytes;
    if (engine->plan->lands) {
        topo_shm_fifo_publish(slot_of(engine, step->first));
        memcpy(engine->data + at, slot_of(engine, step->first)->base, bytes);
        return;
    }
    while (at < end) {
        size_t piece = end - at < TOPO_SEGMENT_BYTES ? end - at : TOPO_SEGMENT_BYTES;
        struct topo_shm_fifo_slot slot = topo_shm_fifo_next(engine->comm->node, piece);
        if (gives) {
            topo_shm_fifo_claim(&slot);
            memcpy(slot.base, engine->data + at, piece);
            topo_shm_fifo_publish(&slot);
        } else {
            topo_shm_fifo_await(&slot);
            memcpy(engine->data + at, slot.base, piece);
        }
        topo_shm_fifo_release(&slot);
        at += piece;
    }
}

/* The next thing to do in node memory, if there is any. */
static bool hand_over_next(struct engine *engine)
{
    for (int task = 0; task < engine->plan->tasks; task++) {
        enum topo_task_kind kind = engine->plan->task[task].kind;
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

static void run(struct engine *engine)
{
    const int requests = engine->first[engine->plan->tasks];
    int done;
    for (;;) {
        finish(engine);
        if (engine->run.open == 0)
            return;
        bool all = begin_messages(engine), handed = hand_over_next(engine);
        if (requests > 0 && (all || handed))
            engine->code = topo_first_error(engine->code,
                                            handed ? topo_testsome(requests, engine->request, &done, engine->indices)
                                                   : PMPI_Waitany(requests, engine->request, &done, MPI_STATUS_IGNORE));
    }
}

int topo_engine_run(const struct topo_comm *comm, const struct topo_plan *plan, char *data)
{
    alignas(TOPO_CACHE_LINE) char block[SHORT];
    struct engine engine = {.comm = comm, .plan = plan, .data = data, .code = MPI_SUCCESS};
    int requests = 0;
    for (int task = 0; task < plan->tasks; task++) {
        requests += requests_of(plan, task);
        engine.sends += plan->task[task].kind == TOPO_TASK_SEND;
    }
    size_t run_bytes = topo_align(topo_plan_run_bytes(plan), sizeof(MPI_Request));
    size_t bytes = run_bytes + (size_t)requests * (sizeof *engine.request + sizeof *engine.indices) +
                   ((size_t)plan->tasks + 1) * sizeof *engine.first;
    char *memory = bytes <= sizeof block ? block : topo_scratch_take(bytes);
    if (!memory)
        return MPI_ERR_NO_MEM;
    engine.request = (MPI_Request *)(memory + run_bytes);
    engine.indices = (int *)(engine.request + requests);
    engine.first = engine.indices + requests;
    engine.first[0] = 0;
    for (int task = 0; task < plan->tasks; task++)
        engine.first[task + 1] = engine.first[task] + requests_of(plan, task);
    for (int i = 0; i < requests; i++)
        engine.request[i] = MPI_REQUEST_NULL;
    topo_plan_run_begin(&engine.run, plan, memory);
    run(&engine);
    if (memory != block)
        topo_scratch_give(memory);
    return engine.code;
}
