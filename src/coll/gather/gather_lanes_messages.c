/* The messages of allgather(v) `lanes`, and the turns that they hold up. */
#include "coll/gather/gather_lanes.h"

#include <string.h>

#include "coll/transport.h"

enum { FIRST_TAG = 16 };

bool topo_pieces_free(struct topo_pieces *run, int turn)
{
    struct topo_shared *shared = run->shared;
    if (turn < run->free_turns)
        return true;
    uint32_t needed = topo_turns_before(shared->turn + (uint64_t)turn, run->windows, shared->settled);
    for (int i = 0; i < shared->ranks; i++)
        if (!topo_flag_reached(&run->finished[i], needed))
            return false;
    run->free_turns = turn + 1;
    return true;
}

void topo_pieces_finish(struct topo_pieces *run)
{
    int turn = run->read_turn < run->send_turn ? run->read_turn : run->send_turn;
    for (int i = 0; i < run->active; i++)
        if (run->turn_of[i] < turn)
            turn = run->turn_of[i];
    topo_flag_set(&run->finished[run->shared->local], (uint32_t)(run->shared->turn + (uint64_t)turn));
}

/* From *task of *turn on, the next one whose block has a piece; *turn is `turns` when none has. */
static void find_task(const struct topo_pieces *run, const struct topo_lane_task *tasks, int count, int *turn,
                      int *task)
{
    if (count == 0)
        *turn = run->turns;
    while (*turn < run->turns && (*task == count || !topo_pieces_has(run, *turn, tasks[*task].block)))
        if (++*task >= count) {
            *task = 0;
            ++*turn;
        }
}

void topo_pieces_begin(struct topo_pieces *run)
{
    const struct topo_lanes *lanes = run->lanes;
    find_task(run, lanes->receive, lanes->receives, &run->receive_turn, &run->receive_task);
    find_task(run, lanes->send, lanes->sends, &run->send_turn, &run->send_task);
}

/* Whether a piece was sent; those of TOPO_PIECES_WINDOWS_MOST turns are told apart. */
static bool *sent_mark(const struct topo_pieces *run, int turn, int task)
{
    return &run->sent[turn % TOPO_PIECES_WINDOWS_MOST * run->lanes->sends + task];
}

/* From *task of *turn on, the next piece that is to be sent and was not. */
static void find_unsent(const struct topo_pieces *run, int *turn, int *task)
{
    const struct topo_lanes *lanes = run->lanes;
    find_task(run, lanes->send, lanes->sends, turn, task);
    while (*turn < run->turns && *sent_mark(run, *turn, *task)) {
        ++*task;
        find_task(run, lanes->send, lanes->sends, turn, task);
    }
}

/* The first piece to be sent that is there; false: none of the next few. */
static bool find_sendable(const struct topo_pieces *run, int *turn, int *task)
{
    *turn = run->send_turn;
    *task = run->send_task;
    for (int i = 0; i < TOPO_PIECES_LOOK_AHEAD && *turn < run->turns && *turn < run->send_turn + run->ahead; i++) {
        if (topo_pieces_filled(run, *turn, run->lanes->send[*task].block))
            return true;
        ++*task;
        find_unsent(run, turn, task);
    }
    return false;
}

/* Pieces between two ranks need not be sent in the order in which they are awaited. */
static int tag_of(const struct topo_pieces *run, int turn, int block)
{
    return FIRST_TAG + turn % TOPO_PIECES_WINDOWS_MOST * run->lanes->blocks + run->lanes->position[block];
}

static int send_piece(struct topo_pieces *run, int turn, int task)
{
    const struct topo_lane_task *to = &run->lanes->send[task];
    int code =
        topo_isend_typed(run->slots + topo_pieces_slot(run, turn, to->block) * run->stride,
                         (int)topo_pieces_bytes(run, turn, to->block), MPI_BYTE, run->call->comm->order[to->peer],
                         tag_of(run, turn, to->block), run->call->channel, &run->request[run->active]);
    run->turn_of[run->active] = turn;
    run->block_of[run->active++] = -1;
    *sent_mark(run, turn, task) = true;
    /* At once, beyond what has no piece: topo_pieces_finish() comes when this message is through. */
    int before = run->send_turn;
    find_unsent(run, &run->send_turn, &run->send_task);
    for (int done = before; done < run->send_turn && done < before + TOPO_PIECES_WINDOWS_MOST; done++)
        memset(sent_mark(run, done, 0), 0, (size_t)run->lanes->sends * sizeof *run->sent);
    return code;
}

static int count_active(const struct topo_pieces *run, bool receives)
{
    int count = 0;
    for (int i = 0; i < run->active; i++)
        count += (run->block_of[i] >= 0) == receives;
    return count;
}

int topo_pieces_start(struct topo_pieces *run, int *code)
{
    const struct topo_lanes *lanes = run->lanes;
    int moved = 0, posted = count_active(run, true), sent = run->active - posted;
    while (posted < TOPO_PIECES_RECEIVES && run->receive_turn < run->turns &&
           topo_pieces_free(run, run->receive_turn) && *code == MPI_SUCCESS) {
        const struct topo_lane_task *task = &lanes->receive[run->receive_task];
        *code = topo_irecv_typed(run->slots + topo_pieces_slot(run, run->receive_turn, task->block) * run->stride,
                                 (int)topo_pieces_bytes(run, run->receive_turn, task->block), MPI_BYTE,
                                 run->call->comm->order[task->peer], tag_of(run, run->receive_turn, task->block),
                                 run->call->channel, &run->request[run->active]);
        run->turn_of[run->active] = run->receive_turn;
        run->block_of[run->active++] = task->block;
        posted++;
        moved = 1;
        run->receive_task++;
        find_task(run, lanes->receive, lanes->receives, &run->receive_turn, &run->receive_task);
    }
    /* What is there may go before what is not, so that the link is not idle. But half of the places are kept for
     * the first in order: the others' receivers may wait for just that one before they make room for more. */
    int turn, task;
    while (sent < TOPO_PIECES_SENDS && *code == MPI_SUCCESS && find_sendable(run, &turn, &task)) {
        bool first = turn == run->send_turn && task == run->send_task;
        if (!first && sent >= TOPO_PIECES_SENDS / 2)
            break;
        *code = send_piece(run, turn, task);
        sent++;
        moved = 1;
    }
    return moved;
}

int topo_pieces_end(struct topo_pieces *run, int *code)
{
    int done = 0, index[TOPO_PIECES_RECEIVES + TOPO_PIECES_SENDS];
    if (!run->active)
        return 0;
    *code = topo_testsome(run->active, run->request, &done, index);
    if (*code != MPI_SUCCESS || done == MPI_UNDEFINED || done == 0)
        return 0;
    bool sent = false;
    for (int i = 0; i < done; i++) {
        if (run->block_of[index[i]] >= 0)
            topo_pieces_fill(run, run->turn_of[index[i]], run->block_of[index[i]]);
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
        topo_pieces_finish(run);
    return 1;
}
