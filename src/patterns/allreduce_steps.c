#include "patterns/allreduce_steps.h"

#include "base/memory.h"

void topo_allreduce_steps_add(struct topo_allreduce_steps *steps, struct topo_allreduce_step step)
{
    steps->failed = steps->failed || !topo_grow(&steps->list, (size_t)steps->count, sizeof *steps->list);
    if (!steps->failed)
        steps->list[steps->count++] = step;
}

void topo_allreduce_steps_clear(struct topo_allreduce_steps *steps)
{
    steps->count = 0;
}

void topo_allreduce_steps_free(struct topo_allreduce_steps *steps)
{
    topo_free(steps->list);
    *steps = (struct topo_allreduce_steps){0};
}

struct topo_rank_group topo_rank_group_of(int ranks, const struct topo_numbers *rank_at)
{
    return (struct topo_rank_group){ranks, 0, rank_at ? *rank_at : (struct topo_numbers){0}};
}

struct topo_rank_group topo_rank_group_folded(int ranks, const struct topo_numbers *rank_at)
{
    int power = 1;
    while (power <= ranks / 2)
        power *= 2;
    struct topo_rank_group group = topo_rank_group_of(ranks, rank_at);
    group.extra = ranks - power;
    return group;
}

/* The rank that plays a number. */
static int rank_at(const struct topo_rank_group *group, int number)
{
    return group->rank_at.count ? topo_numbers_at(&group->rank_at, number) : number;
}

int topo_rank_group_rank(const struct topo_rank_group *group, int place)
{
    return rank_at(group, place < group->extra ? 2 * place : place + group->extra);
}

int topo_rank_group_place(const struct topo_rank_group *group, int number)
{
    if (number >= 2 * group->extra)
        return number - group->extra;
    return number % 2 ? -1 : number / 2;
}

/* Order of the operands when `own` and `other` are their places. */
static unsigned in_order(int own, int other)
{
    return own < other ? TOPO_ALLREDUCE_STEP_OWN_LEFT : TOPO_ALLREDUCE_STEP_INCOMING_LEFT;
}

void topo_allreduce_steps_send(struct topo_allreduce_steps *steps, int to, struct topo_block block, unsigned flags)
{
    struct topo_block nothing = {block.at, 0};
    topo_allreduce_steps_add(steps, (struct topo_allreduce_step){to, -1, block, nothing, flags, steps->count});
}

void topo_allreduce_steps_receive(struct topo_allreduce_steps *steps, int from, struct topo_block block, unsigned flags)
{
    struct topo_block nothing = {block.at, 0};
    topo_allreduce_steps_add(steps, (struct topo_allreduce_step){-1, from, nothing, block, flags, steps->count});
}

void topo_allreduce_steps_ring(struct topo_allreduce_steps *steps, int size, int coordinate, int to, int from,
                               struct topo_block part, unsigned flags)
{
    int first = coordinate + (flags & TOPO_ALLREDUCE_STEP_ADD ? 0 : 1);
    for (int step = 0; step < size - 1; step++) {
        int block = (first - step + size) % size;
        topo_allreduce_steps_add(steps, (struct topo_allreduce_step){
                                            to, from, topo_block_of(part, size, block),
                                            topo_block_of(part, size, (block + size - 1) % size), flags, steps->count});
        flags &= ~(unsigned)TOPO_ALLREDUCE_STEP_SENDS_INPUT;
    }
}

/* Phase 1 or 2 of one DIRECT dimension: the member at coordinate c adds up block c. */
static void add_direct(struct topo_allreduce_steps *steps, int size, int coordinate,
                       const struct topo_rank_group *group, const struct topo_grid *grid, int place, int dim,
                       struct topo_block part, unsigned flags)
{
    int after = steps->count;
    struct topo_block own = topo_block_of(part, size, coordinate);
    for (int apart = 1; apart < size; apart++) {
        int to = (coordinate + apart) % size, from = (coordinate + size - apart) % size;
        struct topo_allreduce_step step = {topo_rank_group_rank(group, topo_grid_neighbour(grid, place, dim, apart)),
                                           topo_rank_group_rank(group, topo_grid_neighbour(grid, place, dim, -apart)),
                                           own,
                                           topo_block_of(part, size, from),
                                           flags,
                                           after};
        if (flags & TOPO_ALLREDUCE_STEP_ADD) {
            step.send = topo_block_of(part, size, to);
            step.receive = own;
        }
        topo_allreduce_steps_add(steps, step);
        flags &= ~(unsigned)TOPO_ALLREDUCE_STEP_MEETS_INPUT;
    }
}

static void add_dimension(struct topo_allreduce_steps *steps, const struct topo_rank_group *group, int place,
                          const struct topo_grid *grid, int dim, struct topo_block part, unsigned flags, bool ordered)
{
    int next = topo_grid_neighbour(grid, place, dim, 1), previous = topo_grid_neighbour(grid, place, dim, -1);
    int to = topo_rank_group_rank(group, next), from = topo_rank_group_rank(group, previous), size = grid->size[dim];
    int coordinate = topo_grid_coordinate(grid, place, dim);
    bool adds = flags & TOPO_ALLREDUCE_STEP_ADD;
    if (adds && (ordered || grid->kind[dim] == TOPO_DIM_EXCHANGE))
        flags |= in_order(place, next);
    switch (grid->kind[dim]) {
    case TOPO_DIM_RING: topo_allreduce_steps_ring(steps, size, coordinate, to, from, part, flags); break;
    case TOPO_DIM_DIRECT: add_direct(steps, size, coordinate, group, grid, place, dim, part, flags); break;
    case TOPO_DIM_EXCHANGE:
        if (adds)
            topo_allreduce_steps_add(steps, (struct topo_allreduce_step){to, from, part, part, flags, steps->count});
        break;
    }
}

void topo_allreduce_steps_grid(struct topo_allreduce_steps *steps, const struct topo_rank_group *group, int number,
                               const struct topo_grid *grid, struct topo_block whole, bool ordered)
{
    int place = topo_rank_group_place(group, number);
    unsigned input = TOPO_ALLREDUCE_STEP_SENDS_INPUT | TOPO_ALLREDUCE_STEP_MEETS_INPUT;
    bool folded = number < 2 * group->extra;
    if (place < 0) {
        topo_allreduce_steps_send(steps, rank_at(group, number - 1), whole, TOPO_ALLREDUCE_STEP_SENDS_INPUT);
        topo_allreduce_steps_receive(steps, rank_at(group, number - 1), whole, 0);
        return;
    }
    if (folded) {
        topo_allreduce_steps_receive(steps, rank_at(group, number + 1), whole,
                                     TOPO_ALLREDUCE_STEP_ADD | TOPO_ALLREDUCE_STEP_OWN_LEFT |
                                         TOPO_ALLREDUCE_STEP_MEETS_INPUT);
        input = 0;
    }
    for (int dim = 0; dim < grid->dims; dim++) {
        add_dimension(steps, group, place, grid, dim, topo_grid_part(grid, place, dim, whole),
                      TOPO_ALLREDUCE_STEP_ADD | input, ordered);
        input = 0;
    }
    for (int dim = grid->dims - 1; dim >= 0; dim--)
        add_dimension(steps, group, place, grid, dim, topo_grid_part(grid, place, dim, whole), 0, false);
    if (folded)
        topo_allreduce_steps_send(steps, rank_at(group, number + 1), whole, 0);
}
