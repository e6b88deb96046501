/* Runs plans of exchanges (plan/exchange.h), whose messages go in segments. Those of tasks that flow have a request
 * each, which is asked for until all are through; those of others are begun together, and waited for where the plan
 * says so or at the end. */
#include <string.h>

#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "plan/run.h"

/* A message of a task that flows, of which a segment of `length` is under way. */
struct flight {
    int task, peer;
    int64_t block;
    size_t bytes, offset, length;
};

/* A task: its next position where it flows, else its requests. */
struct progress {
    int next, positions;
    size_t first, end; /* in posted[] */
};

struct topo_engine_call {
    const struct topo_comm *comm;
    struct topo_engine_pairs pairs;
    struct topo_plan_run run; /* of it what topo_plan_step() reads */
    struct progress *task;    /* [tasks] */
    struct flight *flight;    /* [flights] */
    MPI_Request *request;     /* [flights] */
    MPI_Request *posted;      /* [posts] */
    size_t posts, under_way;  /* bytes that flow */
    int flights, begun, over; /* tasks before `over` are */
    int code;                 /* the first error */
};

static const struct topo_task *task_of(const struct topo_engine_call *call, int task)
{
    return &call->run.plan->task[task];
}

/* A segment of a message. */
static void start(struct topo_engine_call *call, int task, int peer, int64_t block, size_t offset, size_t length,
                  MPI_Request *request)
{
    struct topo_elements what;
    const int tag = TOPO_TAG_TREE + task_of(call, task)->tag;
    int code = call->pairs.bytes(call->pairs.of, block, offset, length, &what);
    *request = MPI_REQUEST_NULL;
    if (code == MPI_SUCCESS)
        code = (task_of(call, task)->kind == TOPO_TASK_SEND
                    ? topo_isend_typed(what.at, what.count, what.type, peer, tag, &call->comm->channel, request)
                    : topo_irecv_typed(what.at, what.count, what.type, peer, tag, &call->comm->channel, request));
    call->code = topo_first_error(call->code, code);
}

/* The next segment of what is under way there, or the first one of the task's next message. False: there is none. */
static bool go_on(struct topo_engine_call *call, int i)
{
    struct flight *flight = &call->flight[i];
    struct progress *task = &call->task[flight->task];
    flight->offset += flight->length;
    if (flight->offset > 0 && task_of(call, flight->task)->kind == TOPO_TASK_RECEIVE)
        flight->bytes = call->pairs.length(call->pairs.of, flight->block, flight->offset);
    while (flight->offset >= flight->bytes && task->next < task->positions) {
        const struct topo_step step = topo_plan_step(&call->run, flight->task, task->next++);
        flight->peer = step.peer;
        flight->block = step.first;
        flight->bytes = step.count > 0 ? call->pairs.length(call->pairs.of, step.first, 0) : 0;
        flight->offset = 0;
    }
    flight->length = topo_plan_segment(call->run.plan, flight->bytes, flight->offset);
    if (flight->length == 0)
        return false;
    call->under_way += flight->length;
    start(call, flight->task, flight->peer, flight->block, flight->offset, flight->length, &call->request[i]);
    return true;
}

/* As many messages of a task that flows as may be under way. */
static void begin_flow(struct topo_engine_call *call, int task)
{
    const struct topo_task *here = task_of(call, task);
    const struct progress *its = &call->task[task];
    for (int i = 0; its->next < its->positions && (i < here->window || call->under_way < (size_t)here->few_bytes);
         i++) {
        call->flight[call->flights] = (struct flight){.task = task};
        if (!go_on(call, call->flights))
            return;
        call->flights++;
    }
}

/* All messages of another task, all segments of each. */
static void begin_posted(struct topo_engine_call *call, int task)
{
    for (int position = 0; position < call->task[task].positions; position++) {
        const struct topo_step step = topo_plan_step(&call->run, task, position);
        const size_t bytes = step.count > 0 ? call->pairs.length(call->pairs.of, step.first, 0) : 0;
        for (size_t at = 0, length; at < bytes; at += length) {
            length = topo_plan_segment(call->run.plan, bytes, at);
            start(call, task, step.peer, step.first, at, length, &call->posted[call->posts++]);
        }
    }
}

static void begin(struct topo_engine_call *call, int task)
{
    call->task[task].first = call->posts;
    (task_of(call, task)->flows ? begin_flow : begin_posted)(call, task);
    call->task[task].end = call->posts;
}

/* What flows is through. An error ends it: how far others are is not known then. */
static void flow(struct topo_engine_call *call)
{
    int done = MPI_UNDEFINED;
    while (call->flights > 0 && call->code == MPI_SUCCESS) {
        call->code = PMPI_Waitany(call->flights, call->request, &done, MPI_STATUS_IGNORE);
        if (call->code != MPI_SUCCESS || done == MPI_UNDEFINED)
            break;
        call->under_way -= call->flight[done].length;
        go_on(call, done);
    }
    if (call->code != MPI_SUCCESS)
        PMPI_Waitall(call->flights, call->request, MPI_STATUSES_IGNORE);
    call->flights = 0;
}

/* All tasks before `end` are over. */
static void finish(struct topo_engine_call *call, int end)
{
    flow(call);
    for (; call->over < end; call->over++) {
        const struct progress *task = &call->task[call->over];
        const int count = (int)(task->end - task->first);
        if (count > 0)
            call->code =
                topo_first_error(call->code, PMPI_Waitall(count, call->posted + task->first, MPI_STATUSES_IGNORE));
    }
}

/* Whether a task begins with the call, before all others. */
static bool is_ahead(const struct topo_task *task)
{
    return task->kind == TOPO_TASK_RECEIVE && task->after == TOPO_PLAN_NO_TASK;
}

int topo_engine_begin(const struct topo_comm *comm, const struct topo_plan *plan, const struct topo_engine_pairs *pairs,
                      struct topo_engine_call **begun)
{
    const size_t tasks = (size_t)plan->tasks;
    size_t flights = 0, posts = pairs->total / plan->segment;
    for (int i = 0; i < plan->tasks; i++)
        *(plan->task[i].flows ? &flights : &posts) += (size_t)topo_plan_positions(plan, &plan->task[i]);
    struct topo_engine_call *call = *begun =
        topo_scratch_take(sizeof *call + flights * sizeof *call->flight + tasks * sizeof *call->task +
                          (flights + posts) * sizeof *call->request);
    if (!call)
        return MPI_ERR_NO_MEM;
    *call = (struct topo_engine_call){.comm = comm, .pairs = *pairs, .run.plan = plan, .code = MPI_SUCCESS};
    call->flight = (struct flight *)(call + 1);
    call->task = (struct progress *)(call->flight + flights);
    call->request = (MPI_Request *)(call->task + tasks);
    call->posted = call->request + flights;
    for (int i = 0; i < plan->tasks; i++)
        call->task[i] = (struct progress){.positions = topo_plan_positions(plan, &plan->task[i])};
    for (int i = 0; i < plan->tasks; i++)
        if (is_ahead(&plan->task[i]))
            begin(call, i);
    for (; call->begun < plan->tasks && plan->task[call->begun].after == TOPO_PLAN_NO_TASK; call->begun++)
        if (!is_ahead(&plan->task[call->begun]))
            begin(call, call->begun);
    return MPI_SUCCESS;
}

int topo_engine_end(struct topo_engine_call *call)
{
    if (!call)
        return MPI_SUCCESS;
    const struct topo_plan *plan = call->run.plan;
    for (; call->begun < plan->tasks; call->begun++) {
        if (plan->task[call->begun].after >= call->over)
            finish(call, plan->task[call->begun].after + 1);
        if (!is_ahead(&plan->task[call->begun]))
            begin(call, call->begun);
    }
    finish(call, plan->tasks);
    const int code = call->code;
    topo_scratch_give(call);
    return code;
}
