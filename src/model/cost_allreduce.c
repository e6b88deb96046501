/* Costs of the all-reduces between all ranks: on a grid, in stripes or in a folded group, as their plans
 * (plan/sum_ranks.h) and the MPI library's own have them, all ranks' messages of a step at once. */
#include "base/memory.h"
#include "model/cost_parts.h"
#include "model/allreduce_shape.h"
#include "patterns/limits.h"

enum { ELEMENT = 8 }; /* bytes; vectors are of doubles here */

/* Additions of `bytes` on one rank: all but the first packet hide behind the transfer. */
static void add_up(const struct topo_cost_input *in, int rank, double bytes, bool packets)
{
    double first = packets && bytes > TOPO_PACKET_MOST ? TOPO_PACKET_MOST : bytes;
    topo_load_rank_work(in->load, rank, in->params->gamma * first, false);
    if (bytes > first)
        topo_load_rank_work(in->load, rank, in->params->gamma * (bytes - first), true);
}

static void step(const struct topo_cost_input *in, int from, int to, double bytes, bool packets)
{
    double count =
        packets && bytes > TOPO_PACKET_MOST ? (double)(((size_t)bytes + TOPO_PACKET_MOST - 1) / TOPO_PACKET_MOST) : 1;
    topo_load_messages(in->load, from, to, count, bytes);
}

/* One phase of one dimension: `parts` holds the whole part of a rank. */
static double phase(const struct topo_cost_input *in, const struct topo_rank_group *group, const struct topo_grid *grid,
                    int dim, double part, bool adds, bool packets)
{
    int size = grid->size[dim], steps = grid->kind[dim] == TOPO_DIM_RING ? size - 1 : 1;
    int partners = grid->kind[dim] == TOPO_DIM_DIRECT ? size - 1 : 1;
    double block = grid->kind[dim] == TOPO_DIM_EXCHANGE ? part : part / size;
    for (int place = 0; place < grid->ranks; place++) {
        int from = topo_rank_group_rank(group, place);
        for (int i = 1; i <= partners; i++)
            step(in, from, topo_rank_group_rank(group, topo_grid_neighbour(grid, place, dim, i)), block, packets);
        if (adds)
            add_up(in, from, block * partners, packets);
    }
    return topo_load_steps(in->load, steps);
}

/* One phase of one dimension of a vector that has not an element for everybody: which blocks are empty, and
 * so no message, decides. */
static double sparse_phase(const struct topo_cost_input *in, const struct topo_rank_group *group,
                           const struct topo_grid *grid, int dim, struct topo_block whole, bool adds)
{
    int size = grid->size[dim], steps = grid->kind[dim] == TOPO_DIM_RING ? size - 1 : 1;
    int partners = grid->kind[dim] == TOPO_DIM_DIRECT ? size - 1 : 1;
    double seconds = 0;
    for (int step = 0; step < steps; step++) {
        for (int place = 0; place < grid->ranks; place++)
            for (int i = 1; i <= partners; i++) {
                struct topo_block block = topo_grid_part(grid, place, dim, whole);
                int other = topo_grid_neighbour(grid, place, dim, i);
                int mine = topo_grid_coordinate(grid, place, dim), theirs = topo_grid_coordinate(grid, other, dim);
                if (grid->kind[dim] == TOPO_DIM_RING)
                    block = topo_block_of(block, size, (mine + !adds + size - step) % size);
                else if (grid->kind[dim] == TOPO_DIM_DIRECT)
                    block = topo_block_of(block, size, topo_grid_own_block(grid, dim, adds ? theirs : mine));
                if (!block.count)
                    continue;
                double bytes = (double)block.count * ELEMENT;
                topo_load_message(in->load, topo_rank_group_rank(group, place), topo_rank_group_rank(group, other),
                                  bytes);
                if (adds)
                    topo_load_rank_work(in->load, topo_rank_group_rank(group, other), in->params->gamma * bytes, false);
            }
        seconds += topo_load_step(in->load);
    }
    return seconds;
}

/* Both phases of all dimensions. */
static double grid_steps(const struct topo_cost_input *in, const struct topo_rank_group *group,
                         const struct topo_grid *grid, double bytes, bool packets)
{
    double seconds = 0, part = bytes;
    struct topo_block whole = {0, bytes > ELEMENT ? (size_t)bytes / ELEMENT : 1};
    bool sparse = bytes > 0 && whole.count < (size_t)grid->ranks;
    for (int dim = 0; dim < grid->dims; dim++) {
        bool returns = grid->kind[dim] != TOPO_DIM_EXCHANGE;
        double here =
            sparse ? sparse_phase(in, group, grid, dim, whole, true) : phase(in, group, grid, dim, part, true, packets);
        if (returns) {
            here += sparse ? sparse_phase(in, group, grid, dim, whole, false)
                           : phase(in, group, grid, dim, part, false, packets);
            part /= grid->size[dim];
        }
        seconds += here;
    }
    return seconds;
}

double topo_cost_folded(const struct topo_cost_input *in, const struct topo_numbers *rank_at, enum topo_dim_kind kind,
                        double bytes, bool packets)
{
    struct topo_rank_group group = topo_rank_group_folded(in->tree->ranks, rank_at);
    struct topo_grid grid = {.ranks = 1};
    double seconds = 0;
    for (; grid.ranks < group.ranks - group.extra; grid.ranks *= 2) {
        grid.size[grid.dims] = 2;
        grid.kind[grid.dims++] = kind;
    }
    for (int adds = 1; adds >= 0 && group.extra > 0; adds--) {
        for (int i = 0; i < group.extra; i++) {
            int first = topo_cost_rank_at(rank_at, 2 * i), second = topo_cost_rank_at(rank_at, 2 * i + 1);
            step(in, adds ? second : first, adds ? first : second, bytes, packets);
            if (adds)
                add_up(in, first, bytes, packets);
        }
        seconds += topo_load_step(in->load);
    }
    return seconds + grid_steps(in, &group, &grid, bytes, packets);
}

/* The stripes scheme (patterns/stripes.h): into the owners, round the nodes, and back. */
static double stripes_steps(const struct topo_cost_input *in, const struct topo_stripes *stripes, double bytes)
{
    double stripe = bytes / stripes->stripes, block = stripe / stripes->nodes, seconds = 0;
    for (int adds = 1; adds >= 0; adds--) {
        for (int s = 0; s < stripes->stripes; s++)
            for (int node = 0; node < stripes->nodes; node++) {
                int owner = topo_stripes_rank(stripes, node, s);
                for (int member = 0; member < topo_stripes_members(stripes, node); member++) {
                    int other = topo_stripes_member(stripes, node, member);
                    if (other == owner)
                        continue;
                    step(in, adds ? other : owner, adds ? owner : other, stripe, true);
                    if (adds)
                        add_up(in, owner, stripe, true);
                }
            }
        seconds += topo_load_step(in->load);
        for (int s = 0; s < stripes->stripes && stripes->nodes > 1; s++)
            for (int node = 0; node < stripes->nodes; node++) {
                int next = topo_stripes_rank(stripes, (node + 1) % stripes->nodes, s);
                step(in, topo_stripes_rank(stripes, node, s), next, block, true);
                if (adds)
                    add_up(in, next, block, true);
            }
        seconds += topo_load_steps(in->load, stripes->nodes - 1);
    }
    return seconds;
}

/* The shape that the library takes for this size. */
static double shaped(const struct topo_cost_input *in, enum topo_allreduce_shape_kind kind)
{
    struct topo_rank_group group = topo_rank_group_of(in->tree->ranks, &in->tree->order);
    TOPO_SCOPED_BY(topo_stripes_free) struct topo_stripes stripes = {0};
    struct topo_allreduce_shape shape = {0};
    const double bytes = (double)in->call->bytes;
    size_t asked = 1; /* shapes are worked out for powers of two */
    while (asked <= in->call->bytes / 2)
        asked *= 2;
    if (topo_stripes_of(in->tree, &stripes) != TOPO_OK ||
        topo_allreduce_shape_choose(in->tree, in->params, &stripes, kind, asked, false, &shape, NULL) != TOPO_OK)
        return -1;
    return shape.stripes ? stripes_steps(in, &stripes, bytes) : grid_steps(in, &group, &shape.grid, bytes, true);
}

double topo_cost_allreduce_cyclic(const struct topo_cost_input *in)
{
    return shaped(in, TOPO_SHAPE_CYCLIC);
}

double topo_cost_allreduce_mixed_grid(const struct topo_cost_input *in)
{
    return shaped(in, TOPO_SHAPE_MIXED);
}

double topo_cost_allreduce_recursive_doubling(const struct topo_cost_input *in)
{
    return topo_cost_folded(in, NULL, TOPO_DIM_EXCHANGE, (double)in->call->bytes, true);
}

double topo_cost_allreduce_recursive_doubling_renumbered(const struct topo_cost_input *in)
{
    return topo_cost_folded(in, in->order, TOPO_DIM_EXCHANGE, (double)in->call->bytes, true);
}

double topo_cost_allreduce_recursive_halving(const struct topo_cost_input *in)
{
    return topo_cost_folded(in, &in->tree->order, TOPO_DIM_RING, (double)in->call->bytes, true);
}

double topo_cost_allreduce_native(const struct topo_cost_input *in)
{
    int n = in->tree->ranks;
    struct topo_rank_group group = topo_rank_group_of(n, NULL);
    struct topo_grid line = {.ranks = n, .dims = n > 1, .size = {n}, .kind = {TOPO_DIM_RING}};
    if (in->call->han && topo_cost_han_applies(in))
        return topo_cost_han_allreduce(in);
    switch (topo_tuned_allreduce(n, in->call->bytes)) {
    case TOPO_TUNED_RING: return grid_steps(in, &group, &line, (double)in->call->bytes, false);
    case TOPO_TUNED_RABENSEIFNER: return topo_cost_folded(in, NULL, TOPO_DIM_RING, (double)in->call->bytes, false);
    case TOPO_TUNED_LINEAR:
        return topo_cost_tree(in, NULL, n, 0, (double)in->call->bytes, TOPO_TREE_REDUCE) +
               topo_cost_tree(in, NULL, n, 0, (double)in->call->bytes, TOPO_TREE_BROADCAST);
    default: return topo_cost_folded(in, NULL, TOPO_DIM_EXCHANGE, (double)in->call->bytes, false);
    }
}
