/* Allgather(v) for long blocks: all ranks of a node drive the network exchange, piece
 * by piece, straight into and out of node-shared memory; every rank copies each
 * piece out of it once, as soon as it is there.
 *
 * Cost: (n - s) m beta for the link of a node with s ranks, the least there can
 * be, plus the time the first piece needs to arrive at the last node and one
 * turn's copies; inside the node (n + 1) m bytes copied by each rank meanwhile.
 *
 * The blocks travel in turns of at most `stride` bytes of each. A block that is
 * shorter than others has no piece in the later turns: nobody writes, sends or
 * waits for it there; every turn has a piece of the longest one. A turn has a
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

/* A block as this rank gets it. */
struct block {
    size_t bytes;
    int pieces;
    bool read; /* its piece of read_turn, or there is none */
    char *place;
};

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_allgather *call;
    struct topo_shared *shared;
    const struct topo_lanes *lanes;
    struct topo_flag *finished; /* [ranks of the node] */
    _Atomic uint32_t *filled;   /* [windows][blocks] number of the turn in the slot + 1 */
    char *slots;
    size_t stride; /* bytes of a piece, but for a block's last one, and of its slot */
    int windows, turns;
    int free_turns;      /* turns below this one may be written */
    bool stream;         /* the result is larger than caches */
    struct block *block; /* [blocks] in the order of `lanes` */
    MPI_Request request[RECEIVES + SENDS];
    int turn_of[RECEIVES + SENDS], block_of[RECEIVES + SENDS];
    int active;
    int write_turn; /* of the own pieces */
    int receive_turn, receive_task;
    int send_turn, send_task;
    int read_turn, read_from;
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

static bool has_piece(const struct run *run, int turn, int block)
{
    return turn < run->block[block].pieces;
}

static size_t piece_bytes(const struct run *run, int turn, int block)
{
    size_t left = run->block[block].bytes - (size_t)turn * run->stride;
    return left < run->stride ? left : run->stride;
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
    int turn = run->write_turn, own = run->lanes->own;
    if (!has_piece(run, turn, own) || !is_free(run, turn))
        return 0;
    topo_copy(run->slots + slot_of(run, turn, own) * run->stride, run->call->own + (size_t)turn * run->stride,
              piece_bytes(run, turn, own), false);
    fill(run, turn, own);
    run->write_turn++;
    return 1;
}

/* The next piece of read_turn that is to be read, or else the next turn. */
static void find_unread(struct run *run)
{
    int blocks = run->lanes->blocks;
    while (run->read_from < blocks && run->block[run->read_from].read)
        run->read_from++;
    if (run->read_from < blocks)
        return;
    run->read_turn++;
    run->read_from = blocks;
    for (int block = blocks - 1; block >= 0; block--) {
        run->block[block].read = !has_piece(run, run->read_turn, block);
        run->read_from = run->block[block].read ? run->read_from : block;
    }
    finish_turns(run);
}

/* Reads one piece that is there. */
static int read_piece(struct run *run)
{
    if (run->read_turn == run->turns)
        return 0;
    int end = run->read_from + LOOK_AHEAD < run->lanes->blocks ? run->read_from + LOOK_AHEAD : run->lanes->blocks;
    for (int i = run->read_from; i < end; i++) {
        struct block *block = &run->block[i];
        if (block->read || !is_filled(run, run->read_turn, i))
            continue;
        topo_copy(block->place + (size_t)run->read_turn * run->stride,
                  run->slots + slot_of(run, run->read_turn, i) * run->stride, piece_bytes(run, run->read_turn, i),
                  run->stream);
        block->read = true;
        find_unread(run);
        return 1;
    }
    return 0;
}

/* From *task of *turn on, the next one whose block has a piece; *turn is `turns` when none has. */
static void find_task(const struct run *run, const struct topo_lane_task *tasks, int count, int *turn, int *task)
{
    if (count == 0)
        *turn = run->turns;
    while (*turn < run->turns && (*task == count || !has_piece(run, *turn, tasks[*task].block)))
        if (++*task >= count) {
            *task = 0;
            ++*turn;
        }
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
    while (posted < RECEIVES && run->receive_turn < run->turns && is_free(run, run->receive_turn) &&
           *code == MPI_SUCCESS) {
        const struct topo_lane_task *task = &lanes->receive[run->receive_task];
        *code = topo_irecv(run->slots + slot_of(run, run->receive_turn, task->block) * run->stride,
                           piece_bytes(run, run->receive_turn, task->block), run->call->comm->order[task->peer],
                           run->call->channel, &run->request[run->active]);
        run->turn_of[run->active] = run->receive_turn;
        run->block_of[run->active++] = task->block;
        posted++;
        moved = 1;
        run->receive_task++;
        find_task(run, lanes->receive, lanes->receives, &run->receive_turn, &run->receive_task);
    }
    while (sent < SENDS && run->send_turn < run->turns && *code == MPI_SUCCESS) {
        const struct topo_lane_task *task = &lanes->send[run->send_task];
        if (!is_filled(run, run->send_turn, task->block))
            break;
        *code = topo_isend(run->slots + slot_of(run, run->send_turn, task->block) * run->stride,
                           piece_bytes(run, run->send_turn, task->block), run->call->comm->order[task->peer],
                           run->call->channel, &run->request[run->active]);
        run->turn_of[run->active] = run->send_turn;
        run->block_of[run->active++] = -1;
        sent++;
        moved = 1;
        /* At once, beyond what has no piece: finish_turns() comes when this message is through. */
        run->send_task++;
        find_task(run, lanes->send, lanes->sends, &run->send_turn, &run->send_task);
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
    const struct topo_lanes *lanes = run->lanes;
    int code = MPI_SUCCESS, idle = 0, own = run->block[lanes->own].pieces;
    find_unread(run);
    find_task(run, lanes->receive, lanes->receives, &run->receive_turn, &run->receive_task);
    find_task(run, lanes->send, lanes->sends, &run->send_turn, &run->send_task);
    while (code == MPI_SUCCESS && (run->active || run->write_turn < own || run->read_turn < run->turns ||
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
    size_t m = topo_allgather_longest(run->call), blocks = (size_t)comm->ranks, header = header_bytes(comm);
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
    run->turns = (int)((m + stride - 1) / stride);
    run->finished = (struct topo_flag *)segment->base;
    run->filled = (_Atomic uint32_t *)(segment->base + (size_t)comm->layout.node_ranks_max * sizeof(struct topo_flag));
    run->slots = segment->base + header;
    return true;
}

/* Fills block[]; `taken` gets the blocks where they cannot be written into the receive buffer as they are. */
static void describe_blocks(struct run *run, char *taken)
{
    const struct topo_allgather *call = run->call;
    for (int i = 0; i < run->lanes->blocks; i++) {
        int position = run->lanes->position[i];
        struct topo_data data = topo_allgather_block(call, call->comm->order[position]);
        run->block[i] = (struct block){.bytes = data.bytes,
                                       .pieces = (int)((data.bytes + run->stride - 1) / run->stride),
                                       .read = data.bytes == 0,
                                       .place = taken ? taken + topo_allgather_before(call, position) : data.base};
    }
}

int topo_allgather_lanes(const struct topo_allgather *call)
{
    struct run run = {.call = call, .shared = topo_shared_of(call->comm)};
    size_t all = topo_allgather_before(call, call->comm->ranks);
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
    run.block = topo_scratch_take((size_t)run.lanes->blocks * sizeof *run.block);
    if (!call->receive.contiguous)
        taken = topo_scratch_take(all);
    run.stream = all >= TOPO_COPY_STREAM;
    if (run.block && (call->receive.contiguous || taken)) {
        describe_blocks(&run, taken);
        code = run_turns(&run);
        for (int i = 0; i < run.lanes->blocks && taken && code == MPI_SUCCESS; i++)
            code = topo_allgather_place(call, call->comm->order[run.lanes->position[i]], run.block[i].place);
    }
    topo_scratch_give(run.block);
    topo_scratch_give(taken);
    return code;
}
