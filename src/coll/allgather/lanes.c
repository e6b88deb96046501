/* Allgather for long blocks: all ranks of a node drive the network exchange, piece
 * by piece, straight into and out of node-shared memory; every rank copies each
 * piece out of it once, as soon as it is there.
 *
 * Cost: (n - s) m beta for the link of a node with s ranks, the least there can
 * be, plus the time the first piece needs to arrive at the last node and one
 * turn's copies; inside the node (n + 1) m bytes copied by each rank meanwhile.
 *
 * The blocks travel in turns of at most `piece` bytes of each. A turn has a
 * window in the segment with one slot for each block, `windows` of them follow
 * each other in a circle. A slot's number says of which turn the piece is that
 * lies in it; `finished` of each rank says how many turns it has read and sent on.
 * A window is written anew when all ranks of the node have finished the turn that
 * was in it. Turns are counted over all calls of the communicator, so calls
 * overlap as turns do. Why nobody waits in a circle: levels/lanes.h. */
#include "coll/allgather/allgather.h"

#include <string.h>

#include "base/copy.h"
#include "coll/scratch.h"
#include "coll/transport.h"
#include "levels/lanes.h"

enum {
    PIECE = 32768,      /* bytes: short enough for MPI to send without asking (docs/LEVELS.md, long messages) */
    PIECE_LEAST = 1024, /* below this the segment is too small for so many ranks */
    WINDOWS_WANTED = 4,
    WINDOWS_MOST = 8,
    LINE = 64,
    RECEIVES = 32, /* posted at once */
    SENDS = 32,    /* under way at once */
    LOOK_AHEAD = 32
};

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_allgather *call;
    struct topo_shared *shared;
    const struct topo_lanes *lanes;
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint32_t *filled;   /* [windows][blocks] number of the turn in the slot + 1 */
    char *slots;
    size_t piece, stride;
    int windows, turns;
    int free_turns; /* turns below this one may be written */
    bool stream;    /* the result is larger than caches */
    char *out;      /* blocks in rank order; the receive buffer or, for other than plain memory, scratch */
    MPI_Request request[RECEIVES + SENDS];
    int turn_of[RECEIVES + SENDS], block_of[RECEIVES + SENDS];
    int active;
    int write_turn;
    int receive_turn, receive_task;
    int send_turn, send_task;
    int read_turn, read_from, read_left;
    bool *read; /* [blocks] of read_turn */
};

static size_t up(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static size_t slot_of(const struct run *run, int turn, int block)
{
    return (size_t)((run->shared->turn + (uint32_t)turn) % (uint32_t)run->windows) * (size_t)run->lanes->blocks +
           (size_t)block;
}

static size_t piece_bytes(const struct run *run, int turn)
{
    size_t from = (size_t)turn * run->piece;
    return run->call->m - from < run->piece ? run->call->m - from : run->piece;
}

static bool is_filled(const struct run *run, int turn, int block)
{
    return atomic_load_explicit(&run->filled[slot_of(run, turn, block)], memory_order_acquire) ==
           run->shared->turn + (uint32_t)turn + 1;
}

static void fill(const struct run *run, int turn, int block)
{
    atomic_store_explicit(&run->filled[slot_of(run, turn, block)], run->shared->turn + (uint32_t)turn + 1,
                          memory_order_release);
}

/* True when the window of `turn` may be written: everybody is through with what was there. */
static bool is_free(struct run *run, int turn)
{
    struct topo_shared *shared = run->shared;
    if (turn < run->free_turns)
        return true;
    /* Modulo 2^32; turns before `settled` lie across all windows. */
    uint32_t needed = shared->turn + (uint32_t)turn + 1 - (uint32_t)run->windows;
    if ((int32_t)(needed - shared->settled) < 0)
        needed = shared->settled;
    for (int i = 0; i < shared->ranks; i++)
        if (!topo_flag_reached(&run->finished[i], needed))
            return false;
    run->free_turns = turn + 1;
    return true;
}

/* Tells the node which turns this rank has read, and has sent on what it had to. */
static void finish_turns(struct run *run)
{
    int turn = run->read_turn < run->send_turn ? run->read_turn : run->send_turn;
    for (int i = 0; i < run->active; i++)
        if (run->turn_of[i] < turn)
            turn = run->turn_of[i];
    topo_flag_set(&run->finished[run->shared->local], run->shared->turn + (uint32_t)turn);
}

static int write_own(struct run *run)
{
    int turn = run->write_turn;
    if (turn == run->turns || !is_free(run, turn))
        return 0;
    topo_copy(run->slots + slot_of(run, turn, run->lanes->own) * run->stride,
              run->call->own + (size_t)turn * run->piece, piece_bytes(run, turn), false);
    fill(run, turn, run->lanes->own);
    run->write_turn++;
    return 1;
}

/* Reads one piece that is there; *code is an MPI error code. */
static int read_piece(struct run *run)
{
    const struct topo_lanes *lanes = run->lanes;
    const struct topo_comm *comm = run->call->comm;
    if (run->read_turn == run->turns)
        return 0;
    int end = run->read_from + LOOK_AHEAD < lanes->blocks ? run->read_from + LOOK_AHEAD : lanes->blocks;
    for (int block = run->read_from; block < end; block++) {
        if (run->read[block] || !is_filled(run, run->read_turn, block))
            continue;
        size_t at = (size_t)comm->order[lanes->position[block]] * run->call->m + (size_t)run->read_turn * run->piece;
        topo_copy(run->out + at, run->slots + slot_of(run, run->read_turn, block) * run->stride,
                  piece_bytes(run, run->read_turn), run->stream);
        run->read[block] = true;
        while (run->read_from < lanes->blocks && run->read[run->read_from])
            run->read_from++;
        if (run->read_from == lanes->blocks) {
            memset(run->read, 0, (size_t)lanes->blocks * sizeof *run->read);
            run->read_from = 0;
            run->read_turn++;
            finish_turns(run);
        }
        return 1;
    }
    return 0;
}

static int count_active(const struct run *run, bool receives)
{
    int count = 0;
    for (int i = 0; i < run->active; i++)
        count += (run->block_of[i] >= 0) == receives;
    return count;
}

/* Posts receives and starts sends that may go. */
static int start_messages(struct run *run, int *code)
{
    const struct topo_lanes *lanes = run->lanes;
    int moved = 0, posted = count_active(run, true), sent = run->active - posted;
    while (posted < RECEIVES && lanes->receives && run->receive_turn < run->turns && is_free(run, run->receive_turn) &&
           *code == MPI_SUCCESS) {
        const struct topo_lane_task *task = &lanes->receive[run->receive_task];
        *code = topo_irecv(run->slots + slot_of(run, run->receive_turn, task->block) * run->stride,
                           piece_bytes(run, run->receive_turn), run->call->comm->order[task->peer], run->call->channel,
                           &run->request[run->active]);
        run->turn_of[run->active] = run->receive_turn;
        run->block_of[run->active++] = task->block;
        posted++;
        moved = 1;
        if (++run->receive_task == lanes->receives) {
            run->receive_task = 0;
            run->receive_turn++;
        }
    }
    while (sent < SENDS && lanes->sends && run->send_turn < run->turns && *code == MPI_SUCCESS) {
        const struct topo_lane_task *task = &lanes->send[run->send_task];
        if (!is_filled(run, run->send_turn, task->block))
            break;
        *code = topo_isend(run->slots + slot_of(run, run->send_turn, task->block) * run->stride,
                           piece_bytes(run, run->send_turn), run->call->comm->order[task->peer], run->call->channel,
                           &run->request[run->active]);
        run->turn_of[run->active] = run->send_turn;
        run->block_of[run->active++] = -1;
        sent++;
        moved = 1;
        if (++run->send_task == lanes->sends) {
            run->send_task = 0;
            run->send_turn++;
        }
    }
    return moved;
}

/* Takes in what has arrived and drops what was sent. */
static int end_messages(struct run *run, int *code)
{
    int done = 0, index[RECEIVES + SENDS];
    if (!run->active)
        return 0;
    *code = PMPI_Testsome(run->active, run->request, &done, index, MPI_STATUSES_IGNORE);
    if (*code != MPI_SUCCESS || done == MPI_UNDEFINED || done == 0)
        return 0;
    bool sent = false;
    for (int i = 0; i < done; i++) {
        if (run->block_of[index[i]] >= 0)
            fill(run, run->turn_of[index[i]], run->block_of[index[i]]);
        else
            sent = true;
    }
    int kept = 0;
    for (int i = 0; i < run->active; i++) {
        if (run->request[i] == MPI_REQUEST_NULL)
            continue;
        run->request[kept] = run->request[i];
        run->turn_of[kept] = run->turn_of[i];
        run->block_of[kept++] = run->block_of[i];
    }
    run->active = kept;
    if (sent)
        finish_turns(run);
    return 1;
}

static int run_turns(struct run *run)
{
    int code = MPI_SUCCESS, idle = 0;
    if (!run->lanes->receives)
        run->receive_turn = run->turns;
    if (!run->lanes->sends)
        run->send_turn = run->turns;
    while (code == MPI_SUCCESS && (run->active || run->write_turn < run->turns || run->read_turn < run->turns ||
                                   run->receive_turn < run->turns || run->send_turn < run->turns)) {
        int moved = end_messages(run, &code);
        moved |= write_own(run);
        moved |= start_messages(run, &code);
        moved |= read_piece(run);
        if (moved) {
            idle = 0;
            continue;
        }
        if (!run->active && idle % 4 == 3)
            topo_progress(&run->shared->patience);
        topo_idle(&idle, &run->shared->patience);
    }
    finish_turns(run);
    run->shared->turn += (uint32_t)run->turns;
    return code;
}

/* Bytes of the segment before the slots: equal on all nodes. */
static size_t header_bytes(const struct topo_comm *comm)
{
    return up((size_t)comm->layout.node_ranks_max * sizeof(struct topo_flag) +
                  (size_t)WINDOWS_MOST * (size_t)comm->ranks * sizeof(uint32_t),
              4096);
}

/* Finds the sizes of pieces and lays the segment out; false when there is none to use. */
static bool lay_out(struct run *run)
{
    struct topo_comm *comm = run->call->comm;
    struct topo_shared *shared = run->shared;
    size_t m = run->call->m, blocks = (size_t)comm->ranks, header = header_bytes(comm);
    size_t turns = (m + PIECE - 1) / PIECE, stride = up((m + turns - 1) / turns, LINE);
    bool fresh, anew = false;
    bool there = topo_shared_reserve(comm, TOPO_SEGMENT_PIECES, header + 2 * blocks * stride,
                                     header + WINDOWS_WANTED * blocks * stride, &fresh);
    anew |= fresh;
    if (!there)
        there = topo_shared_reserve(comm, TOPO_SEGMENT_PIECES, header + 2 * blocks * PIECE_LEAST,
                                    header + 2 * blocks * PIECE_LEAST, &fresh);
    anew |= fresh;
    if (!there)
        return false;
    const struct topo_segment *segment = &shared->segment[TOPO_SEGMENT_PIECES];
    size_t room = (segment->bytes - header) / blocks;
    if (room / 2 < stride)
        stride = room / 2 / LINE * LINE;
    if (anew) {
        shared->turn = shared->settled = 0;
        shared->stride = stride;
    } else if (shared->stride != stride) {
        shared->settled = shared->turn;
        shared->stride = stride;
    }
    run->windows = room / stride < WINDOWS_MOST ? (int)(room / stride) : WINDOWS_MOST;
    run->stride = stride;
    run->piece = stride;
    run->turns = (int)((m + stride - 1) / stride);
    run->finished = (struct topo_flag *)segment->base;
    run->filled = (_Atomic uint32_t *)(segment->base + (size_t)comm->layout.node_ranks_max * sizeof(struct topo_flag));
    run->slots = segment->base + header;
    return true;
}

int topo_allgather_lanes(const struct topo_allgather *call)
{
    struct run run = {.call = call, .shared = topo_shared_of(call->comm)};
    size_t all = (size_t)call->comm->ranks * call->m;
    char *taken = NULL;
    int code = MPI_ERR_NO_MEM;
    if (!run.shared)
        return MPI_ERR_NO_MEM;
    if (!run.shared->lanes)
        topo_lanes_new(run.shared->levels, run.shared->node, run.shared->local, TOPO_PATH_RING, &run.shared->lanes);
    if (!run.shared->lanes)
        return MPI_ERR_NO_MEM;
    if (!lay_out(&run)) {
        call->comm->layout.shares = false; /* found by all ranks alike: `auto` takes other forms from now on */
        return topo_allgather_ring(call);
    }
    run.lanes = run.shared->lanes;
    run.read = topo_scratch_take((size_t)call->comm->ranks * sizeof *run.read);
    if (!call->receive.contiguous)
        taken = topo_scratch_take(all);
    run.stream = all >= TOPO_COPY_STREAM;
    run.out = call->receive.contiguous ? call->receive.base : taken;
    if (run.read && run.out) {
        memset(run.read, 0, (size_t)call->comm->ranks * sizeof *run.read);
        code = run_turns(&run);
        for (int rank = 0; rank < call->comm->ranks && taken && code == MPI_SUCCESS; rank++)
            code = topo_allgather_place(call, rank, taken + (size_t)rank * call->m);
    }
    topo_scratch_give(run.read);
    topo_scratch_give(taken);
    return code;
}
