/* One call of a reduction by a plan in rounds (plan/plan.h): what the ranks of a node do in its windows. `written` of
 * each rank says how many rounds it has given its operands for. Nobody waits in a circle: docs/LEVELS.md. */
#include "coll/reduction/reduce_lanes.h"

#include <string.h>

#include "coll/base/scratch.h"
#include "coll/engine/engine.h"
#include "job/job.h"

/* How a rank's operands come into the region.
 *
 * In turn: rank 0 of a group (patterns/node_groups.h) writes its operands, rank 1 adds its own to them, and so on, part
 * by part, so that rank r is at one part while rank r - 1 is at the next; the rank that drives a segment adds the sums
 * of the groups. Each operand is touched once, where else all but one are written and read again: p m bytes instead of
 * 2 (p - 1) m, of p ranks and m bytes. The order of additions is the same: that of the ranks in a group, then that of
 * the groups. It takes a hand-over for each rank of a group until the first part is summed up, so it is for vectors of
 * many parts, and for ranks with a processor each, as all wait for the slowest. */

/* One call on this rank. */
struct run {
    const struct topo_vector *vector;
    const struct topo_node *node;
    const struct topo_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    const struct topo_reduce_lanes_io *io;
    struct topo_bench bench;
    const struct topo_turn *order;      /* blocks in the order in which the node wants them */
    const struct topo_turn *mine, *end; /* those that this rank adds up, in it */
    int part;                           /* in turn: what is given next */
    int place;                          /* in this order, of the segment that is added up next */
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
static int put_range(const struct run *run, int round, int segment, struct range range, char *to, bool adds)
{
    const struct topo_vector *vector = run->vector;
    size_t at = topo_reduce_lanes_start(run->layout, round, segment) + range.first;
    size_t count = range.end - range.first;
    int code = MPI_SUCCESS;
    to = topo_stored_at(vector, to, range.first);
    while (count > 0 && code == MPI_SUCCESS) {
        const char *elements;
        size_t some = own(vector, run->io->order, at, count, &elements);
        code = adds ? topo_bench_add_own(&run->bench, vector, elements, to, some)
                    : topo_vector_store(vector, elements, to, some);
        to = topo_stored_at(vector, to, some);
        at += some;
        count -= some;
    }
    return code;
}

/* Numbers of a part and of a round among all of the communicator, from 1 on. */
static uint32_t number_of(const struct topo_reduce_lanes_layout *layout, int round, int part)
{
    const uint64_t before = layout->windows.all->handed + (uint64_t)round * (uint64_t)layout->parts.count;
    return (uint32_t)(before + (uint64_t)part + 1);
}

static uint32_t number_of_round(const struct topo_reduce_lanes_layout *layout, int64_t round)
{
    return (uint32_t)(layout->windows.all->before + (uint64_t)round + 1);
}

static int put(const struct run *run, int round, int segment, char *to, bool adds)
{
    const struct range all = {0, (size_t)topo_reduce_lanes_count(run->layout, round, segment)};
    return put_range(run, round, segment, all, to, adds);
}

/* Where a node adds up its operands: in the place of rank 0's, or, where the sum ends up there, in that of the total.
 */
static char *sum_place(const struct run *run, int round, int segment)
{
    const int row = segment < run->plan->in_place ? run->layout->rows : 0;
    return topo_shm_windows_at(&run->layout->windows, round, row, segment);
}

/* Where a group of the node is added up. */
static char *group_place(const struct run *run, int round, int segment, int group)
{
    if (group == 0)
        return sum_place(run, round, segment);
    int row = run->layout->pipelined ? group : run->node->group_start[group];
    return topo_shm_windows_at(&run->layout->windows, round, row, segment);
}

/* The segment at a place in the order. */
static int segment_at(const struct run *run, int place)
{
    const int stripes = run->layout->stripes;
    return run->order[place / stripes].block + place % stripes;
}

/* Writes the operands of a round, but for the segments that this rank adds up itself. */
static int write_operands(const struct run *run, int round)
{
    const struct topo_reduce_lanes_layout *layout = run->layout;
    const struct topo_turn *mine = run->mine;
    int local = run->node->local, code = MPI_SUCCESS;
    for (int place = 0; place < layout->windows.blocks && code == MPI_SUCCESS; place++) {
        const int segment = segment_at(run, place);
        const bool own = mine < run->end && mine->block == segment;
        mine += own;
        if (local == 0)
            code = put(run, round, segment, sum_place(run, round, segment), false);
        else if (!own)
            code = put(run, round, segment, topo_shm_windows_at(&layout->windows, round, local, segment), false);
    }
    topo_flag_set(&layout->written[local], number_of_round(layout, round));
    return code;
}

/* The part that ends the segment at a place in the order. */
static int last_part(const struct topo_reduce_lanes_layout *layout, int place)
{
    return (place / layout->parts.together + 1) * layout->parts.cuts - 1;
}

/* Where operands are added in turn: puts the next part in its place, when it is this rank's turn, and hands it on.
 * False: it is not. *code becomes an MPI error code. */
static bool put_next_part(struct run *run, int round, int *code)
{
    const struct topo_reduce_lanes_layout *layout = run->layout;
    int local = run->node->local, first = run->part / layout->parts.cuts * layout->parts.together,
        end = first + layout->parts.together;
    size_t cuts = (size_t)layout->parts.cuts, cut = (size_t)run->part % cuts;
    uint32_t number = number_of(layout, round, run->part);
    int group = run->node->group.mine;
    bool adds = local > run->node->group_start[group];
    if (adds && !topo_flag_reached(&layout->handed[local - 1], number))
        return false;
    for (int place = first; place < end && place < layout->windows.blocks && *code == MPI_SUCCESS; place++) {
        int segment = segment_at(run, place);
        size_t count = (size_t)topo_reduce_lanes_count(layout, round, segment);
        const struct range range = {count * cut / cuts, count * (cut + 1) / cuts};
        *code = put_range(run, round, segment, range, group_place(run, round, segment, group), adds);
    }
    topo_flag_set(&layout->handed[local], number);
    run->part = (run->part + 1) % layout->parts.count;
    return true;
}

static enum topo_engine_work give(void *of, int64_t round, int block, int *code)
{
    struct run *run = of;
    (void)block; /* all of the round */
    if (!run->layout->pipelined) {
        *code = write_operands(run, (int)round);
        return TOPO_ENGINE_ALL;
    }
    if (!put_next_part(run, (int)round, code))
        return TOPO_ENGINE_NOTHING;
    return run->part == 0 ? TOPO_ENGINE_ALL : TOPO_ENGINE_SOME;
}

static bool all_have_written(const struct run *run, uint32_t number)
{
    int local = 0;
    while (local < run->node->ranks && topo_flag_reached(&run->layout->written[local], number))
        local++;
    return local == run->node->ranks;
}

/* Whether the operands of the node's ranks are there; segments are asked for in their order. */
static bool are_given(void *of, int64_t round, int segment)
{
    struct run *run = of;
    const struct topo_reduce_lanes_layout *layout = run->layout;
    const struct topo_node *node = run->node;
    if (!layout->pipelined)
        return all_have_written(run, number_of_round(layout, round));
    while (segment_at(run, run->place) != segment)
        run->place = (run->place + 1) % layout->windows.blocks;
    uint32_t number = number_of(layout, (int)round, last_part(layout, run->place));
    int group = 0;
    while (group < node->group.groups && topo_flag_reached(&layout->handed[node->group_start[group + 1] - 1], number))
        group++;
    return group == node->group.groups;
}

/* Adds this rank's operands, which lie in its input: one vector, unless they have another order there or are of another
 * form than stored ones. */
static int add_input(const struct run *run, int round, int segment, struct topo_pass *pass)
{
    if (!run->io->order && !run->vector->stored.packed)
        return topo_pass_add(pass, topo_vector_own(run->vector, topo_reduce_lanes_start(run->layout, round, segment)));
    int code = topo_pass_end(pass);
    return code == MPI_SUCCESS ? put(run, round, segment, pass->sum, true) : code;
}

/* Adds up the operands of a group where those of its first rank have their place. */
static int add_group(const struct run *run, int round, int segment, int group)
{
    const struct topo_reduce_lanes_layout *layout = run->layout;
    int local = run->node->group_start[group], end = run->node->group_start[group + 1], code = MPI_SUCCESS;
    char *sum = group_place(run, round, segment, group);
    if (group > 0 && local == run->node->local)
        code = put(run, round, segment, sum, false);
    struct topo_pass pass =
        topo_pass_begin(&run->bench, run->vector, sum, sum, (size_t)topo_reduce_lanes_count(layout, round, segment));
    while (++local < end && code == MPI_SUCCESS)
        code = local == run->node->local
                   ? add_input(run, round, segment, &pass)
                   : topo_pass_add(&pass, topo_shm_windows_at(&layout->windows, round, local, segment));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

/* Adds up the node's operands, group by group in the order of the ranks, unless that was done in turn; then the sums of
 * the groups. */
static int add_own(const void *of, int64_t period, int segment)
{
    const struct run *run = of;
    const int round = (int)period, groups = run->node->group.groups;
    char *sum = sum_place(run, round, segment);
    int code = MPI_SUCCESS;
    for (int group = 0; group < groups && !run->layout->pipelined && code == MPI_SUCCESS; group++)
        code = add_group(run, round, segment, group);
    struct topo_pass pass = topo_pass_begin(&run->bench, run->vector, sum, sum,
                                            (size_t)topo_reduce_lanes_count(run->layout, round, segment));
    for (int group = 1; group < groups && code == MPI_SUCCESS; group++)
        code = topo_pass_add(&pass, group_place(run, round, segment, group));
    return code == MPI_SUCCESS ? topo_pass_end(&pass) : code;
}

static int add(const void *of, int64_t round, int segment, const char *operand, char *sum)
{
    const struct run *run = of;
    const int count = topo_reduce_lanes_count(run->layout, (int)round, segment);
    return count > 0 ? topo_bench_add(&run->bench, run->vector, operand, sum, (size_t)count) : MPI_SUCCESS;
}

static struct topo_elements place(const void *of, int64_t round, int segment)
{
    const struct run *run = of;
    const size_t count = (size_t)topo_reduce_lanes_count(run->layout, (int)round, segment);
    return (struct topo_elements){topo_shm_windows_at(&run->layout->windows, round, run->layout->rows, segment),
                                  topo_stored_units(run->vector, count), run->vector->stored.wire};
}

static char *own_place(const void *of, int64_t round, int segment)
{
    return sum_place(of, (int)round, segment);
}

static bool wants(const void *of, int64_t round, int segment)
{
    const struct run *run = of;
    size_t end, first = topo_reduce_lanes_wanted(run->layout, &run->io->range, (int)round, segment, &end);
    return first < end;
}

/* Copies out what this rank gets of a segment. */
static int take(const void *of, int64_t round, int segment)
{
    const struct run *run = of;
    const struct topo_vector *vector = run->vector;
    size_t end, first = topo_reduce_lanes_wanted(run->layout, &run->io->range, (int)round, segment, &end);
    if (first >= end)
        return MPI_SUCCESS;
    size_t at = first - topo_reduce_lanes_start(run->layout, (int)round, segment);
    return topo_vector_fetch(vector, topo_stored_at(vector, place(of, round, segment).at, at),
                             topo_vector_at(vector, vector->result, first - run->io->range.first), end - first);
}

/* What the plan says of the segments. */
static void read_plan(struct run *run)
{
    const struct topo_plan *plan = run->plan;
    for (int task = 0; task < plan->tasks; task++) {
        const struct topo_turn *turn = &plan->turn[plan->task[task].turn];
        if (plan->task[task].kind == TOPO_TASK_GIVE)
            run->order = turn;
        if (plan->task[task].kind == TOPO_TASK_ADD) {
            run->mine = turn;
            run->end = turn + plan->task[task].turns;
        }
    }
}

int topo_reduce_lanes_run(struct topo_comm *comm, const struct topo_vector *vector, topo_plan_function *form,
                          const struct topo_plan_input *call, struct topo_reduce_lanes_layout *layout,
                          const struct topo_reduce_lanes_io *io)
{
    struct topo_plan_input in = *call;
    in.stripes = layout->stripes;
    const struct topo_plan *kept = topo_comm_plan(comm, form, &in);
    if (!kept)
        return MPI_ERR_NO_MEM;
    struct topo_plan plan = *kept;
    topo_plan_bind_rounds(&plan, layout->windows.rounds, layout->windows.windows);
    plan.ahead = layout->ahead;
    struct run run = {.vector = vector, .node = comm->node, .plan = &plan, .layout = layout, .io = io};
    const bool all = io->range.first == 0 && io->range.end == vector->count;
    const struct topo_engine_windows windows = {.shm = &layout->windows,
                                                .place = place,
                                                .give = give,
                                                .take = take,
                                                .wants = all ? NULL : wants,
                                                .own = own_place,
                                                .are_given = are_given,
                                                .add_own = add_own,
                                                .add = add,
                                                .longest = layout->windows.stride,
                                                .of = &run};
    if (!topo_bench_open(&run.bench, vector, layout->longest))
        return MPI_ERR_NO_MEM;
    read_plan(&run);
    const int code = topo_engine_run_windows(comm, &plan, &windows);
    topo_bench_close(&run.bench);
    if (layout->pipelined)
        layout->windows.all->handed += (uint64_t)layout->windows.rounds * (uint64_t)layout->parts.count;
    return code;
}

bool topo_reduce_lanes_find_direct(struct topo_comm *comm, size_t bytes, bool *direct)
{
    struct topo_node *node = comm->node;
    /* The radix of the short form: it gives the same bits. */
    const struct topo_levels *sums = topo_node_few_levels(node);
    if (!node->sent_is_known) {
        if (!sums || topo_reduce_cut_sent_more(node->levels, sums, &node->sent_more) != TOPO_OK)
            return false;
        node->sent_is_known = true;
    }
    *direct = topo_reduce_cut_direct(bytes, comm->layout.nodes, node->sent_more, topo_job.oversubscribed);
    return true;
}
