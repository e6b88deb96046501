/* One call of a reduction in iterations through node-shared memory. What a rank does for an iteration:
 *   writes its operands, but for the segments that it drives itself, or adds them in turn (reduce_lanes_operands.c);
 *   when all of the node have: adds up the segments it drives, then with the partial sums of other nodes as they come,
 *     and sends each sum to the node the segment belongs to;
 *   sends the results of its node's own segments out, takes in those of others, where they go back;
 *   reads all results, if it gets them.
 * `written` and `finished` of each rank say how many iterations it has written and done with, `filled` of each segment
 * which iteration's result is there. A window is written anew when all ranks of the node have finished the iteration
 * that was in it. Iterations are counted over all calls of the communicator, so calls overlap as iterations do. Nobody
 * waits in a circle: docs/LEVELS.md. */
#include "coll/reduction/reduce_lanes.h"

#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "base/align.h"
#include "coll/reduction/reduce_lanes_operands.h"

enum {
    FIRST_TAG = 16,
    /* Iterations that can be under way at once between two ranks are fewer: a node gets
     * ahead of another one by its windows at most. */
    TAG_ITERATIONS = 2 * TOPO_REDUCE_WINDOWS_MOST,
    /* Where no results go back, the partial sums of every so many iterations are waited for: a node that is
     * ahead would fill another one's memory otherwise. */
    WINDOW = TOPO_REDUCE_WINDOWS_MORE
};

/* Messages of an iteration, by their place among the requests of a window: from each child a partial sum, for each task
 * the sum to the parent; where results go back, to each child the result, and for each task that from the parent. */
enum kind { PARTIAL_IN, PARTIAL_OUT, RESULT_OUT, RESULT_IN };

enum { ALL_ADDED = -1, NOT_THERE = -2 }; /* ALL_ADDED: none, as struct topo_reduce_plan_operand has it */

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_vector *vector;
    const struct topo_comm *comm;
    struct topo_node *node;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_io *io;
    int messages;         /* of an iteration */
    MPI_Request *request; /* [windows][messages] */
    int *due;             /* [windows][children + tasks] what is added next to an operand, ALL_ADDED or NOT_THERE */
    int *open;            /* [windows] messages that are not through */
    char *partials;       /* [windows][children] places for partial sums */
    struct topo_bench bench;
    int *indices;
    bool *read;                                 /* [segments] of read_iteration: done with */
    int begun, read_iteration, unread, read_at; /* segments not read, 0 before the first, and where to look next */
    int expected, arrived;                      /* iterations whose partial sums are received, and are all there */
    struct topo_reduce_lanes_operands operands;
    int sum_iteration, sum_task;
    int active; /* messages under way */
    int done;   /* iterations finished by this rank */
    int code;
};

static size_t window_of(const struct run *run, int iteration)
{
    return topo_reduce_lanes_window(run->layout, iteration);
}

static int count_of(const struct run *run, int iteration, int segment)
{
    return topo_reduce_lanes_count(run->layout, iteration, segment);
}

static char *result_place(const struct run *run, int iteration, int segment)
{
    return topo_reduce_lanes_place(run->layout, iteration, run->layout->rows, segment);
}

static char *own_place(const struct run *run, int iteration, int segment)
{
    return topo_reduce_lanes_own_place(run->layout, run->plan, iteration, segment);
}

/* Operand i of a task's sum. */
static char *operand(const struct run *run, int iteration, const struct topo_reduce_plan_task *task, int i)
{
    if (i == 0)
        return own_place(run, iteration, task->segment);
    if (task->parent < 0 && i == task->total)
        return result_place(run, iteration, task->segment);
    size_t at = window_of(run, iteration) * (size_t)run->plan->children + (size_t)(task->child + i - 1);
    return run->partials + at * run->layout->stride;
}

static int *due_of(const struct run *run, int iteration)
{
    return run->due + window_of(run, iteration) * (size_t)(run->plan->children + run->plan->tasks);
}

/* True when the window of `iteration` may be written. */
static bool is_free(const struct run *run, int iteration)
{
    uint64_t number = run->layout->first + (uint64_t)iteration;
    return topo_reduce_lanes_reached(
        run->layout->finished, run->node->ranks,
        topo_iterations_before(number, run->layout->windows, run->node->reduce_iterations.settled));
}

/* Starts message `index` of an iteration: its place among the requests follows its kind. */
static void start(struct run *run, int iteration, enum kind kind, int index)
{
    const struct topo_reduce_plan *plan = run->plan;
    bool with_child = kind == PARTIAL_IN || kind == RESULT_OUT, result = kind == RESULT_OUT || kind == RESULT_IN;
    const struct topo_reduce_plan_task *task = &plan->task[with_child ? plan->task_of[index] : index];
    int position = with_child ? plan->child[index] : task->parent, at = index;
    uint64_t number = run->layout->first + (uint64_t)iteration;
    at += (with_child ? 0 : plan->children) + (result ? plan->children + plan->tasks : 0);
    MPI_Request *request = &run->request[window_of(run, iteration) * (size_t)run->messages + (size_t)at];
    int units = topo_stored_units(run->vector, (size_t)count_of(run, iteration, task->segment));
    int peer = topo_tree_rank(run->comm->tree, position);
    MPI_Datatype wire = run->vector->stored.wire;
    int tag = FIRST_TAG + 2 * ((int)(number % TAG_ITERATIONS) * run->layout->segments + task->segment) + result;
    char *buffer = result                ? result_place(run, iteration, task->segment)
                   : kind == PARTIAL_OUT ? operand(run, iteration, task, task->total)
                                         : operand(run, iteration, task, index - task->child + 1);
    if (run->code != MPI_SUCCESS)
        return;
    if (kind == PARTIAL_IN || kind == RESULT_IN)
        run->code = topo_irecv_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    else if (!run->io->returns && number % WINDOW == WINDOW - 1)
        run->code = topo_issend_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    else
        run->code = topo_isend_typed(buffer, units, wire, peer, tag, run->vector->channel, request);
    run->active += run->code == MPI_SUCCESS;
}

static void result_is_there(struct run *run, int iteration, const struct topo_reduce_plan_task *task)
{
    topo_reduce_lanes_fill(run->layout, iteration, task->segment);
    for (int i = 0; i < task->children && run->io->returns; i++)
        start(run, iteration, RESULT_OUT, task->child + i);
}

static void add(struct run *run, const char *operands, char *sum, int count)
{
    if (run->code == MPI_SUCCESS)
        run->code = topo_bench_add(&run->bench, run->vector, operands, sum, (size_t)count);
}

/* Operand i of a task's sum is there: it is added, and what it kept waiting, as far as their order allows. */
static void operand_is_there(struct run *run, int iteration, int index, int i)
{
    const struct topo_reduce_plan *plan = run->plan;
    const struct topo_reduce_plan_task *task = &plan->task[index];
    const struct topo_reduce_plan_operand *all = plan->operand + task->operand;
    int *due = due_of(run, iteration) + task->operand, count = count_of(run, iteration, task->segment);
    for (due[i] = all[i].first; i >= 0; i = all[i].into) {
        for (; due[i] >= 0 && due[due[i]] == ALL_ADDED; due[i] = all[due[i]].next)
            add(run, operand(run, iteration, task, due[i]), operand(run, iteration, task, i), count);
        if (due[i] >= 0 || (all[i].into >= 0 && due[all[i].into] != i))
            return;
    }
    if (task->parent < 0)
        result_is_there(run, iteration, task);
    else
        start(run, iteration, PARTIAL_OUT, index);
}

/* Posts the receives of partial sums of as many iterations as may be received at a time. */
static void expect(struct run *run, int begun)
{
    const struct topo_reduce_plan *plan = run->plan;
    for (; run->arrived < run->expected; run->arrived++) {
        const MPI_Request *request = &run->request[window_of(run, run->arrived) * (size_t)run->messages];
        int i = 0;
        while (i < plan->children && request[i] == MPI_REQUEST_NULL)
            i++;
        if (i < plan->children)
            break;
    }
    for (; run->expected < begun && run->expected < run->arrived + run->layout->ahead; run->expected++)
        for (int i = 0; i < plan->children; i++)
            if (count_of(run, run->expected, plan->task[plan->task_of[i]].segment) > 0)
                start(run, run->expected, PARTIAL_IN, i);
}

static bool gets_results(const struct run *run)
{
    return run->io->range.end > run->io->range.first;
}

/* Finishes iterations in their order: all added up, all read, all messages through. */
static void finish_iterations(struct run *run)
{
    int before = run->done, most = run->sum_iteration;
    if (gets_results(run) && run->read_iteration < most)
        most = run->read_iteration;
    if (run->layout->pipelined && run->operands.iteration < most)
        most = run->operands.iteration;
    while (run->done < most && run->open[window_of(run, run->done)] == 0)
        run->done++;
    expect(run, run->begun);
    if (run->done > before)
        topo_flag_set(&run->layout->finished[run->node->local], (uint32_t)(run->layout->first + (uint64_t)run->done));
}

/* Puts its next operands in turn, where that is how they are put. */
static bool put_part(struct run *run)
{
    if (!run->layout->pipelined || run->operands.iteration == run->begun || run->code != MPI_SUCCESS ||
        !topo_reduce_lanes_put_part(&run->operands, &run->code))
        return false;
    if (run->operands.part == 0)
        finish_iterations(run);
    return true;
}

/* Begins an iteration when there is room for it: posts its receives, writes this rank's operands. */
static bool begin_iteration(struct run *run)
{
    const struct topo_reduce_plan *plan = run->plan;
    int iteration = run->begun;
    if (iteration == run->layout->iterations || !is_free(run, iteration))
        return false;
    size_t window = window_of(run, iteration);
    run->open[window] = 0;
    for (int i = 0; i < plan->children + plan->tasks; i++)
        due_of(run, iteration)[i] = NOT_THERE;
    for (int i = 0; i < plan->tasks; i++) {
        const struct topo_reduce_plan_task *task = &plan->task[i];
        if (count_of(run, iteration, task->segment) == 0)
            continue;
        run->open[window] += (task->children + (task->parent >= 0)) * (run->io->returns ? 2 : 1);
        if (task->parent >= 0 && run->io->returns)
            start(run, iteration, RESULT_IN, i);
    }
    expect(run, iteration + 1);
    if (!run->layout->pipelined && run->code == MPI_SUCCESS)
        run->code = topo_reduce_lanes_write(&run->operands, iteration);
    run->begun++;
    return true;
}

/* Adds up the node's operands of one segment that this rank drives. */
static bool add_segment(struct run *run)
{
    int iteration = run->sum_iteration, index = run->sum_task;
    if (iteration == run->begun ||
        (index < run->plan->tasks && !topo_reduce_lanes_are_there(&run->operands, iteration, index)))
        return false;
    if (index < run->plan->tasks) {
        int segment = run->plan->task[index].segment, count = count_of(run, iteration, segment);
        if (count > 0 && run->code == MPI_SUCCESS)
            run->code = topo_reduce_lanes_add_up(&run->operands, iteration, segment);
        if (count > 0)
            operand_is_there(run, iteration, index, 0);
        run->sum_task++;
    }
    if (run->sum_task >= run->plan->tasks) {
        run->sum_task = 0;
        run->sum_iteration++;
        finish_iterations(run);
    }
    return true;
}

/* The first element of a segment that this rank gets, and where they end. */
static size_t wanted(const struct run *run, int iteration, int segment, size_t *end)
{
    const struct topo_result_range *range = &run->io->range;
    size_t start = topo_reduce_lanes_start(run->layout, iteration, segment),
           stop = start + (size_t)count_of(run, iteration, segment);
    *end = stop < range->end ? stop : range->end;
    return start > range->first ? start : range->first;
}

/* The segments of read_iteration of which this rank gets something. */
static void begin_reading(struct run *run)
{
    for (int segment = 0; segment < run->layout->segments; segment++) {
        size_t end, first = wanted(run, run->read_iteration, segment, &end);
        run->read[segment] = first >= end;
        run->unread += !run->read[segment];
    }
}

/* Reads one segment of the result that is there. They come in any order: on 128 simulated nodes of 4 1 MiB took 244 us
 * where ranks looked at the next 32 only, 215 where they look at all. */
static bool read_segment(struct run *run)
{
    int iteration = run->read_iteration, segments = run->layout->segments;
    bool moved = false;
    if (iteration == run->begun || !gets_results(run))
        return false;
    if (run->unread == 0)
        begin_reading(run);
    for (int looked = 0; looked < segments && run->unread > 0 && !moved; looked++) {
        int segment = run->read_at;
        run->read_at = (segment + 1) % segments;
        if (run->read[segment] || !topo_reduce_lanes_is_filled(run->layout, iteration, segment))
            continue;
        size_t end, first = wanted(run, iteration, segment, &end),
                    place = first - topo_reduce_lanes_start(run->layout, iteration, segment);
        if (run->code == MPI_SUCCESS)
            run->code = topo_vector_fetch(
                run->vector, topo_stored_at(run->vector, result_place(run, iteration, segment), place),
                topo_vector_at(run->vector, run->vector->result, first - run->io->range.first), end - first);
        run->read[segment] = moved = true;
        run->unread--;
    }
    if (run->unread > 0)
        return moved;
    run->read_iteration++;
    finish_iterations(run);
    return true;
}

/* The iteration of this call that is in a window. */
static int iteration_in(const struct run *run, int window)
{
    int iteration = run->done;
    while (window_of(run, iteration) != (size_t)window)
        iteration++;
    return iteration;
}

/* Takes in what has arrived and drops what was sent. */
static bool end_messages(struct run *run)
{
    const struct topo_reduce_plan *plan = run->plan;
    int done = 0, all = run->messages * run->layout->windows;
    if (run->active == 0)
        return false;
    run->code = topo_testsome(all, run->request, &done, run->indices);
    if (run->code != MPI_SUCCESS || done == MPI_UNDEFINED || done == 0)
        return false;
    run->active -= done;
    for (int i = 0; i < done; i++) {
        int window = run->indices[i] / run->messages, at = run->indices[i] % run->messages;
        int iteration = iteration_in(run, window), task = at - 2 * plan->children - plan->tasks; /* of a RESULT_IN */
        run->open[window]--;
        if (at < plan->children)
            operand_is_there(run, iteration, plan->task_of[at], at - plan->task[plan->task_of[at]].child + 1);
        else if (task >= 0)
            result_is_there(run, iteration, &plan->task[task]);
    }
    finish_iterations(run);
    return true;
}

static int run_iterations(struct run *run)
{
    int idle = 0;
    while (run->code == MPI_SUCCESS && run->done < run->layout->iterations) {
        bool moved = end_messages(run);
        moved |= begin_iteration(run);
        moved |= put_part(run);
        moved |= add_segment(run);
        moved |= read_segment(run);
        if (moved)
            idle = 0;
        else
            topo_idle(&idle, run->active == 0, &run->node->wait_policy);
    }
    run->node->reduce_iterations.iteration += (uint64_t)run->layout->iterations;
    if (run->layout->pipelined)
        run->node->reduce_iterations.handed += (uint64_t)run->layout->iterations * (uint64_t)run->layout->parts.count;
    return run->code;
}

int topo_reduce_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_reduce_plan *plan,
                          const struct topo_reduce_lanes_layout *layout, const struct topo_reduce_lanes_io *io)
{
    struct run run = {.vector = vector, .comm = comm, .node = comm->node, .plan = plan, .layout = layout, .io = io};
    run.operands = (struct topo_reduce_lanes_operands){comm->node, vector, plan, layout, io->order, &run.bench, 0, 0};
    run.messages = (io->returns ? 2 : 1) * (plan->children + plan->tasks);
    size_t windows = (size_t)layout->windows, all = windows * (size_t)run.messages;
    size_t requests = topo_align(all * sizeof *run.request, TOPO_CACHE_LINE),
           indices = topo_align(all * sizeof *run.indices, TOPO_CACHE_LINE);
    size_t operands = (size_t)(plan->children + plan->tasks),
           due = topo_align(windows * operands * sizeof *run.due, TOPO_CACHE_LINE),
           open = topo_align(windows * sizeof *run.open, TOPO_CACHE_LINE);
    size_t read = topo_align((size_t)layout->segments * sizeof *run.read, TOPO_CACHE_LINE);
    char *scratch =
        topo_scratch_take(requests + indices + due + open + read + windows * (size_t)plan->children * layout->stride);
    if (!scratch || !topo_bench_open(&run.bench, vector, layout->longest)) {
        topo_scratch_give(scratch);
        return MPI_ERR_NO_MEM;
    }
    run.request = (MPI_Request *)scratch;
    run.indices = (int *)(scratch + requests);
    run.due = (int *)(scratch + requests + indices);
    run.open = (int *)(scratch + requests + indices + due);
    run.read = (bool *)(scratch + requests + indices + due + open);
    run.partials = scratch + requests + indices + due + open + read;
    for (size_t i = 0; i < all; i++)
        run.request[i] = MPI_REQUEST_NULL;
    int code = run_iterations(&run);
    topo_bench_close(&run.bench);
    /* After a failure messages may still be on their way into the partial sums: the block is left to them. */
    if (code == MPI_SUCCESS)
        topo_scratch_give(scratch);
    return code;
}
