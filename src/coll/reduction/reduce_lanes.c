/* One call of a reduction in iterations through node-shared memory. What a rank does for an iteration:
 *   writes its operands, but for the segments that it drives itself, or adds them in turn;
 *   when all of the node have: adds up the segments it drives, then with the partial sums of other nodes as they come,
 *     and sends each sum to the node the segment belongs to;
 *   sends the results of its node's own segments out, takes in those of others, where they go back;
 *   reads all results, if it gets them.
 * `written` and `finished` of each rank say how many iterations it has written and done with, `filled` of each segment
 * which iteration's result is there. A window is written anew when all ranks of the node have finished the iteration
 * that was in it. Iterations are counted over all calls of the communicator, so calls overlap as iterations do. Nobody
 * waits in a circle: docs/LEVELS.md. */
#include "coll/reduction/reduce_lanes.h"

#include <string.h>

#include "base/align.h"
#include "coll/base/scratch.h"
#include "coll/base/transport.h"
#include "job/job.h"
#include "patterns/limits.h"

/* How a rank's operands come into the region.
 *
 * In turn: rank 0 of a group (patterns/node_groups.h) writes its operands, rank 1 adds its own to them, and so on, part
 * by part, so that rank r is at one part while rank r - 1 is at the next; the rank that drives a segment adds the sums
 * of the groups. Each operand is touched once, where else all but one are written and read again: p m bytes instead of
 * 2 (p - 1) m, of p ranks and m bytes. The order of additions is the same: that of the ranks in a group, then that of
 * the groups. It takes a hand-over for each rank of a group until the first part is summed up, so it is for vectors of
 * many parts, and for ranks with a processor each, as all wait for the slowest. */

/* Those of one call on this rank. */
struct operands {
    const struct topo_node *node;
    const struct topo_vector *vector;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_order *order;
    const struct topo_bench *bench;
    int iteration, part; /* in turn: what is next */
};

/* How many of `count` elements of the vector, from `at` on, lie one after the other in the input, and where. */
static size_t own(const struct topo_vector *vector, const struct topo_reduce_lanes_order *order, size_t at,
                  size_t count, const char **elements)
{
    if (!order) {
        *elements = topo_vector_own(vector, at);
        return count;
    }
    int low = 0, high = order->runs - 1; /* the last run that starts at or before `at` */
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (order->first[middle] <= at)
            low = middle;
        else
            high = middle - 1;
    }
    size_t left = order->first[low + 1] - at;
    *elements = topo_vector_own(vector, order->from[low] + at - order->first[low]);
    return left < count ? left : count;
}

/* Elements of a segment. */
struct range {
    size_t first, end;
};

/* Writes so many of this rank's operands of a segment to stored ones, or adds them to those; `to` is where those of the
 * segment begin. */
static int put_range(const struct operands *mine, int iteration, int segment, struct range range, char *to, bool adds)
{
    const struct topo_vector *vector = mine->vector;
    size_t at = topo_reduce_lanes_start(mine->layout, iteration, segment) + range.first;
    size_t count = range.end - range.first;
    int code = MPI_SUCCESS;
    to = topo_stored_at(vector, to, range.first);
    while (count > 0 && code == MPI_SUCCESS) {
        const char *elements;
        size_t some = own(vector, mine->order, at, count, &elements);
        code = adds ? topo_bench_add_own(mine->bench, vector, elements, to, some)
                    : topo_vector_store(vector, elements, to, some);
        to = topo_stored_at(vector, to, some);
        at += some;
        count -= some;
    }
    return code;
}

/* Number of a part among all of the communicator, from 1 on. */
static uint32_t number_of(const struct topo_reduce_lanes_layout *layout, int iteration, int part)
{
    return (uint32_t)(layout->first_part + (uint64_t)iteration * (uint64_t)layout->parts.count + (uint64_t)part + 1);
}

static int put(const struct operands *mine, int iteration, int segment, char *to, bool adds)
{
    const struct range all = {0, (size_t)topo_reduce_lanes_count(mine->layout, iteration, segment)};
    return put_range(mine, iteration, segment, all, to, adds);
}

static char *sum_place(const struct operands *mine, int iteration, int segment)
{
    return topo_reduce_lanes_own_place(mine->layout, mine->plan, iteration, segment);
}

/* Where a group of the node is added up. */
static char *group_place(const struct operands *mine, int iteration, int segment, int group)
{
    if (group == 0)
        return sum_place(mine, iteration, segment);
    int row = mine->layout->pipelined ? group : mine->node->group_start[group];
    return topo_reduce_lanes_place(mine->layout, iteration, row, segment);
}

/* Writes those of an iteration, but for the segments that this rank adds up itself. Returns an MPI error code. */
static int write_operands(const struct operands *mine, int iteration)
{
    const struct topo_reduce_lanes_layout *layout = mine->layout;
    int local = mine->node->local, code = MPI_SUCCESS;
    for (int segment = 0; segment < layout->segments && code == MPI_SUCCESS; segment++) {
        if (local == 0)
            code = put(mine, iteration, segment, sum_place(mine, iteration, segment), false);
        else if (topo_reduce_plan_driver(mine->plan, segment, mine->node->ranks) != local)
            code = put(mine, iteration, segment, topo_reduce_lanes_place(layout, iteration, local, segment), false);
    }
    topo_flag_set(&layout->written[local], (uint32_t)(layout->first + (uint64_t)iteration + 1));
    return code;
}

/* The part that ends the segment at a place in the order. */
static int last_part(const struct topo_reduce_lanes_layout *layout, int place)
{
    return (place / layout->parts.together + 1) * layout->parts.cuts - 1;
}

/* Where operands are added in turn: puts the next part in its place, when it is this rank's turn, and hands it on.
 * False: it is not. *code becomes an MPI error code. */
static bool put_next_part(struct operands *mine, int *code)
{
    const struct topo_reduce_lanes_layout *layout = mine->layout;
    int iteration = mine->iteration, local = mine->node->local, stripes = layout->stripes;
    int first = mine->part / layout->parts.cuts * layout->parts.together, end = first + layout->parts.together;
    size_t cuts = (size_t)layout->parts.cuts, cut = (size_t)mine->part % cuts;
    uint32_t number = number_of(layout, iteration, mine->part);
    int group = mine->node->group.mine;
    bool adds = local > mine->node->group_start[group];
    if (adds && !topo_flag_reached(&layout->handed[local - 1], number))
        return false;
    for (int place = first; place < end && place < layout->segments && *code == MPI_SUCCESS; place++) {
        int segment = mine->plan->order[place / stripes] * stripes + place % stripes;
        size_t count = (size_t)topo_reduce_lanes_count(layout, iteration, segment);
        const struct range range = {count * cut / cuts, count * (cut + 1) / cuts};
        *code = put_range(mine, iteration, segment, range, group_place(mine, iteration, segment, group), adds);
    }
    topo_flag_set(&layout->handed[local], number);
    mine->part = (mine->part + 1) % layout->parts.count;
    mine->iteration += mine->part == 0;
    return true;
}

/* Whether the operands of the node's ranks for a task of this rank are there; tasks are asked for in their order. */
static bool operands_are_there(const struct operands *mine, int iteration, int task)
{
    const struct topo_reduce_lanes_layout *layout = mine->layout;
    const struct topo_node *node = mine->node;
    if (!layout->pipelined)
        return task > 0 || topo_reduce_lanes_reached(layout->written, node->ranks,
                                                     (uint32_t)(layout->first + (uint64_t)iteration + 1));
    uint32_t number = number_of(layout, iteration, last_part(layout, mine->plan->task[task].place));
    int group = 0;
    while (group < node->group.groups && topo_flag_reached(&layout->handed[node->group_start[group + 1] - 1], number))
        group++;
    return group == node->group.groups;
}

/* Adds this rank's operands, which lie in its input: one vector, unless they have another order there or are of another
 * form than stored ones. */
static int add_own(const struct operands *mine, int iteration, int segment, struct topo_pass *pass)
{
    if (!mine->order && !mine->vector->stored.packed)
        return topo_pass_add(pass,
                             topo_vector_own(mine->vector, topo_reduce_lanes_start(mine->layout, iteration, segment)));
    int code = topo_pass_end(pass);
    return code == MPI_SUCCESS ? put(mine, iteration, segment, pass->sum, true) : code;
}

/* Adds up the operands of a group where those of its first rank have their place. */
static int add_group(const struct operands *mine, int iteration, int segment, int group)
{
    const struct topo_reduce_lanes_layout *layout = mine->layout;
    int local = mine->node->group_start[group], end = mine->node->group_start[group + 1], code = MPI_SUCCESS;
    char *sum = group_place(mine, iteration, segment, group);
    if (group > 0 && local == mine->node->local)
        code = put(mine, iteration, segment, sum, false);
    struct topo_pass pass = topo_pass_begin(mine->bench, mine->vector, sum, sum,
                                            (size_t)topo_reduce_lanes_count(layout, iteration, segment));
    while (++local < end && code == MPI_SUCCESS)
        code = local == mine->node->local
                   ? add_own(mine, iteration, segment, &pass)
                   : topo_pass_add(&pass, topo_reduce_lanes_place(layout, iteration, local, segment));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* Then: adds them up, group by group in the order of the ranks, unless that was done in turn; then the sums of the
 * groups. Returns an MPI error code. */
static int add_up_operands(const struct operands *mine, int iteration, int segment)
{
    const struct topo_reduce_lanes_layout *layout = mine->layout;
    char *sum = sum_place(mine, iteration, segment);
    size_t count = (size_t)topo_reduce_lanes_count(layout, iteration, segment);
    int groups = mine->node->group.groups, code = MPI_SUCCESS;
    for (int group = 0; group < groups && !layout->pipelined && code == MPI_SUCCESS; group++)
        code = add_group(mine, iteration, segment, group);
    struct topo_pass pass = topo_pass_begin(mine->bench, mine->vector, sum, sum, count);
    for (int group = 1; group < groups && code == MPI_SUCCESS; group++)
        code = topo_pass_add(&pass, group_place(mine, iteration, segment, group));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* The partial sums and results of one call on their way between nodes, as its plan has them (reduce_plan.h): each is
 * added up where it comes in, and goes on as soon as the order of additions allows. */

/* The message of a stream that goes next. */
struct next {
    int iteration, index;
};

/* Those that this rank drives. */
struct partials {
    const struct topo_comm *comm;
    const struct topo_vector *vector;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    bool returns; /* results go back */
    struct topo_bench bench;
    int messages;         /* of an iteration */
    MPI_Request *request; /* [windows][messages] */
    int *indices;         /* [windows * messages] */
    int *due;             /* [windows][children + tasks] what is added next to an operand, or that none is */
    int *open;            /* [windows] messages that are not through */
    bool *ready;          /* [windows][tasks + children] messages that may go, or have gone */
    struct next *next;    /* [tasks + children] by the first one of each stream */
    char *places;         /* [windows][children] places for partial sums */
    char *block;          /* all of these */
    int begun;
    int expected, arrived; /* iterations whose partial sums are received, and are all there */
    int active;            /* messages under way */
    int code;              /* the call's: an MPI error code, after which nothing starts */
};

enum {
    /* Where no results go back, the partial sums of every so many iterations are waited for: a node that is
     * ahead would fill another one's memory otherwise. */
    WINDOW = TOPO_REDUCE_WINDOWS_MORE
};

/* Messages of an iteration, by their place among the requests of a window: from each child a partial sum, for each task
 * the sum to the parent; where results go back, to each child the result, and for each task that from the parent. */
enum kind { PARTIAL_IN, PARTIAL_OUT, RESULT_OUT, RESULT_IN };

enum { ALL_ADDED = -1, NOT_THERE = -2 }; /* ALL_ADDED: none, as struct topo_reduce_plan_operand has it */

static size_t window_of(const struct partials *partials, int iteration)
{
    return topo_reduce_lanes_window(partials->layout, iteration);
}

static int count_of(const struct partials *partials, int iteration, int segment)
{
    return topo_reduce_lanes_count(partials->layout, iteration, segment);
}

static char *result_place(const struct partials *partials, int iteration, int segment)
{
    return topo_reduce_lanes_place(partials->layout, iteration, partials->layout->rows, segment);
}

/* Operand i of a task's sum. */
static char *operand(const struct partials *partials, int iteration, const struct topo_reduce_plan_task *task, int i)
{
    if (i == 0)
        return topo_reduce_lanes_own_place(partials->layout, partials->plan, iteration, task->segment);
    if (task->parent < 0 && i == task->total)
        return result_place(partials, iteration, task->segment);
    size_t at = window_of(partials, iteration) * (size_t)partials->plan->children + (size_t)(task->child + i - 1);
    return partials->places + at * partials->layout->stride;
}

static int *due_of(const struct partials *partials, int iteration)
{
    return partials->due + window_of(partials, iteration) * (size_t)(partials->plan->children + partials->plan->tasks);
}

static MPI_Request *request_of(const struct partials *partials, int iteration, int message)
{
    return &partials->request[window_of(partials, iteration) * (size_t)partials->messages + (size_t)message];
}

/* Starts message `index` of an iteration: its place among the requests follows its kind. */
static void start(struct partials *partials, int iteration, enum kind kind, int index)
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
static bool *ready_of(const struct partials *partials, int iteration)
{
    return partials->ready +
           window_of(partials, iteration) * (size_t)(partials->plan->tasks + partials->plan->children);
}

/* A message may be sent as far as this rank is concerned: it goes, and what it kept waiting, when those before it in
 * its stream have. Each waits for earlier iterations and segments alone, hence never in a circle. */
static void send(struct partials *partials, int iteration, enum kind kind, int index)
{
    const struct topo_reduce_plan *plan = partials->plan;
    const bool to_child = kind == RESULT_OUT;
    const struct topo_reduce_plan_stream *stream = to_child ? plan->child_stream : plan->task_stream;
    const int base = to_child ? plan->tasks : 0;
    struct next *next = &partials->next[base + stream[index].first];
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
static void receive(struct partials *partials, int iteration, enum kind kind)
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

static void result_is_there(struct partials *partials, int iteration, const struct topo_reduce_plan_task *task)
{
    topo_reduce_lanes_fill(partials->layout, iteration, task->segment);
    for (int i = 0; i < task->children && partials->returns; i++)
        send(partials, iteration, RESULT_OUT, task->child + i);
}

static void add(struct partials *partials, const char *operands, char *sum, int count)
{
    if (partials->code == MPI_SUCCESS)
        partials->code = topo_bench_add(&partials->bench, partials->vector, operands, sum, (size_t)count);
}

/* Operand i of the sum of task `index` is there: it is added, and what it kept waiting, as far as their order allows.
 * 0: the node's own. */
static void operand_is_there(struct partials *partials, int iteration, int index, int i)
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

/* Posts those of partial sums that may be received now, where `begun` iterations have begun. */
static void expect_partials(struct partials *partials, int begun)
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

/* Posts the receives of an iteration whose window is free; those before it have begun. */
static void begin_partials(struct partials *partials, int iteration)
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
    expect_partials(partials, iteration + 1);
}

/* Whether all messages of an iteration that has begun are through. */
static bool are_through(const struct partials *partials, int iteration)
{
    return partials->open[window_of(partials, iteration)] == 0;
}

/* The iteration from `done` on that is in a window. */
static int iteration_in(const struct partials *partials, int window, int done)
{
    int iteration = done;
    while (window_of(partials, iteration) != (size_t)window)
        iteration++;
    return iteration;
}

/* Takes in what has arrived and drops what was sent, of iterations from `done` on. False: nothing was. */
static bool take_messages(struct partials *partials, int done)
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
            operand_is_there(partials, iteration, plan->task_of[at], at - plan->task[plan->task_of[at]].child + 1);
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
static size_t use_block(struct partials *partials, char *block)
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

/* For a call with comm, vector, plan, layout and `returns` set; false when memory is out. After it
 * close_partials(). */
static bool open_partials(struct partials *partials)
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
        partials->next[i] = (struct next){0, i < partials->plan->tasks ? i : i - partials->plan->tasks};
    return true;
}

static void close_partials(struct partials *partials)
{
    topo_bench_close(&partials->bench);
    /* After a failure messages may still be on their way into the partial sums: the block is left to them. */
    if (partials->code == MPI_SUCCESS)
        topo_scratch_give(partials->block);
}

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_vector *vector;
    struct topo_node *node;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_io *io;
    struct partials partials; /* with the call's error code */
    struct operands operands;
    bool *read;                                 /* [segments] of read_iteration: done with */
    int begun, read_iteration, unread, read_at; /* segments not read, 0 before the first, and where to look next */
    int sum_iteration, sum_task;
    int done; /* iterations finished by this rank */
};

/* True when the window of `iteration` may be written. */
static bool is_free(const struct run *run, int iteration)
{
    uint64_t number = run->layout->first + (uint64_t)iteration;
    return topo_reduce_lanes_reached(
        run->layout->finished, run->node->ranks,
        topo_iterations_before(number, run->layout->windows, run->node->reduce_iterations.settled));
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
    while (run->done < most && are_through(&run->partials, run->done))
        run->done++;
    expect_partials(&run->partials, run->begun);
    if (run->done > before)
        topo_flag_set(&run->layout->finished[run->node->local], (uint32_t)(run->layout->first + (uint64_t)run->done));
}

/* Puts its next operands in turn, where that is how they are put. */
static bool put_part(struct run *run)
{
    if (!run->layout->pipelined || run->operands.iteration == run->begun || run->partials.code != MPI_SUCCESS ||
        !put_next_part(&run->operands, &run->partials.code))
        return false;
    if (run->operands.part == 0)
        finish_iterations(run);
    return true;
}

/* Begins an iteration when there is room for it: posts its receives, writes this rank's operands. */
static bool begin_iteration(struct run *run)
{
    int iteration = run->begun;
    if (iteration == run->layout->iterations || !is_free(run, iteration))
        return false;
    begin_partials(&run->partials, iteration);
    if (!run->layout->pipelined && run->partials.code == MPI_SUCCESS)
        run->partials.code = write_operands(&run->operands, iteration);
    run->begun++;
    return true;
}

/* Adds up the node's operands of one segment that this rank drives. */
static bool add_segment(struct run *run)
{
    int iteration = run->sum_iteration, index = run->sum_task;
    if (iteration == run->begun || (index < run->plan->tasks && !operands_are_there(&run->operands, iteration, index)))
        return false;
    if (index < run->plan->tasks) {
        int segment = run->plan->task[index].segment, count = topo_reduce_lanes_count(run->layout, iteration, segment);
        if (count > 0 && run->partials.code == MPI_SUCCESS)
            run->partials.code = add_up_operands(&run->operands, iteration, segment);
        if (count > 0)
            operand_is_there(&run->partials, iteration, index, 0);
        run->sum_task++;
    }
    if (run->sum_task >= run->plan->tasks) {
        run->sum_task = 0;
        run->sum_iteration++;
        finish_iterations(run);
    }
    return true;
}

/* The segments of read_iteration of which this rank gets something. */
static void begin_reading(struct run *run)
{
    for (int segment = 0; segment < run->layout->segments; segment++) {
        size_t end, first = topo_reduce_lanes_wanted(run->layout, &run->io->range, run->read_iteration, segment, &end);
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
        size_t end, first = topo_reduce_lanes_wanted(run->layout, &run->io->range, iteration, segment, &end),
                    place = first - topo_reduce_lanes_start(run->layout, iteration, segment);
        if (run->partials.code == MPI_SUCCESS)
            run->partials.code = topo_vector_fetch(
                run->vector,
                topo_stored_at(run->vector, topo_reduce_lanes_place(run->layout, iteration, run->layout->rows, segment),
                               place),
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

static int run_iterations(struct run *run)
{
    int idle = 0;
    while (run->partials.code == MPI_SUCCESS && run->done < run->layout->iterations) {
        bool moved = take_messages(&run->partials, run->done);
        if (moved)
            finish_iterations(run);
        moved |= begin_iteration(run);
        moved |= put_part(run);
        moved |= add_segment(run);
        moved |= read_segment(run);
        if (moved)
            idle = 0;
        else
            topo_idle(&idle, run->partials.active == 0, &run->node->wait_policy);
    }
    run->node->reduce_iterations.iteration += (uint64_t)run->layout->iterations;
    if (run->layout->pipelined)
        run->node->reduce_iterations.handed += (uint64_t)run->layout->iterations * (uint64_t)run->layout->parts.count;
    return run->partials.code;
}

int topo_reduce_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, const struct topo_reduce_plan *plan,
                          const struct topo_reduce_lanes_layout *layout, const struct topo_reduce_lanes_io *io)
{
    struct run run = {.vector = vector, .node = comm->node, .plan = plan, .layout = layout, .io = io};
    run.partials =
        (struct partials){.comm = comm, .vector = vector, .plan = plan, .layout = layout, .returns = io->returns};
    run.operands = (struct operands){comm->node, vector, plan, layout, io->order, &run.partials.bench, 0, 0};
    run.read = topo_scratch_take((size_t)layout->segments * sizeof *run.read);
    int code = MPI_ERR_NO_MEM;
    if (run.read && open_partials(&run.partials)) {
        code = run_iterations(&run);
        close_partials(&run.partials);
    }
    topo_scratch_give(run.read);
    return code;
}

/* Along which levels the sums that all nodes get travel, and a rank's part in them: once for a communicator. */
bool topo_reduce_lanes_find_direct(const struct topo_comm *comm, size_t bytes, bool *direct)
{
    struct topo_node *node = comm->node;
    if (!node->sum_levels) {
        /* The radix of the short form: it gives the same bits. */
        if (topo_levels_new(comm->tree, TOPO_RADIX, &node->sum_levels) != TOPO_OK)
            return false;
        if (topo_reduce_cut_sent_more(node->levels, node->sum_levels, &node->sent_more) != TOPO_OK) {
            topo_levels_free(node->sum_levels);
            node->sum_levels = NULL;
            return false;
        }
    }
    *direct = topo_reduce_cut_direct(bytes, comm->layout.nodes, node->sent_more, topo_job.oversubscribed);
    return true;
}

const struct topo_reduce_plan *topo_reduce_lanes_plan(const struct topo_comm *comm, int stripes, bool direct)
{
    struct topo_node *node = comm->node;
    if (node->plan && node->plan->stripes == stripes && node->plan_direct == direct)
        return node->plan;
    topo_reduce_plan_free(node->plan);
    node->plan = NULL;
    node->plan_direct = direct;
    topo_reduce_plan_new(direct ? node->levels : node->sum_levels, node->sum_levels, node->index, node->local, stripes,
                         topo_job.oversubscribed, &node->plan);
    return node->plan;
}
