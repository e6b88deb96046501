/* Every rank puts its block into the node's area (node/shm_buffer.h), where all blocks
 * have a place in tree order. The drivers send what the node holds and receive the
 * rest, round by round; the parts of the work are the messages taken in. Then all
 * copy out. */
#include "coll/gather/gather_node_steps.h"

#include <string.h>

#include "base/copy.h"
#include "node/shm_buffer.h"
#include "coll/node_steps.h"
#include "coll/scratch.h"
#include "coll/transport.h"
#include "job/job.h"
#include "select/by_model.h"

/* One call on this rank. */
struct run {
    const struct topo_allgather *call;
    struct topo_shared *shared;
    const struct topo_rounds *rounds;
    struct topo_area area;
    char *blocks; /* all blocks in tree order: in the area or, without shared memory, elsewhere */
    int drivers;
    MPI_Request *request;
    char **packed;
};

/* The rank of `node` that drives the messages of `channel`. */
static int driver_of(const struct run *run, int node, int channel)
{
    int ranks = topo_node_ranks(run->shared->levels, node);
    return channel % (run->drivers < ranks ? run->drivers : ranks);
}

static int peer_of(const struct run *run, const struct topo_round_message *message)
{
    int position = run->shared->levels->start[message->node] + driver_of(run, message->node, message->channel);
    return run->call->comm->order[position];
}

static bool is_mine(const struct run *run, const struct topo_round_message *message)
{
    return driver_of(run, run->shared->node, message->channel) == run->shared->local;
}

static char *block_at(const struct run *run, int position)
{
    return run->blocks + topo_allgather_before(run->call, position);
}

static size_t span_bytes(const struct run *run, const struct topo_span *span)
{
    return topo_allgather_before(run->call, span->first + span->count) - topo_allgather_before(run->call, span->first);
}

static size_t message_bytes(const struct run *run, const struct topo_round_message *message)
{
    size_t bytes = 0;
    for (int s = 0; s < message->spans; s++)
        bytes += span_bytes(run, &run->rounds->span[message->span + s]);
    return bytes;
}

/* Copies the blocks of a message between their places and consecutive memory. */
static void copy_spans(const struct run *run, const struct topo_round_message *message, char *packed, bool in)
{
    for (int s = 0; s < message->spans; s++) {
        const struct topo_span *span = &run->rounds->span[message->span + s];
        char *here = block_at(run, span->first);
        size_t bytes = span_bytes(run, span);
        topo_copy(in ? here : packed, in ? packed : here, bytes, false);
        packed += bytes;
    }
}

/* Where a message lies: in place if its blocks are consecutive there, else in a
 * block of scratch memory kept in *packed. */
static char *place_of(const struct run *run, const struct topo_round_message *message, char **packed)
{
    *packed = NULL;
    if (message->spans == 1)
        return block_at(run, run->rounds->span[message->span].first);
    return *packed = topo_scratch_take(message_bytes(run, message));
}

/* This rank's messages of one round; *received counts those that it takes in, or would. */
static int play_round(struct run *run, const struct topo_round *round, int *received)
{
    const struct topo_round_message *message = run->rounds->message;
    const struct topo_round_message *out = &message[round->send], *in = &message[round->receive];
    const struct topo_channel *channel = run->call->channel;
    char *place, *sent = NULL, *packed = NULL; /* all messages sent in a round carry the same */
    int receives = 0, count = 0, code = MPI_SUCCESS;
    for (int i = 0; i < round->receives && code == MPI_SUCCESS; i++) {
        if (!is_mine(run, &in[i]))
            continue;
        place = place_of(run, &in[i], &run->packed[receives]);
        code = place
                   ? topo_irecv(place, message_bytes(run, &in[i]), peer_of(run, &in[i]), channel, &run->request[count])
                   : MPI_ERR_NO_MEM;
        receives++;
        count += code == MPI_SUCCESS;
    }
    for (int i = 0; i < round->sends && code == MPI_SUCCESS; i++) {
        if (!is_mine(run, &out[i]))
            continue;
        if (!sent && (sent = place_of(run, &out[i], &packed)) && packed)
            copy_spans(run, &out[i], packed, false);
        code = sent
                   ? topo_isend(sent, message_bytes(run, &out[i]), peer_of(run, &out[i]), channel, &run->request[count])
                   : MPI_ERR_NO_MEM;
        count += code == MPI_SUCCESS;
    }
    int waited = PMPI_Waitall(count, run->request, MPI_STATUSES_IGNORE);
    for (int i = 0, at = 0; i < round->receives && at < receives; i++) {
        if (!is_mine(run, &in[i]))
            continue;
        if (run->packed[at])
            copy_spans(run, &in[i], run->packed[at], true);
        topo_scratch_give(run->packed[at++]);
    }
    topo_scratch_give(packed);
    *received = 0;
    for (int i = 0; i < round->receives; i++)
        *received += is_mine(run, &in[i]);
    return code != MPI_SUCCESS ? code : waited;
}

/* All rounds on a rank that drives some of their messages. A round sends what
 * the one before has received, by whichever driver. */
static int drive(struct run *run)
{
    const struct topo_rounds *rounds = run->rounds;
    int code = MPI_SUCCESS, needed = 0, received;
    for (int r = 0; r < rounds->count; r++) {
        if (run->area.header)
            topo_area_wait_parts(&run->area, needed);
        int failed = play_round(run, &rounds->round[r], &received);
        /* Whatever went wrong here, the others must get on. */
        code = code != MPI_SUCCESS ? code : failed;
        needed += rounds->round[r].receives;
        if (run->area.header)
            topo_area_add(&run->area, received);
    }
    return code;
}

static int copy_out(const struct run *run)
{
    const struct topo_allgather *call = run->call;
    int code = MPI_SUCCESS;
    if (run->shared->in_order && call->whole) {
        size_t bytes = topo_allgather_before(run->call, call->comm->ranks);
        topo_copy(call->whole, run->blocks, bytes, bytes >= TOPO_COPY_STREAM);
        return code;
    }
    for (int at = 0; at < call->comm->ranks && code == MPI_SUCCESS; at++)
        code = topo_allgather_place(call, call->comm->order[at], block_at(run, at));
    return code;
}

static int with_area(struct run *run)
{
    const struct topo_allgather *call = run->call;
    struct topo_shared *shared = run->shared;
    int code = MPI_SUCCESS, drivers = run->drivers < shared->ranks ? run->drivers : shared->ranks;
    run->blocks = run->area.base;
    const struct topo_span own = {call->comm->position, 1};
    topo_copy(block_at(run, own.first), call->own, span_bytes(run, &own), false);
    topo_area_arrive(&run->area);
    if (run->rounds->receives > 0 && shared->local < drivers) {
        topo_area_wait_arrived(&run->area);
        code = drive(run);
    }
    topo_area_close(&run->area);
    int copied = copy_out(run);
    return code != MPI_SUCCESS ? code : copied;
}

/* Without shared memory the first rank of each node collects, exchanges and gives out by messages. */
static int with_messages(struct run *run)
{
    const struct topo_allgather *call = run->call;
    const struct topo_shared *shared = run->shared;
    size_t all = topo_allgather_before(run->call, call->comm->ranks);
    int first = shared->levels->start[shared->node], code = MPI_SUCCESS;
    const struct topo_span own = {call->comm->position, 1};
    const int *members = call->comm->order + first;
    bool direct = shared->in_order && call->whole;
    char *taken = direct ? NULL : topo_scratch_take(all);
    run->blocks = direct ? call->whole : taken;
    run->drivers = 1;
    if (!run->blocks)
        return MPI_ERR_NO_MEM;
    if (shared->local > 0) {
        code = topo_send(call->own, span_bytes(run, &own), members[0], call->channel);
        if (code == MPI_SUCCESS)
            code = topo_recv(run->blocks, all, members[0], call->channel);
    } else {
        if (block_at(run, first) != call->own)
            memcpy(block_at(run, first), call->own, span_bytes(run, &own));
        for (int i = 1; i < shared->ranks && code == MPI_SUCCESS; i++) {
            const struct topo_span theirs = {first + i, 1};
            code = topo_recv(block_at(run, first + i), span_bytes(run, &theirs), members[i], call->channel);
        }
        if (code == MPI_SUCCESS)
            code = drive(run);
        for (int i = 1; i < shared->ranks && code == MPI_SUCCESS; i++)
            code = topo_send(run->blocks, all, members[i], call->channel);
    }
    if (code == MPI_SUCCESS && !direct)
        code = copy_out(run);
    topo_scratch_give(taken);
    return code;
}

/* True when `auto` takes such a form for blocks of these lengths; equal on all ranks. */
static bool is_usual(const struct topo_allgather *call)
{
    const struct topo_comm *comm = call->comm;
    enum topo_operation operation = call->starts ? TOPO_OPERATION_allgatherv : TOPO_OPERATION_allgather;
    size_t ranks = (size_t)comm->ranks, mean = (topo_allgather_before(call, comm->ranks) + ranks - 1) / ranks;
    switch (topo_select_on(&topo_job.tuning, operation, comm->tree, &comm->layout, mean)->id) {
    case TOPO_ALGORITHM_allgather_leader:
    case TOPO_ALGORITHM_allgather_radix:
    case TOPO_ALGORITHM_allgatherv_leader:
    case TOPO_ALGORITHM_allgatherv_radix: return true;
    default: return false;
    }
}

int topo_allgather_rounds(const struct topo_allgather *call, enum topo_rounds_use use, int radix, int drivers)
{
    struct run run = {.call = call, .shared = topo_shared_of(call->comm), .drivers = drivers};
    int most, code;
    if (!run.shared || !(run.rounds = topo_rounds_of(call->comm, use, radix)))
        return MPI_ERR_NO_MEM;
    most = topo_rounds_requests(run.rounds);
    run.request = topo_scratch_take((size_t)most * (sizeof *run.request + sizeof *run.packed));
    if (!run.request)
        return MPI_ERR_NO_MEM;
    run.packed = (char **)(run.request + most);
    if (topo_area_open(&run.area, call->comm, topo_allgather_before(call, call->comm->ranks), run.rounds->receives)) {
        code = with_area(&run);
    } else {
        /* Found by all ranks alike: `auto` takes other forms from now on. What others ask for may be too much while
         * the memory that it needs is there. */
        call->comm->layout.shares &= !is_usual(call);
        code = with_messages(&run);
    }
    topo_scratch_give(run.request);
    return code;
}
