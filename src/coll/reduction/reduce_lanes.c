/* One call of a reduction in turns through node-shared memory. What a rank does for a turn:
 *   writes its operands, but for the pieces that it drives itself;
 *   when all of the node have written: adds up the pieces it drives, in the order of
 *     the ranks, then with the partial sums of other nodes as they arrive, and sends
 *     each sum to the node the piece belongs to;
 *   sends the results of its node's own pieces out, takes in those of others, where they
 *     go back;
 *   reads all results, if it gets them.
 * `written` and `finished` of each rank say how many turns it has written and done
 * with, `filled` of each piece which turn's result is there. A window is written
 * anew when all ranks of the node have finished the turn that was in it. Turns are
 * counted over all calls of the communicator, so calls overlap as turns do. Nobody
 * waits in a circle: docs/LEVELS.md. */
#include "coll/reduction/reduce_lanes.h"

#include <string.h>

#include "coll/scratch.h"
#include "coll/transport.h"

enum {
    FIRST_TAG = 16,
    /* Turns that can be under way at once between two ranks are fewer: a node gets
     * ahead of another one by its windows at most. */
    TAG_TURNS = 2 * TOPO_LANES_WINDOWS_MOST,
    LOOK_AHEAD = 32,
    /* Where no results go back, the partial sums of every so many turns are waited for: a node that is
     * ahead would fill another one's memory otherwise. */
    ROUND = TOPO_LANES_WINDOWS_MOST
};

/* Messages of a turn, by their place among the requests of a window: from each
 * child a partial sum and to it the result, for each task the sum to the parent and
 * the result from it. */
enum kind { PARTIAL_IN, RESULT_OUT, PARTIAL_OUT, RESULT_IN };

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_vector *vector;
    const struct topo_comm *comm;
    struct topo_shared *shared;
    const struct topo_sums *sums;
    const struct topo_lanes_layout *layout;
    const struct topo_lanes_hand *hand;
    int messages;         /* of a turn */
    MPI_Request *request; /* [windows][messages] */
    int *missing;         /* [windows][tasks] operands that a sum waits for */
    int *open;            /* [windows] messages that are not through */
    char *partials;       /* [windows][children] places for partial sums */
    struct topo_bench bench;
    int *indices;
    bool *read; /* [pieces] of read_turn */
    int begun, read_turn, read_from;
    int sum_turn, sum_task;
    int active; /* messages under way */
    int done;   /* turns finished by this rank */
    int code;
};

static size_t window_of(const struct run *run, int turn)
{
    return topo_lanes_window(run->layout, turn);
}

static int count_of(const struct run *run, int turn, int piece)
{
    return topo_lanes_count(run->layout, turn, piece);
}

static char *result_place(const struct run *run, int turn, int piece)
{
    return topo_lanes_place(run->layout, turn, run->layout->rows, piece);
}

/* Where the node adds up its operands: in the place of rank 0's, or, where the sum ends up there, in that of the
 * result. */
static char *own_place(const struct run *run, int turn, int piece)
{
    return piece < run->sums->in_place ? result_place(run, turn, piece) : topo_lanes_place(run->layout, turn, 0, piece);
}

static bool drives(const struct run *run, int piece)
{
    return piece % run->sums->slices % run->shared->ranks == run->shared->local;
}

/* Operand i of a task's sum, as struct topo_sum_step has it. */
static char *operand(const struct run *run, int turn, const struct topo_sum_task *task, int i)
{
    if (i == 0)
        return own_place(run, turn, task->piece);
    if (task->parent < 0 && i == task->total)
        return result_place(run, turn, task->piece);
    size_t at = window_of(run, turn) * (size_t)run->sums->children + (size_t)(task->child + i - 1);
    return run->partials + at * run->layout->stride;
}

/* True when all ranks of the node are through with `turns` turns, modulo 2^32. */
static bool all_reached(const struct run *run, const struct topo_flag *flag, uint32_t turns)
{
    for (int i = 0; i < run->shared->ranks; i++)
        if (!topo_flag_reached(&flag[i], turns))
            return false;
    return true;
}

/* True when the window of `turn` may be written. */
static bool is_free(const struct run *run, int turn)
{
    uint64_t number = run->layout->first + (uint64_t)turn;
    return all_reached(run, run->layout->finished,
                       topo_turns_before(number, run->layout->windows, run->shared->sum_turns.settled));
}

/* Starts message `index` of a turn: its place among the requests follows its kind. */
static void start(struct run *run, int turn, enum kind kind, int index)
{
    const struct topo_sums *sums = run->sums;
    bool with_child = kind == PARTIAL_IN || kind == RESULT_OUT;
    const struct topo_sum_task *task = &sums->task[with_child ? sums->task_of[index] : index];
    int position = with_child ? sums->child[index] : task->parent, at = index;
    uint64_t number = run->layout->first + (uint64_t)turn;
    if (kind == RESULT_OUT)
        at += sums->children;
    else if (!with_child)
        at += 2 * sums->children + (kind == RESULT_IN ? sums->tasks : 0);
    MPI_Request *request = &run->request[window_of(run, turn) * (size_t)run->messages + (size_t)at];
    int units = topo_stored_units(run->vector, (size_t)count_of(run, turn, task->piece));
    int peer = run->comm->order[position];
    MPI_Datatype wire = run->vector->stored.wire;
    bool result = kind == RESULT_OUT || kind == RESULT_IN;
    int tag = FIRST_TAG + 2 * ((int)(number % TAG_TURNS) * run->layout->pieces + task->piece) + result;
    char *buffer = result                ? result_place(run, turn, task->piece)
                   : kind == PARTIAL_OUT ? operand(run, turn, task, task->total)
                                         : operand(run, turn, task, index - task->child + 1);
    if (run->code != MPI_SUCCESS)
        return;
    if (kind == PARTIAL_IN || kind == RESULT_IN)
        run->code = topo_irecv_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    else if (!run->hand->returns && number % ROUND == ROUND - 1)
        run->code = topo_issend_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    else
        run->code = topo_isend_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    run->active += run->code == MPI_SUCCESS;
}

static void result_is_there(struct run *run, int turn, const struct topo_sum_task *task)
{
    topo_lanes_fill(run->layout, turn, task->piece);
    for (int i = 0; i < task->children && run->hand->returns; i++)
        start(run, turn, RESULT_OUT, task->child + i);
}

static void add(struct run *run, const char *operands, char *sum, int count)
{
    if (run->code == MPI_SUCCESS)
        run->code = topo_bench_add(&run->bench, run->vector, operands, sum, (size_t)count);
}

/* One more operand of a task's sum is there; after the last one they are added up. */
static void operand_is_there(struct run *run, int turn, int index)
{
    const struct topo_sum_task *task = &run->sums->task[index];
    if (--run->missing[window_of(run, turn) * (size_t)run->sums->tasks + (size_t)index] > 0)
        return;
    int count = count_of(run, turn, task->piece);
    for (int i = 0; i < task->children; i++) {
        const struct topo_sum_step *step = &run->sums->step[task->step + i];
        add(run, operand(run, turn, task, step->from), operand(run, turn, task, step->into), count);
    }
    if (task->parent < 0)
        result_is_there(run, turn, task);
    else
        start(run, turn, PARTIAL_OUT, index);
}

static bool gets_results(const struct run *run)
{
    return run->hand->share.end > run->hand->share.first;
}

/* Finishes turns in their order: all added up, all read, all messages through. */
static void finish_turns(struct run *run)
{
    int before = run->done, most = run->sum_turn;
    if (gets_results(run) && run->read_turn < most)
        most = run->read_turn;
    while (run->done < most && run->open[window_of(run, run->done)] == 0)
        run->done++;
    if (run->done > before)
        topo_flag_set(&run->layout->finished[run->shared->local], (uint32_t)(run->layout->first + (uint64_t)run->done));
}

/* Writes this rank's elements, or adds them to what is there. */
static void put_own(struct run *run, size_t at, char *to, size_t count, bool adds)
{
    while (count > 0 && run->code == MPI_SUCCESS) {
        const char *elements;
        size_t some = topo_lanes_own(run->vector, run->hand->order, at, count, &elements);
        run->code = adds ? topo_bench_add_own(&run->bench, run->vector, elements, to, some)
                         : topo_vector_store(run->vector, elements, to, some);
        to = topo_stored_at(run->vector, to, some);
        at += some;
        count -= some;
    }
}

/* Begins a turn when there is room for it: posts its receives, writes this rank's operands. */
static bool begin_turn(struct run *run)
{
    const struct topo_sums *sums = run->sums;
    int turn = run->begun;
    if (turn == run->layout->turns || !is_free(run, turn))
        return false;
    size_t window = window_of(run, turn);
    run->open[window] = 0;
    for (int i = 0; i < sums->tasks; i++) {
        const struct topo_sum_task *task = &sums->task[i];
        run->missing[window * (size_t)sums->tasks + (size_t)i] = 1 + task->children;
        if (count_of(run, turn, task->piece) == 0)
            continue;
        run->open[window] += (task->children + (task->parent >= 0)) * (run->hand->returns ? 2 : 1);
        for (int k = 0; k < task->children; k++)
            start(run, turn, PARTIAL_IN, task->child + k);
        if (task->parent >= 0 && run->hand->returns)
            start(run, turn, RESULT_IN, i);
    }
    for (int piece = 0; piece < run->layout->pieces && run->code == MPI_SUCCESS; piece++) {
        int local = run->shared->local, count = count_of(run, turn, piece);
        if (count == 0 || (local > 0 && drives(run, piece)))
            continue;
        char *to = local > 0 ? topo_lanes_place(run->layout, turn, local, piece) : own_place(run, turn, piece);
        put_own(run, topo_lanes_start(run->layout, turn, piece), to, (size_t)count, false);
    }
    run->begun++;
    topo_flag_set(&run->layout->written[run->shared->local], (uint32_t)(run->layout->first + (uint64_t)run->begun));
    return true;
}

/* Adds up the node's operands of one piece that this rank drives. */
static bool add_piece(struct run *run)
{
    int turn = run->sum_turn, index = run->sum_task;
    if (turn == run->begun)
        return false;
    if (index == 0 && run->sums->tasks > 0 &&
        !all_reached(run, run->layout->written, (uint32_t)(run->layout->first + (uint64_t)turn + 1)))
        return false;
    if (index < run->sums->tasks) {
        int piece = run->sums->task[index].piece, count = count_of(run, turn, piece);
        for (int local = 1; local < run->shared->ranks && count > 0; local++) {
            char *sum = own_place(run, turn, piece);
            if (local == run->shared->local)
                put_own(run, topo_lanes_start(run->layout, turn, piece), sum, (size_t)count, true);
            else
                add(run, topo_lanes_place(run->layout, turn, local, piece), sum, count);
        }
        if (count > 0)
            operand_is_there(run, turn, index);
        run->sum_task++;
    }
    if (run->sum_task >= run->sums->tasks) {
        run->sum_task = 0;
        run->sum_turn++;
        finish_turns(run);
    }
    return true;
}

/* A piece of the result is done with; after the last one so is the turn. */
static void piece_is_read(struct run *run, int piece)
{
    int pieces = run->layout->pieces;
    run->read[piece] = true;
    while (run->read_from < pieces && run->read[run->read_from])
        run->read_from++;
    if (run->read_from == pieces) {
        memset(run->read, 0, (size_t)pieces * sizeof *run->read);
        run->read_from = 0;
        run->read_turn++;
        finish_turns(run);
    }
}

/* Reads one piece of the result that is there, or passes over some of which this rank gets nothing. */
static bool read_piece(struct run *run)
{
    const struct topo_share *share = &run->hand->share;
    int turn = run->read_turn, pieces = run->layout->pieces;
    bool moved = false;
    if (turn == run->begun || !gets_results(run))
        return false;
    int end = run->read_from + LOOK_AHEAD < pieces ? run->read_from + LOOK_AHEAD : pieces;
    for (int piece = run->read_from; piece < end && turn == run->read_turn; piece++) {
        size_t start = topo_lanes_start(run->layout, turn, piece), stop = start + (size_t)count_of(run, turn, piece);
        size_t from = start > share->first ? start : share->first, to = stop < share->end ? stop : share->end;
        if (run->read[piece] || (from < to && !topo_lanes_is_filled(run->layout, turn, piece)))
            continue;
        if (from < to && run->code == MPI_SUCCESS)
            run->code = topo_vector_fetch(
                run->vector, topo_stored_at(run->vector, result_place(run, turn, piece), from - start),
                topo_vector_at(run->vector, run->vector->result, from - share->first), to - from);
        piece_is_read(run, piece);
        moved = true;
        if (from < to)
            break;
    }
    return moved;
}

/* The turn of this call that is in a window. */
static int turn_in(const struct run *run, int window)
{
    int turn = run->done;
    while (window_of(run, turn) != (size_t)window)
        turn++;
    return turn;
}

/* Takes in what has arrived and drops what was sent. */
static bool end_messages(struct run *run)
{
    const struct topo_sums *sums = run->sums;
    int done = 0, all = run->messages * run->layout->windows;
    if (run->active == 0)
        return false;
    run->code = topo_testsome(all, run->request, &done, run->indices);
    if (run->code != MPI_SUCCESS || done == MPI_UNDEFINED || done == 0)
        return false;
    run->active -= done;
    for (int i = 0; i < done; i++)
        run->open[run->indices[i] / run->messages]--;
    for (int i = 0; i < done; i++) {
        int turn = turn_in(run, run->indices[i] / run->messages), at = run->indices[i] % run->messages;
        int task = at - 2 * sums->children - sums->tasks;
        if (at < sums->children)
            operand_is_there(run, turn, sums->task_of[at]);
        else if (task >= 0)
            result_is_there(run, turn, &sums->task[task]);
    }
    finish_turns(run);
    return true;
}

static int run_turns(struct run *run)
{
    int idle = 0;
    while (run->code == MPI_SUCCESS && run->done < run->layout->turns) {
        bool moved = end_messages(run);
        moved |= begin_turn(run);
        moved |= add_piece(run);
        moved |= read_piece(run);
        if (moved) {
            idle = 0;
            continue;
        }
        topo_idle(&idle, run->active == 0, &run->shared->patience);
    }
    run->shared->sum_turns.turn += (uint64_t)run->layout->turns;
    return run->code;
}

static size_t up(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

int topo_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_sums *sums,
                   const struct topo_lanes_layout *layout, const struct topo_lanes_hand *hand)
{
    struct run run = {
        .vector = vector, .comm = comm, .shared = comm->shared, .sums = sums, .layout = layout, .hand = hand};
    run.messages = 2 * (sums->children + sums->tasks);
    size_t windows = (size_t)layout->windows, all = windows * (size_t)run.messages;
    size_t requests = up(all * sizeof *run.request), indices = up(all * sizeof *run.indices);
    size_t missing = up(windows * (size_t)sums->tasks * sizeof *run.missing), open = up(windows * sizeof *run.open);
    size_t read = up((size_t)layout->pieces * sizeof *run.read);
    char *scratch = topo_scratch_take(requests + indices + missing + open + read +
                                      windows * (size_t)sums->children * layout->stride);
    if (!scratch || !topo_bench_open(&run.bench, vector, layout->longest)) {
        topo_scratch_give(scratch);
        return MPI_ERR_NO_MEM;
    }
    run.request = (MPI_Request *)scratch;
    run.indices = (int *)(scratch + requests);
    run.missing = (int *)(scratch + requests + indices);
    run.open = (int *)(scratch + requests + indices + missing);
    run.read = (bool *)(scratch + requests + indices + missing + open);
    run.partials = scratch + requests + indices + missing + open + read;
    for (size_t i = 0; i < all; i++)
        run.request[i] = MPI_REQUEST_NULL;
    memset(run.read, 0, (size_t)layout->pieces * sizeof *run.read);
    int code = run_turns(&run);
    topo_bench_close(&run.bench);
    /* After a failure messages may still be on their way into the partial sums: the block is left to them. */
    if (code == MPI_SUCCESS)
        topo_scratch_give(scratch);
    return code;
}
