/* Alltoallv in the steps of a schedule: drc, sdrc, ggp and css.
 *
 * TOPOMPI_ALLTOALLV_SYNC says what a rank waits for after each step (docs/REFERENCES.md,
 * Schedule 5 and Redistribution 5): nothing (all receives and sends are started in the
 * order of the steps), its sends (all receives are started before), its sends and
 * receives, or these after uneven steps alone: after even ones all are through at the
 * same time anyway.
 * No rank waits for a message of a later step, so there is no circle of waiting
 * as long as all hold the same schedule, whatever the counts are (step_table.h).
 *
 * Cost: the sum over the steps of alpha + the longest message times beta; without
 * barriers the steps overlap. */
#include <limits.h>
#include <string.h>

#include "coll/alltoallv/step_table.h"
#include "coll/exchange/pairs.h"
#include "coll/base/scratch.h"
#include "job/job.h"

enum barrier { AUTO, NONE, SEND, SENDRECV, UNEVEN }; /* in the order of the option's words */

/* One direction of one call on this rank. */
struct stream {
    struct topo_p2p_stream messages;
    bool *covered; /* [ranks] by the schedule: its tasks do all of the pair's message */
    MPI_Request *request;
    int count;
};

struct run {
    const struct topo_alltoallv *call;
    const struct topo_step_table *table;
    struct stream send, receive;
};

static struct stream *stream_of(struct run *run, const struct topo_step_task *task)
{
    return task->send ? &run->send : &run->receive;
}

/* True when the task is to be carried out. Both ends of the pair come to the same
 * answer: MPI_Pack knows int lengths only, so a longer message is not cut, be it
 * contiguous here or not. */
static bool applies(const struct stream *stream, const struct topo_step_task *task)
{
    size_t bytes = topo_buffer_desc_bytes(stream->messages.buffer, (int)task->peer);
    if (task->bytes == task->whole)
        return bytes > 0;
    return bytes == (size_t)task->whole && bytes <= INT_MAX;
}

/* A part of a message, in segments. */
static int start_part(struct stream *stream, int peer, size_t offset, size_t bytes)
{
    int code = MPI_SUCCESS;
    for (size_t at = 0, length; at < bytes && code == MPI_SUCCESS; at += length) {
        length = topo_p2p_segment(bytes, at);
        code = topo_p2p_stream_start(&stream->messages, peer, offset + at, length, &stream->request[stream->count]);
        stream->count += code == MPI_SUCCESS;
    }
    return code;
}

static int start_task(struct run *run, const struct topo_step_task *task)
{
    struct stream *stream = stream_of(run, task);
    int peer = (int)task->peer;
    if (!applies(stream, task))
        return MPI_SUCCESS;
    stream->covered[peer] = true;
    if (task->bytes == task->whole) /* whatever its length is now */
        return start_part(stream, peer, 0, topo_buffer_desc_bytes(stream->messages.buffer, peer));
    return start_part(stream, peer, (size_t)task->offset, (size_t)task->bytes);
}

/* Messages that the schedule does not do. */
static int start_others(struct run *run, struct stream *stream)
{
    const struct topo_comm *comm = run->call->comm;
    int code = MPI_SUCCESS;
    for (int d = 1; d < comm->ranks && code == MPI_SUCCESS; d++) {
        int peer =
            topo_tree_rank(comm->tree, (comm->position + (stream == &run->send ? d : comm->ranks - d)) % comm->ranks);
        if (!stream->covered[peer])
            code = start_part(stream, peer, 0, topo_buffer_desc_bytes(stream->messages.buffer, peer));
    }
    return code;
}

static int wait(struct stream *stream)
{
    int count = stream->count;
    stream->count = 0;
    return count > 0 ? PMPI_Waitall(count, stream->request, MPI_STATUSES_IGNORE) : MPI_SUCCESS;
}

/* All receives, by step. */
static int start_receives(struct run *run)
{
    int code = MPI_SUCCESS;
    for (int t = 0; t < run->table->tasks && code == MPI_SUCCESS; t++)
        if (!run->table->task[t].send)
            code = start_task(run, &run->table->task[t]);
    return code == MPI_SUCCESS ? start_others(run, &run->receive) : code;
}

static int play(struct run *run, enum barrier barrier)
{
    const struct topo_step_task *task = run->table->task;
    bool both = barrier == SENDRECV || barrier == UNEVEN; /* receives are started step by step, too */
    int tasks = run->table->tasks, code = both ? MPI_SUCCESS : start_receives(run);
    for (int t = 0; t < tasks && code == MPI_SUCCESS; t++) {
        if (task[t].send || both)
            code = start_task(run, &task[t]);
        bool ends = t + 1 == tasks || task[t + 1].step != task[t].step;
        if (!ends || barrier == NONE || (barrier == UNEVEN && !task[t].uneven))
            continue;
        if (code == MPI_SUCCESS)
            code = wait(&run->send);
        if (both && code == MPI_SUCCESS)
            code = wait(&run->receive);
    }
    if (both && code == MPI_SUCCESS)
        code = start_others(run, &run->receive);
    if (code == MPI_SUCCESS)
        code = start_others(run, &run->send);
    int sent = wait(&run->send), received = wait(&run->receive);
    return code != MPI_SUCCESS ? code : sent != MPI_SUCCESS ? sent : received;
}

/* The state of one direction; false: memory is out, close it all the same. */
static bool stream_open(struct stream *stream, const struct topo_alltoallv *call, bool sends, int tasks)
{
    size_t n = (size_t)call->comm->ranks, requests;
    if (!topo_p2p_stream_open(&stream->messages, call, sends))
        return false;
    requests = topo_p2p_stream_requests(&stream->messages, (size_t)tasks);
    stream->request = topo_scratch_take(requests * sizeof *stream->request + n * sizeof *stream->covered);
    if (!stream->request)
        return false;
    stream->covered = (bool *)(stream->request + requests);
    memset(stream->covered, 0, n * sizeof *stream->covered);
    return true;
}

static int stream_close(struct stream *stream, bool unpack)
{
    topo_scratch_give(stream->request);
    return topo_p2p_stream_close(&stream->messages, unpack);
}

/* What the steps of a table are separated by. */
static enum barrier barrier_of(const struct topo_step_table *table)
{
    enum barrier barrier = (enum barrier)topo_job.options.value[TOPO_OPTION_ALLTOALLV_SYNC].choice;
    return barrier != AUTO ? barrier : table->made.ran == TOPO_SCHEDULER_css ? UNEVEN : NONE;
}

static int scheduled(const struct topo_alltoallv *call, enum topo_scheduler scheduler)
{
    struct run run = {.call = call};
    int code = topo_step_table_get(call, scheduler, &run.table), copied;
    if (code != MPI_SUCCESS)
        return code;
    if (!run.table) {
        call->estimate->ran = topo_algorithm(TOPO_ALGORITHM_alltoallv_direct);
        return topo_alltoallv_direct(call);
    }
    call->estimate->ran = topo_algorithm(topo_scheduler_algorithm(run.table->made.ran));
    if (run.table->made.ran == TOPO_SCHEDULER_css)
        call->estimate->form = topo_css_form_text(run.table->made.css.form);
    bool ready = stream_open(&run.send, call, true, run.table->tasks);
    ready &= stream_open(&run.receive, call, false, run.table->tasks);
    if (!ready)
        code = MPI_ERR_NO_MEM;
    else
        code = play(&run, barrier_of(run.table));
    copied = topo_pairs_copy_own(call);
    stream_close(&run.send, false);
    int unpacked = stream_close(&run.receive, code == MPI_SUCCESS);
    return code != MPI_SUCCESS ? code : copied != MPI_SUCCESS ? copied : unpacked;
}

#define X(name) \
    int topo_alltoallv_##name(const struct topo_alltoallv *call) \
    { \
        return scheduled(call, TOPO_SCHEDULER_##name); \
    }
TOPO_SCHEDULER_MAP(X)
#undef X
