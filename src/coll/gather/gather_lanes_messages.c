/* The messages of allgather(v) `lanes`, and the iterations that they hold up. */
#include "coll/gather/gather_lanes.h"

#include <string.h>

#include "coll/base/transport.h"
#include "patterns/limits.h"

bool topo_gather_segments_free(struct topo_gather_segments *run, int iteration)
{
    struct topo_node *node = run->node;
    if (iteration < run->free_iterations)
        return true;
    uint32_t needed = topo_iterations_before(node->iteration + (uint64_t)iteration, run->windows, node->settled);
    for (int i = 0; i < node->ranks; i++)
        if (!topo_flag_reached(&run->finished[i], needed))
            return false;
    run->free_iterations = iteration + 1;
    return true;
}

void topo_gather_segments_finish(struct topo_gather_segments *run)
{
    int iteration = run->read_iteration < run->send_iteration ? run->read_iteration : run->send_iteration;
    for (int i = 0; i < run->active; i++)
        if (run->iteration_of[i] < iteration)
            iteration = run->iteration_of[i];
    topo_flag_set(&run->finished[run->node->local], (uint32_t)(run->node->iteration + (uint64_t)iteration));
}

/* From *task of *iteration on, the next one whose block has a segment; *iteration is `iterations` when none has. */
static void find_task(const struct topo_gather_segments *run, const struct topo_gather_lane_task *tasks, int count,
                      int *iteration, int *task)
{
    if (count == 0)
        *iteration = run->iterations;
    while (*iteration < run->iterations &&
           (*task == count || !topo_gather_segments_has(run, *iteration, tasks[*task].block)))
        if (++*task >= count) {
            *task = 0;
            ++*iteration;
        }
}

void topo_gather_segments_begin(struct topo_gather_segments *run)
{
    const struct topo_gather_lanes *lanes = run->lanes;
    find_task(run, lanes->receive, lanes->receives, &run->receive_iteration, &run->receive_task);
    find_task(run, lanes->send, lanes->sends, &run->send_iteration, &run->send_task);
}

/* Whether a segment was sent; those of TOPO_GATHER_SEGMENTS_WINDOWS_MOST iterations are told apart. */
static bool *sent_mark(const struct topo_gather_segments *run, int iteration, int task)
{
    return &run->sent[iteration % TOPO_GATHER_SEGMENTS_WINDOWS_MOST * run->lanes->sends + task];
}

/* From *task of *iteration on, the next segment that is to be sent and was not. */
static void find_unsent(const struct topo_gather_segments *run, int *iteration, int *task)
{
    const struct topo_gather_lanes *lanes = run->lanes;
    find_task(run, lanes->send, lanes->sends, iteration, task);
    while (*iteration < run->iterations && *sent_mark(run, *iteration, *task)) {
        ++*task;
        find_task(run, lanes->send, lanes->sends, iteration, task);
    }
}

static int tag_of(int iteration, int block_position)
{
    return TOPO_TAG_STREAM + topo_stream_of((unsigned)block_position + 101U * (unsigned)iteration);
}

/* Where segments go to, and as what. */
struct passed {
    int peer, tag;
};

static bool is_among(const struct passed *passed, int count, struct passed what)
{
    while (count > 0 && (passed[count - 1].peer != what.peer || passed[count - 1].tag != what.tag))
        count--;
    return count > 0;
}

/* The first segment to be sent that is there; false: none of the next few. None overtakes another one of its stream:
 * two ranks see those between them in one order. */
static bool find_sendable(const struct topo_gather_segments *run, int *iteration, int *task)
{
    struct passed passed[TOPO_GATHER_SEGMENTS_LOOK_AHEAD];
    *iteration = run->send_iteration;
    *task = run->send_task;
    for (int i = 0; i < TOPO_GATHER_SEGMENTS_LOOK_AHEAD && *iteration < run->iterations &&
                    *iteration < run->send_iteration + run->ahead;
         i++) {
        const struct topo_gather_lane_task *to = &run->lanes->send[*task];
        passed[i] = (struct passed){to->peer, tag_of(*iteration, run->lanes->position[to->block])};
        if (topo_gather_segments_filled(run, *iteration, to->block) && !is_among(passed, i, passed[i]))
            return true;
        ++*task;
        find_unsent(run, iteration, task);
    }
    return false;
}

static int send_segment(struct topo_gather_segments *run, int iteration, int task)
{
    const struct topo_gather_lane_task *to = &run->lanes->send[task];
    int code = (run->synchronous ? topo_issend_typed : topo_isend_typed)(
        run->slots + topo_gather_segments_slot(run, iteration, to->block) * run->stride,
        (int)topo_gather_segments_bytes(run, iteration, to->block), MPI_BYTE,
        topo_tree_rank(run->call->comm->tree, to->peer), tag_of(iteration, run->lanes->position[to->block]),
        run->call->channel, &run->request[run->active]);
    run->iteration_of[run->active] = iteration;
    run->block_of[run->active++] = -1;
    *sent_mark(run, iteration, task) = true;
    /* At once, beyond what has no segment: topo_gather_segments_finish() comes when this message is through. */
    int before = run->send_iteration;
    find_unsent(run, &run->send_iteration, &run->send_task);
    for (int done = before; done < run->send_iteration && done < before + TOPO_GATHER_SEGMENTS_WINDOWS_MOST; done++)
        memset(sent_mark(run, done, 0), 0, (size_t)run->lanes->sends * sizeof *run->sent);
    return code;
}

static int count_active(const struct topo_gather_segments *run, bool receives)
{
    int count = 0;
    for (int i = 0; i < run->active; i++)
        count += (run->block_of[i] >= 0) == receives;
    return count;
}

int topo_gather_segments_start(struct topo_gather_segments *run, int *code)
{
    const struct topo_gather_lanes *lanes = run->lanes;
    int moved = 0, posted = count_active(run, true), sent = run->active - posted;
    while (posted < TOPO_GATHER_SEGMENTS_RECEIVES && run->receive_iteration < run->iterations &&
           topo_gather_segments_free(run, run->receive_iteration) && *code == MPI_SUCCESS) {
        const struct topo_gather_lane_task *task = &lanes->receive[run->receive_task];
        *code = topo_irecv_typed(run->slots +
                                     topo_gather_segments_slot(run, run->receive_iteration, task->block) * run->stride,
                                 (int)topo_gather_segments_bytes(run, run->receive_iteration, task->block), MPI_BYTE,
                                 topo_tree_rank(run->call->comm->tree, task->peer),
                                 tag_of(run->receive_iteration, lanes->position[task->block]), run->call->channel,
                                 &run->request[run->active]);
        run->iteration_of[run->active] = run->receive_iteration;
        run->block_of[run->active++] = task->block;
        posted++;
        moved = 1;
        run->receive_task++;
        find_task(run, lanes->receive, lanes->receives, &run->receive_iteration, &run->receive_task);
    }
    /* What is there may go before what is not, so that the link is not idle. But half of the places are kept for
     * the first in order: the others' receivers may wait for just that one before they make room for more. */
    int iteration, task;
    for (bool more = true; more && sent < run->sends && *code == MPI_SUCCESS && find_sendable(run, &iteration, &task);
         more = !run->synchronous) { /* where few are under way a segment is read after each */
        bool first = iteration == run->send_iteration && task == run->send_task;
        if (!first && sent >= run->sends / 2)
            break;
        *code = send_segment(run, iteration, task);
        sent++;
        moved = 1;
    }
    return moved;
}

int topo_gather_segments_end(struct topo_gather_segments *run, int *code)
{
    int done = 0, index[TOPO_GATHER_SEGMENTS_RECEIVES + TOPO_GATHER_SEGMENTS_SENDS];
    if (!run->active)
        return 0;
    *code = topo_testsome(run->active, run->request, &done, index);
    if (*code != MPI_SUCCESS || done == MPI_UNDEFINED || done == 0)
        return 0;
    bool sent = false;
    for (int i = 0; i < done; i++) {
        if (run->block_of[index[i]] >= 0)
            topo_gather_segments_fill(run, run->iteration_of[index[i]], run->block_of[index[i]]);
        else
            sent = true;
    }
    int kept = 0;
    for (int i = 0; i < run->active; i++) {
        if (run->request[i] == MPI_REQUEST_NULL)
            continue;
        run->request[kept] = run->request[i];
        run->iteration_of[kept] = run->iteration_of[i];
        run->block_of[kept++] = run->block_of[i];
    }
    run->active = kept;
    if (sent)
        topo_gather_segments_finish(run);
    return 1;
}
