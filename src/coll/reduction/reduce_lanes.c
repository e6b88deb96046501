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
#include "coll/reduction/reduce_lanes_operands.h"
#include "coll/reduction/reduce_lanes_partials.h"

/* One call on this rank. Turn numbers here start at 0 with this call. */
struct run {
    const struct topo_vector *vector;
    struct topo_node *node;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_io *io;
    struct topo_reduce_lanes_partials partials; /* with the call's error code */
    struct topo_reduce_lanes_operands operands;
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
    while (run->done < most && topo_reduce_lanes_partials_are_through(&run->partials, run->done))
        run->done++;
    topo_reduce_lanes_partials_expect(&run->partials, run->begun);
    if (run->done > before)
        topo_flag_set(&run->layout->finished[run->node->local], (uint32_t)(run->layout->first + (uint64_t)run->done));
}

/* Puts its next operands in turn, where that is how they are put. */
static bool put_part(struct run *run)
{
    if (!run->layout->pipelined || run->operands.iteration == run->begun || run->partials.code != MPI_SUCCESS ||
        !topo_reduce_lanes_put_part(&run->operands, &run->partials.code))
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
    topo_reduce_lanes_partials_begin(&run->partials, iteration);
    if (!run->layout->pipelined && run->partials.code == MPI_SUCCESS)
        run->partials.code = topo_reduce_lanes_write(&run->operands, iteration);
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
        int segment = run->plan->task[index].segment, count = topo_reduce_lanes_count(run->layout, iteration, segment);
        if (count > 0 && run->partials.code == MPI_SUCCESS)
            run->partials.code = topo_reduce_lanes_add_up(&run->operands, iteration, segment);
        if (count > 0)
            topo_reduce_lanes_partials_add(&run->partials, iteration, index, 0);
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
        bool moved = topo_reduce_lanes_partials_take(&run->partials, run->done);
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
    run.partials = (struct topo_reduce_lanes_partials){
        .comm = comm, .vector = vector, .plan = plan, .layout = layout, .returns = io->returns};
    run.operands =
        (struct topo_reduce_lanes_operands){comm->node, vector, plan, layout, io->order, &run.partials.bench, 0, 0};
    run.read = topo_scratch_take((size_t)layout->segments * sizeof *run.read);
    int code = MPI_ERR_NO_MEM;
    if (run.read && topo_reduce_lanes_partials_open(&run.partials)) {
        code = run_iterations(&run);
        topo_reduce_lanes_partials_close(&run.partials);
    }
    topo_scratch_give(run.read);
    return code;
}
