#include "fuzz/traffic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/communicators.h"

enum { BARRIER = 1, SUM, BCAST, IDUP };
enum { RECEIVE_FIRST = 1, SEND_FIRST, PROBE, TAKE };
enum { TAG = 7001 };

/* A number of a member that all ranks know. */
static int number(const struct fuzz_worker *worker, const struct fuzz_comm *comm, int rank)
{
    return worker->step * 1000 + comm->id * 17 + rank * rank;
}

static void start_pending(struct fuzz_pending *pending, struct fuzz_worker *worker)
{
    struct fuzz_comm *comm = pending->comm;
    if (comm->rank < 0)
        return;
    if (pending->kind == IDUP && fuzz_without("idup")) {
        MPI_Comm_dup(comm->comm, &pending->made);
        pending->request = MPI_REQUEST_NULL;
        return;
    }
    pending->in = number(worker, comm, comm->rank);
    pending->expected = 0;
    for (int i = 0; pending->kind == SUM && i < comm->size; i++)
        pending->expected += number(worker, comm, i);
    if (pending->kind == BARRIER)
        MPI_Ibarrier(comm->comm, &pending->request);
    else if (pending->kind == SUM)
        MPI_Iallreduce(&pending->in, &pending->out, 1, MPI_INT, MPI_SUM, comm->comm, &pending->request);
    else if (pending->kind == IDUP)
        MPI_Comm_idup(comm->comm, &pending->made, &pending->request);
    if (pending->kind == BCAST) {
        pending->out = pending->in;
        pending->expected = number(worker, comm, comm->size - 1);
        MPI_Ibcast(&pending->out, 1, MPI_INT, comm->size - 1, comm->comm, &pending->request);
    }
}

static void end_pending(struct fuzz_pending *pending, struct fuzz_worker *worker)
{
    struct fuzz_comm *comm = pending->comm;
    if (comm->rank >= 0)
        MPI_Wait(&pending->request, MPI_STATUS_IGNORE);
    if (comm->rank >= 0 && (pending->kind == SUM || pending->kind == BCAST) && pending->out != pending->expected)
        fuzz_differ(worker, "pending collective: %d, not %d", pending->out, pending->expected);
    if (pending->kind == IDUP)
        fuzz_comm_add(worker, "idup", comm->world, comm->size, pending->made);
}

/* Each member sends to the next one; always to that, so that a receive of anything gets this step's message. */
static void post_send(struct fuzz_messages *m)
{
    MPI_Isend(m->out, m->count, MPI_INT, (m->comm->rank + 1) % m->comm->size, TAG, m->comm->comm, &m->request);
}

static void take_probe(struct fuzz_messages *m, struct fuzz_worker *worker)
{
    MPI_Status status;
    int count, before = (m->comm->rank + m->comm->size - 1) % m->comm->size;
    if (m->kind == PROBE)
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm->comm, &status);
    else
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm->comm, &m->message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    if (status.MPI_TAG != TAG || status.MPI_SOURCE != before || count != m->count)
        fuzz_differ(worker, "a probe of anything saw tag %d, source %d, %d ints", status.MPI_TAG, status.MPI_SOURCE,
                    count);
}

static void start_messages(struct fuzz_messages *m, struct fuzz_worker *worker)
{
    if (m->comm->rank < 0) {
        m->kind = 0;
        return;
    }
    m->in = calloc((size_t)m->count, sizeof *m->in);
    m->out = malloc((size_t)m->count * sizeof *m->out);
    for (int i = 0; i < m->count; i++)
        m->out[i] = m->token + m->comm->rank * 3 + i;
    if (m->kind == RECEIVE_FIRST)
        MPI_Irecv(m->in, m->count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm->comm, &m->request);
    else
        post_send(m);
    if (m->kind == PROBE || m->kind == TAKE)
        take_probe(m, worker);
}

static void end_messages(struct fuzz_messages *m, struct fuzz_worker *worker)
{
    MPI_Status status;
    int before = (m->comm->rank + m->comm->size - 1) % m->comm->size;
    if (m->kind == RECEIVE_FIRST)
        MPI_Send(m->out, m->count, MPI_INT, (m->comm->rank + 1) % m->comm->size, TAG, m->comm->comm);
    else if (m->kind == TAKE)
        MPI_Mrecv(m->in, m->count, MPI_INT, &m->message, &status);
    else
        MPI_Recv(m->in, m->count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, m->comm->comm, &status);
    MPI_Wait(&m->request, MPI_STATUS_IGNORE);
    for (int i = 0; i < m->count; i++)
        if (m->in[i] != m->token + before * 3 + i) {
            fuzz_differ(worker, "message from before: int %d is %d", i, m->in[i]);
            break;
        }
    free(m->in);
    free(m->out);
}

static void choose_messages(struct fuzz_messages *m, struct fuzz_worker *worker, struct fuzz_comm *busy)
{
    struct fuzz_random *plan = &worker->plan;
    m->kind = fuzz_chance(plan, 25) ? fuzz_between(plan, RECEIVE_FIRST, TAKE) : 0;
    m->comm = fuzz_chance(plan, 60) ? busy : fuzz_comm_any(worker, 2);
    int most = fuzz_job.ranks >= 9 && !fuzz_job.tcp ? 500 : FUZZ_MESSAGE_MOST;
    m->count = fuzz_chance(plan, 60) ? fuzz_between(plan, 1, 8) : fuzz_between(plan, 1, most);
    m->token = worker->step * 1000003;
}

/* Begins a pending MPI_Comm_idup after the other collectives on its communicator. Open MPI 4.1 gives a non-blocking
 * collective its tag when it starts, and MPI_Comm_idup starts a second one as soon as MPI makes progress, in any
 * thread: one that the program starts then has its tag before that on one rank and after it on another. */
static void idup_comes_last(struct fuzz_traffic *traffic)
{
    for (int i = 0, k; i < traffic->pendings; i++) {
        for (k = traffic->pendings - 1; k > i && traffic->pending[k].comm != traffic->pending[i].comm; k--)
            ;
        if (traffic->pending[i].kind == IDUP && k > i) {
            struct fuzz_pending idup = traffic->pending[i];
            traffic->pending[i] = traffic->pending[k];
            traffic->pending[k] = idup;
        }
    }
}

void fuzz_traffic_begin(struct fuzz_traffic *traffic, struct fuzz_worker *worker, struct fuzz_comm *busy)
{
    struct fuzz_random *plan = &worker->plan;
    bool duplicating = false;
    memset(traffic, 0, sizeof *traffic);
    traffic->pendings = fuzz_chance(plan, 25) ? fuzz_between(plan, 1, FUZZ_PENDING_MOST) : 0;
    for (int i = 0; i < traffic->pendings; i++) {
        struct fuzz_pending *pending = &traffic->pending[i];
        pending->comm = fuzz_chance(plan, 40) ? busy : fuzz_comm_any(worker, 1);
        pending->kind = fuzz_between(plan, BARRIER, IDUP);
        /* Threads that make communicators at once hang in Open MPI itself. */
        if (pending->kind == IDUP && (duplicating || !worker->makes || worker->comms >= fuzz_job.live_most))
            pending->kind = BARRIER;
        duplicating = duplicating || pending->kind == IDUP;
        pending->made = MPI_COMM_NULL;
    }
    idup_comes_last(traffic);
    choose_messages(&traffic->messages, worker, busy);
    snprintf(traffic->what, sizeof traffic->what, "pending %d %d %d, messages %d", traffic->pending[0].kind,
             traffic->pending[1].kind, traffic->pending[2].kind, traffic->messages.kind);
    fuzz_does(worker, "begin of traffic (%s) around communicator %d", traffic->what, busy->id);
    for (int i = 0; i < traffic->pendings; i++)
        start_pending(&traffic->pending[i], worker);
    if (traffic->messages.kind)
        start_messages(&traffic->messages, worker);
    if (fuzz_chance(&worker->local, 15))
        usleep((unsigned)fuzz_below(&worker->local, 3000));
}

void fuzz_traffic_end(struct fuzz_traffic *traffic, struct fuzz_worker *worker)
{
    char before[150];
    snprintf(before, sizeof before, "%.140s", worker->what);
    if (traffic->pendings || traffic->messages.kind)
        fuzz_does(worker, "end of traffic (%s) after %s", traffic->what, before);
    if (traffic->messages.kind)
        end_messages(&traffic->messages, worker);
    for (int i = 0; i < traffic->pendings; i++)
        end_pending(&traffic->pending[i], worker);
    fuzz_progress();
}
