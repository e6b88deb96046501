#include "coll/reduction/reduce_lanes_partials.h"

#include <string.h>

#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "patterns/limits.h"

enum {
    /* Where no results go back, the partial sums of every so many iterations are waited for: a node that is
     * ahead would fill another one's memory otherwise. */
    WINDOW = TOPO_REDUCE_WINDOWS_MORE
};

/* Messages of an iteration, by their place among the requests of a window: from each child a partial sum, for each task
 * the sum to the parent; where results go back, to each child the result, and for each task that from the parent. */
enum kind { PARTIAL_IN, PARTIAL_OUT, RESULT_OUT, RESULT_IN };

enum { ALL_ADDED = -1, NOT_THERE = -2 }; /* ALL_ADDED: none, as struct topo_reduce_plan_operand has it */

static size_t window_of(const struct topo_reduce_lanes_partials *partials, int iteration)
{
    return topo_reduce_lanes_window(partials->layout, iteration);
}

static int count_of(const struct topo_reduce_lanes_partials *partials, int iteration, int segment)
{
    return topo_reduce_lanes_count(partials->layout, iteration, segment);
}

static char *result_place(const struct topo_reduce_lanes_partials *partials, int iteration, int segment)
{
    return topo_reduce_lanes_place(partials->layout, iteration, partials->layout->rows, segment);
}

/* Operand i of a task's sum. */
static char *operand(const struct topo_reduce_lanes_partials *partials, int iteration,
                     const struct topo_reduce_plan_task *task, int i)
{
    if (i == 0)
        return topo_reduce_lanes_own_place(partials->layout, partials->plan, iteration, task->segment);
    if (task->parent < 0 && i == task->total)
        return result_place(partials, iteration, task->segment);
    size_t at = window_of(partials, iteration) * (size_t)partials->plan->children + (size_t)(task->child + i - 1);
    return partials->places + at * partials->layout->stride;
}

static int *due_of(const struct topo_reduce_lanes_partials *partials, int iteration)
{
    return partials->due + window_of(partials, iteration) * (size_t)(partials->plan->children + partials->plan->tasks);
}

static MPI_Request *request_of(const struct topo_reduce_lanes_partials *partials, int iteration, int message)
{
    return &partials->request[window_of(partials, iteration) * (size_t)partials->messages + (size_t)message];
}

/* Starts message `index` of an iteration: its place among the requests follows its kind. */
static void start(struct topo_reduce_lanes_partials *partials, int iteration, enum kind kind, int index)
{
    const struct topo_reduce_plan *plan = partials->plan;
    bool with_child = kind == PARTIAL_IN || kind == RESULT_OUT, result = kind == RESULT_OUT || kind == RESULT_IN;
    const struct topo_reduce_plan_task *task = &plan->task[with_child ? plan->task_of[index] : index];
    int position = with_child ? plan->child[index] : task->parent, at = index;
    uint64_t number = partials->layout->first + (uint64_t)iteration;
    at += (with_child ? 0 : plan->children) + (result ? plan->children + plan->tasks : 0);
    MPI_Request *request = request_of(partials, iteration, at);
    int units = topo_stored_units(partials->vector, (size_t)count_of(partials, iteration, task->segment));
    int peer = topo_tree_rank(partials->comm->tree, position);
    MPI_Datatype wire = partials->vector->stored.wire;
    int tag = TOPO_TAG_STREAM + (result ? TOPO_STREAMS : 0) + topo_stream_of((unsigned)task->segment);
    char *buffer = result                ? result_place(partials, iteration, task->segment)
                   : kind == PARTIAL_OUT ? operand(partials, iteration, task, task->total)
                                         : operand(partials, iteration, task, index - task->child + 1);
    if (partials->code != MPI_SUCCESS)
        return;
    if (kind == PARTIAL_IN || kind == RESULT_IN)
        partials->code = topo_irecv_typed(buffer, units, wire, peer, tag, partials->vector->channel, request);
    else if (!partials->returns && number % WINDOW == WINDOW - 1)
        partials->code = topo_issend_typed(buffer, units, wire, peer, tag, partials->vector->channel, request);
    else
        partials->code = topo_isend_typed(buffer, units, wire, peer, tag, partials->vector->channel, request);
    partials->active += partials->code == MPI_SUCCESS;
}

/* By message that goes out: those of tasks, then those to children. */
static bool *ready_of(const struct topo_reduce_lanes_partials *partials, int iteration)
{
    return partials->ready +
           window_of(partials, iteration) * (size_t)(partials->plan->tasks + partials->plan->children);
}

/* A message may be sent as far as this rank is concerned: it goes, and what it kept waiting, when those before it in
 * its stream have. Each waits for earlier iterations and segments alone, hence never in a circle. */
static void send(struct topo_reduce_lanes_partials *partials, int iteration, enum kind kind, int index)
{
    const struct topo_reduce_plan *plan = partials->plan;
    const bool to_child = kind == RESULT_OUT;
    const struct topo_reduce_plan_stream *stream = to_child ? plan->child_stream : plan->task_stream;
    const int base = to_child ? plan->tasks : 0;
    struct topo_reduce_lanes_next *next = &partials->next[base + stream[index].first];
    ready_of(partials, iteration)[base + index] = true;
    while (next->iteration < partials->begun) {
        const int segment = plan->task[to_child ? plan->task_of[next->index] : next->index].segment;
        if (count_of(partials, next->iteration, segment) > 0) {
            if (!ready_of(partials, next->iteration)[base + next->index])
                return;
            start(partials, next->iteration, kind, next->index);
        }
        next->index = stream[next->index].next;
        next->iteration += next->index == stream[next->index].first;
    }
}

/* Posts receives, those of a stream in its order. */
static void receive(struct topo_reduce_lanes_partials *partials, int iteration, enum kind kind)
{
    const struct topo_reduce_plan *plan = partials->plan;
    const bool from_child = kind == PARTIAL_IN;
    const struct topo_reduce_plan_stream *stream = from_child ? plan->child_stream : plan->task_stream;
    for (int first = 0; first < (from_child ? plan->children : plan->tasks); first++) {
        int i = first;
        if (stream[first].first != first)
            continue;
        do {
            const struct topo_reduce_plan_task *task = &plan->task[from_child ? plan->task_of[i] : i];
            if (count_of(partials, iteration, task->segment) > 0 && (from_child || task->parent >= 0))
                start(partials, iteration, kind, i);
            i = stream[i].next;
        } while (i != first);
    }
}

static void result_is_there(struct topo_reduce_lanes_partials *partials, int iteration,
                            const struct topo_reduce_plan_task *task)
{
    topo_reduce_lanes_fill(partials->layout, iteration, task->segment);
    for (int i = 0; i < task->children && partials->returns; i++)
        send(partials, iteration, RESULT_OUT, task->child + i);
}

static void add(struct topo_reduce_lanes_partials *partials, const char *operands, char *sum, int count)
{
    if (partials->code == MPI_SUCCESS)
        partials->code = topo_bench_add(&partials->bench, partials->vector, operands, sum, (size_t)count);
}

void topo_reduce_lanes_partials_add(struct topo_reduce_lanes_partials *partials, int iteration, int index, int i)
{
    const struct topo_reduce_plan *plan = partials->plan;
    const struct topo_reduce_plan_task *task = &plan->task[index];
    const struct topo_reduce_plan_operand *all = plan->operand + task->operand;
    int *due = due_of(partials, iteration) + task->operand, count = count_of(partials, iteration, task->segment);
    for (due[i] = all[i].first; i >= 0; i = all[i].into) {
        for (; due[i] >= 0 && due[due[i]] == ALL_ADDED; due[i] = all[due[i]].next)
            add(partials, operand(partials, iteration, task, due[i]), operand(partials, iteration, task, i), count);
        if (due[i] >= 0 || (all[i].into >= 0 && due[all[i].into] != i))
            return;
    }
    if (task->parent < 0)
        result_is_there(partials, iteration, task);
    else
        send(partials, iteration, PARTIAL_OUT, index);
}

void topo_reduce_lanes_partials_expect(struct topo_reduce_lanes_partials *partials, int begun)
{
    const struct topo_reduce_plan *plan = partials->plan;
    for (; partials->arrived < partials->expected; partials->arrived++) {
        int i = 0;
        while (i < plan->children && *request_of(partials, partials->arrived, i) == MPI_REQUEST_NULL)
            i++;
        if (i < plan->children)
            break;
    }
    for (; partials->expected < begun && partials->expected < partials->arrived + partials->layout->ahead;
         partials->expected++)
        receive(partials, partials->expected, PARTIAL_IN);
}

void topo_reduce_lanes_partials_begin(struct topo_reduce_lanes_partials *partials, int iteration)
{
    const struct topo_reduce_plan *plan = partials->plan;
    int *due = due_of(partials, iteration), *open = &partials->open[window_of(partials, iteration)];
    *open = 0;
    for (int i = 0; i < plan->children + plan->tasks; i++)
        due[i] = NOT_THERE;
    for (int i = 0; i < plan->tasks; i++) {
        const struct topo_reduce_plan_task *task = &plan->task[i];
        if (count_of(partials, iteration, task->segment) == 0)
            continue;
        *open += (task->children + (task->parent >= 0)) * (partials->returns ? 2 : 1);
    }
    memset(ready_of(partials, iteration), 0, (size_t)(plan->tasks + plan->children) * sizeof *partials->ready);
    partials->begun = iteration + 1;
    if (partials->returns)
        receive(partials, iteration, RESULT_IN);
    topo_reduce_lanes_partials_expect(partials, iteration + 1);
}

bool topo_reduce_lanes_partials_are_through(const struct topo_reduce_lanes_partials *partials, int iteration)
{
    return partials->open[window_of(partials, iteration)] == 0;
}

/* The iteration from `done` on that is in a window. */
static int iteration_in(const struct topo_reduce_lanes_partials *partials, int window, int done)
{
    int iteration = done;
    while (window_of(partials, iteration) != (size_t)window)
        iteration++;
    return iteration;
}

bool topo_reduce_lanes_partials_take(struct topo_reduce_lanes_partials *partials, int done)
{
    const struct topo_reduce_plan *plan = partials->plan;
    int through = 0, all = partials->messages * partials->layout->windows;
    if (partials->active == 0)
        return false;
    partials->code = topo_testsome(all, partials->request, &through, partials->indices);
    if (partials->code != MPI_SUCCESS || through == MPI_UNDEFINED || through == 0)
        return false;
    partials->active -= through;
    for (int i = 0; i < through; i++) {
        int window = partials->indices[i] / partials->messages, at = partials->indices[i] % partials->messages;
        int iteration = iteration_in(partials, window, done),
            task = at - 2 * plan->children - plan->tasks; /* RESULT_IN */
        partials->open[window]--;
        if (at < plan->children)
            topo_reduce_lanes_partials_add(partials, iteration, plan->task_of[at],
                                           at - plan->task[plan->task_of[at]].child + 1);
        else if (task >= 0)
            result_is_there(partials, iteration, &plan->task[task]);
    }
    return true;
}

static void *part_of(char *block, size_t *used, size_t bytes)
{
    char *part = block ? block + *used : NULL;
    *used += topo_align(bytes, TOPO_CACHE_LINE);
    return part;
}

/* Cuts the block; returns the bytes that it needs, of none as well. */
static size_t use_block(struct topo_reduce_lanes_partials *partials, char *block)
{
    const size_t windows = (size_t)partials->layout->windows, children = (size_t)partials->plan->children;
    const size_t operands = children + (size_t)partials->plan->tasks, messages = windows * (size_t)partials->messages;
    size_t used = 0;
    partials->request = part_of(block, &used, messages * sizeof *partials->request);
    partials->indices = part_of(block, &used, messages * sizeof *partials->indices);
    partials->due = part_of(block, &used, windows * operands * sizeof *partials->due);
    partials->open = part_of(block, &used, windows * sizeof *partials->open);
    partials->ready = part_of(block, &used, windows * operands * sizeof *partials->ready);
    partials->next = part_of(block, &used, operands * sizeof *partials->next);
    partials->places = part_of(block, &used, windows * children * partials->layout->stride);
    return used;
}

bool topo_reduce_lanes_partials_open(struct topo_reduce_lanes_partials *partials)
{
    partials->messages = (partials->returns ? 2 : 1) * (partials->plan->children + partials->plan->tasks);
    partials->block = topo_scratch_take(use_block(partials, NULL));
    if (!partials->block || !topo_bench_open(&partials->bench, partials->vector, partials->layout->longest)) {
        topo_scratch_give(partials->block);
        return false;
    }
    use_block(partials, partials->block);
    for (int i = 0; i < partials->messages * partials->layout->windows; i++)
        partials->request[i] = MPI_REQUEST_NULL;
    for (int i = 0; i < partials->plan->tasks + partials->plan->children; i++)
        partials->next[i] =
            (struct topo_reduce_lanes_next){0, i < partials->plan->tasks ? i : i - partials->plan->tasks};
    return true;
}

void topo_reduce_lanes_partials_close(struct topo_reduce_lanes_partials *partials)
{
    topo_bench_close(&partials->bench);
    /* After a failure messages may still be on their way into the partial sums: the block is left to them. */
    if (partials->code == MPI_SUCCESS)
        topo_scratch_give(partials->block);
}
