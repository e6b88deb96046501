/* Every rank puts its block into the node's buffer (node/shm_buffer.h). The drivers send what the node holds and put
 * what they receive behind it, step by step, so that no message is packed; the parts of the work are the messages taken
 * in. Then all copy out, each span of blocks to its place. */
#include "coll/gather/gather_node_steps.h"

#include <string.h>

#include "base/copy.h"
#include "node/shm_buffer.h"
#include "coll/base/node_steps.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "job/job.h"
#include "select/by_model.h"

/* One call on this rank. */
struct run {
    const struct topo_allgather *call;
    struct topo_node *node;
    const struct topo_node_steps *steps;
    struct topo_shm_buffer buffer;
    char *blocks; /* all blocks as they come: in the buffer or, without shared memory, elsewhere */
    size_t held;  /* bytes of them that are there, or will be when the step is through */
    bool stream;  /* copies of them go past the caches */
    int drivers;
    MPI_Request *request;
};

/* The rank of `node` that drives the messages of `pair`. */
static int driver_of(const struct run *run, int node, int pair)
{
    int ranks = topo_node_ranks(run->node->levels, node);
    return pair % (run->drivers < ranks ? run->drivers : ranks);
}

static int peer_of(const struct run *run, const struct topo_node_message *message)
{
    int position = run->node->levels->start[message->node] + driver_of(run, message->node, message->pair);
    return topo_tree_rank(run->call->comm->tree, position);
}

static bool is_mine(const struct run *run, const struct topo_node_message *message)
{
    return driver_of(run, run->node->index, message->pair) == run->node->local;
}

static size_t span_bytes(const struct run *run, const struct topo_span *span)
{
    return topo_allgather_before(run->call, span->first + span->count) - topo_allgather_before(run->call, span->first);
}

static size_t message_bytes(const struct run *run, const struct topo_node_message *message)
{
    size_t bytes = 0;
    if (!run->call->starts) /* blocks of one length */
        return (size_t)message->ranks * run->call->m;
    for (int s = 0; s < message->spans; s++)
        bytes += span_bytes(run, &run->steps->span[message->span + s]);
    return bytes;
}

/* The first position of this rank's node. */
static int first_position(const struct run *run)
{
    return run->node->levels->start[run->node->index];
}

/* Where the block of a position of this node lies. */
static char *block_of_node(const struct run *run, int position)
{
    return run->blocks + topo_allgather_before(run->call, position) -
           topo_allgather_before(run->call, first_position(run));
}

/* This rank's messages of one step; *received counts those that it takes in, or would. */
static int run_step(struct run *run, const struct topo_node_step *step, int *received)
{
    const struct topo_node_message *message = run->steps->message;
    const struct topo_node_message *out = &message[step->send], *in = &message[step->receive];
    const struct topo_channel *channel = run->call->channel;
    size_t held = run->held;
    int count = 0, code = MPI_SUCCESS;
    *received = 0;
    for (int i = 0; i < step->receives; i++) {
        size_t bytes = message_bytes(run, &in[i]);
        if (is_mine(run, &in[i])) {
            ++*received;
            if (code == MPI_SUCCESS)
                code = topo_irecv(run->blocks + run->held, bytes, peer_of(run, &in[i]), channel, &run->request[count]);
            count += code == MPI_SUCCESS;
        }
        run->held += bytes;
    }
    for (int i = 0; i < step->sends && code == MPI_SUCCESS; i++) {
        if (!is_mine(run, &out[i]))
            continue;
        code = topo_isend(run->blocks, held, peer_of(run, &out[i]), channel, &run->request[count]);
        count += code == MPI_SUCCESS;
    }
    int waited = PMPI_Waitall(count, run->request, MPI_STATUSES_IGNORE);
    return code != MPI_SUCCESS ? code : waited;
}

/* All steps on a rank that drives some of their messages. A step sends what
 * the one before has received, by whichever driver. */
static int run_steps(struct run *run)
{
    const struct topo_node_steps *steps = run->steps;
    int code = MPI_SUCCESS, needed = 0, received;
    for (int r = 0; r < steps->count; r++) {
        if (run->buffer.base)
            topo_shm_buffer_wait_parts(&run->buffer, needed);
        int failed = run_step(run, &steps->step[r], &received);
        /* Whatever went wrong here, the others must get on. */
        code = code != MPI_SUCCESS ? code : failed;
        needed += steps->step[r].receives;
        if (run->buffer.base)
            topo_shm_buffer_add(&run->buffer, received);
    }
    return code;
}

/* Copies a span, which lies at *held, into the result, and moves *held behind it. */
static int copy_span(const struct run *run, const struct topo_span *span, const char **held)
{
    const struct topo_allgather *call = run->call;
    size_t bytes = span_bytes(run, span);
    int code = MPI_SUCCESS;
    if (run->node->in_order && call->whole) {
        topo_copy(call->whole + topo_allgather_before(call, span->first), *held, bytes, run->stream);
        *held += bytes;
        return code;
    }
    for (int at = span->first; at < span->first + span->count && code == MPI_SUCCESS; at++) {
        const struct topo_span one = {at, 1};
        code = topo_allgather_place(call, topo_tree_rank(call->comm->tree, at), *held);
        *held += span_bytes(run, &one);
    }
    return code;
}

static int copy_out(const struct run *run)
{
    const struct topo_node_steps *steps = run->steps;
    const struct topo_span own = {first_position(run), run->node->ranks};
    const char *held = run->blocks;
    int code = copy_span(run, &own, &held);
    for (int r = 0; r < steps->count; r++)
        for (int i = 0; i < steps->step[r].receives; i++) {
            const struct topo_node_message *message = &steps->message[steps->step[r].receive + i];
            for (int s = 0; s < message->spans && code == MPI_SUCCESS; s++)
                code = copy_span(run, &steps->span[message->span + s], &held);
        }
    return code;
}

static int with_buffer(struct run *run)
{
    const struct topo_allgather *call = run->call;
    struct topo_node *node = run->node;
    int code = MPI_SUCCESS, drivers = run->drivers < node->ranks ? run->drivers : node->ranks;
    run->blocks = run->buffer.base;
    const struct topo_span own = {call->comm->position, 1};
    topo_copy(block_of_node(run, own.first), call->own, span_bytes(run, &own), false);
    topo_shm_buffer_arrive(&run->buffer);
    if (run->steps->receives > 0 && node->local < drivers) {
        topo_shm_buffer_wait_arrived(&run->buffer);
        code = run_steps(run);
    }
    topo_shm_buffer_close(&run->buffer);
    int copied = copy_out(run);
    return code != MPI_SUCCESS ? code : copied;
}

/* Without shared memory, or where nodes have one rank, the first rank of each collects, exchanges and gives out by
 * messages. */
static int with_messages(struct run *run)
{
    const struct topo_allgather *call = run->call;
    const struct topo_node *node = run->node;
    size_t all = topo_allgather_before(run->call, call->comm->ranks);
    int code = MPI_SUCCESS;
    const struct topo_span own = {call->comm->position, 1};
    char *taken = topo_scratch_take(all);
    run->blocks = taken;
    run->drivers = 1;
    if (!run->blocks)
        return MPI_ERR_NO_MEM;
    if (node->local > 0) {
        code = topo_send(call->own, span_bytes(run, &own), topo_node_member(node, 0), call->channel);
        if (code == MPI_SUCCESS)
            code = topo_recv(run->blocks, all, topo_node_member(node, 0), call->channel);
    } else {
        memcpy(block_of_node(run, own.first), call->own, span_bytes(run, &own));
        for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++) {
            const struct topo_span theirs = {own.first + i, 1};
            code = topo_recv(block_of_node(run, theirs.first), span_bytes(run, &theirs), topo_node_member(node, i),
                             call->channel);
        }
        if (code == MPI_SUCCESS)
            code = run_steps(run);
        for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
            code = topo_send(run->blocks, all, topo_node_member(node, i), call->channel);
    }
    if (code == MPI_SUCCESS)
        code = copy_out(run);
    topo_scratch_give(taken);
    return code;
}

/* Whether `auto` takes such a form for blocks of these lengths; equal on all ranks. Returns MPI_ERR_NO_MEM where that
 * cannot be found out. */
static int is_usual(const struct topo_allgather *call, bool *usual)
{
    const struct topo_comm *comm = call->comm;
    enum topo_operation operation = call->starts ? TOPO_OPERATION_allgatherv : TOPO_OPERATION_allgather;
    size_t ranks = (size_t)comm->ranks, mean = (topo_allgather_before(call, comm->ranks) + ranks - 1) / ranks;
    const struct topo_algorithm *takes = topo_select_on(&topo_job.tuning, operation, comm->tree, &comm->layout, mean);
    *usual = takes && (takes->id == TOPO_ALGORITHM_allgather_leader || takes->id == TOPO_ALGORITHM_allgather_radix ||
                       takes->id == TOPO_ALGORITHM_allgatherv_leader || takes->id == TOPO_ALGORITHM_allgatherv_radix);
    return takes ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int topo_gather_node_steps(const struct topo_allgather *call, enum topo_node_steps_use use, int radix, int drivers)
{
    const struct topo_parameters *given = &call->comm->call.parameters;
    struct run run = {.call = call, .node = topo_comm_node(call->comm), .drivers = topo_given(given->drivers, drivers)};
    int most, code;
    if (!run.node || !(run.steps = topo_node_steps_of(call->comm, use, topo_given(given->radix, radix))))
        return MPI_ERR_NO_MEM;
    most = topo_node_steps_requests(run.steps);
    run.request = topo_scratch_take((size_t)most * sizeof *run.request);
    if (!run.request)
        return MPI_ERR_NO_MEM;
    run.held = span_bytes(&run, &(struct topo_span){first_position(&run), run.node->ranks});
    run.stream = topo_allgather_before(call, call->comm->ranks) >= TOPO_COPY_STREAM;
    if (call->comm->layout.node_ranks_max == 1) { /* nothing to share */
        code = with_messages(&run);
    } else if (topo_shm_buffer_open(&run.buffer, call->comm->node, topo_allgather_before(call, call->comm->ranks),
                                    run.steps->receives)) {
        code = with_buffer(&run);
    } else {
        /* Found by all ranks alike: `auto` takes other forms from now on. What others ask for may be too much while
         * the memory that it needs is there. */
        bool usual;
        if ((code = is_usual(call, &usual)) == MPI_SUCCESS) {
            call->comm->layout.has_shm &= !usual;
            code = with_messages(&run);
        }
    }
    topo_scratch_give(run.request);
    return code;
}
