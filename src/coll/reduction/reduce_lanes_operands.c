/* How a rank's operands come into the region.
 *
 * In turn: rank 0 of a group (patterns/node_groups.h) writes its operands, rank 1 adds its own to them, and so on, part
 * by part, so that rank r is at one part while rank r - 1 is at the next; the rank that drives a segment adds the sums
 * of the groups. Each operand is touched once, where else all but one are written and read again: p m bytes instead of
 * 2 (p - 1) m, of p ranks and m bytes. The order of additions is the same: that of the ranks in a group, then that of
 * the groups. It takes a hand-over for each rank of a group until the first part is summed up, so it is for vectors of
 * many parts, and for ranks with a processor each, as all wait for the slowest. */
#include "coll/reduction/reduce_lanes_operands.h"

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
static int put_range(const struct topo_reduce_lanes_operands *mine, int iteration, int segment, struct range range,
                     char *to, bool adds)
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

static int put(const struct topo_reduce_lanes_operands *mine, int iteration, int segment, char *to, bool adds)
{
    const struct range all = {0, (size_t)topo_reduce_lanes_count(mine->layout, iteration, segment)};
    return put_range(mine, iteration, segment, all, to, adds);
}

static char *sum_place(const struct topo_reduce_lanes_operands *mine, int iteration, int segment)
{
    return topo_reduce_lanes_own_place(mine->layout, mine->plan, iteration, segment);
}

/* Where a group of the node is added up. */
static char *group_place(const struct topo_reduce_lanes_operands *mine, int iteration, int segment, int group)
{
    if (group == 0)
        return sum_place(mine, iteration, segment);
    int row = mine->layout->pipelined ? group : mine->node->group_start[group];
    return topo_reduce_lanes_place(mine->layout, iteration, row, segment);
}

int topo_reduce_lanes_write(const struct topo_reduce_lanes_operands *mine, int iteration)
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

bool topo_reduce_lanes_put_part(struct topo_reduce_lanes_operands *mine, int *code)
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

bool topo_reduce_lanes_are_there(const struct topo_reduce_lanes_operands *mine, int iteration, int task)
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
static int add_own(const struct topo_reduce_lanes_operands *mine, int iteration, int segment, struct topo_pass *pass)
{
    if (!mine->order && !mine->vector->stored.packed)
        return topo_pass_add(pass,
                             topo_vector_own(mine->vector, topo_reduce_lanes_start(mine->layout, iteration, segment)));
    int code = topo_pass_end(pass);
    return code == MPI_SUCCESS ? put(mine, iteration, segment, pass->sum, true) : code;
}

/* Adds up the operands of a group where those of its first rank have their place. */
static int add_group(const struct topo_reduce_lanes_operands *mine, int iteration, int segment, int group)
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

int topo_reduce_lanes_add_up(const struct topo_reduce_lanes_operands *mine, int iteration, int segment)
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
