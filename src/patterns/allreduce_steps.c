#include "patterns/allreduce_steps.h"

#include "base/memory.h"

void topo_moves_add(struct topo_moves *moves, struct topo_move move)
{
    if (moves->count == moves->capacity) {
        int capacity = moves->capacity ? 2 * moves->capacity : 32;
        struct topo_move *list =
            moves->failed ? NULL : topo_realloc(moves->list, (size_t)capacity, sizeof *moves->list);
        if (!list) {
            moves->failed = true;
            return;
        }
        moves->list = list;
        moves->capacity = capacity;
    }
    moves->list[moves->count++] = move;
}

void topo_moves_clear(struct topo_moves *moves)
{
    moves->count = 0;
}

void topo_moves_free(struct topo_moves *moves)
{
    topo_free(moves->list);
    *moves = (struct topo_moves){0};
}

struct topo_crew topo_crew_of(int ranks, const int *player)
{
    return (struct topo_crew){ranks, 0, player};
}

struct topo_crew topo_crew_folded(int ranks, const int *player)
{
    int power = 1;
    while (power <= ranks / 2)
        power *= 2;
    return (struct topo_crew){ranks, ranks - power, player};
}

/* The rank that plays a number. */
static int player_of(const struct topo_crew *crew, int number)
{
    return crew->player ? crew->player[number] : number;
}

int topo_crew_rank(const struct topo_crew *crew, int place)
{
    return player_of(crew, place < crew->extra ? 2 * place : place + crew->extra);
}

int topo_crew_place(const struct topo_crew *crew, int number)
{
    if (number >= 2 * crew->extra)
        return number - crew->extra;
    return number % 2 ? -1 : number / 2;
}

/* Order of the operands when `own` and `other` are their places. */
static unsigned in_order(int own, int other)
{
    return own < other ? TOPO_MOVE_OWN_LEFT : TOPO_MOVE_INCOMING_LEFT;
}

void topo_moves_send(struct topo_moves *moves, int to, struct topo_block block, unsigned flags)
{
    struct topo_block nothing = {block.at, 0};
    topo_moves_add(moves, (struct topo_move){to, -1, block, nothing, flags, moves->count});
}

void topo_moves_receive(struct topo_moves *moves, int from, struct topo_block block, unsigned flags)
{
    struct topo_block nothing = {block.at, 0};
    topo_moves_add(moves, (struct topo_move){-1, from, nothing, block, flags, moves->count});
}

void topo_moves_ring(struct topo_moves *moves, int size, int coordinate, int to, int from, struct topo_block part,
                     unsigned flags)
{
    int first = coordinate + (flags & TOPO_MOVE_ADD ? 0 : 1);
    for (int step = 0; step < size - 1; step++) {
        int block = (first - step + size) % size;
        topo_moves_add(moves,
                       (struct topo_move){to, from, topo_block_of(part, size, block),
                                          topo_block_of(part, size, (block + size - 1) % size), flags, moves->count});
        flags &= ~(unsigned)TOPO_MOVE_SENDS_INPUT;
    }
}

/* Phase 1 or 2 of one DIRECT dimension: the member at coordinate c adds up block c. */
static void add_direct(struct topo_moves *moves, int size, int coordinate, const struct topo_crew *crew,
                       const struct topo_grid *grid, int place, int dim, struct topo_block part, unsigned flags)
{
    int after = moves->count;
    struct topo_block own = topo_block_of(part, size, coordinate);
    for (int step = 1; step < size; step++) {
        int to = (coordinate + step) % size, from = (coordinate + size - step) % size;
        struct topo_move move = {topo_crew_rank(crew, topo_grid_neighbour(grid, place, dim, step)),
                                 topo_crew_rank(crew, topo_grid_neighbour(grid, place, dim, -step)),
                                 own,
                                 topo_block_of(part, size, from),
                                 flags,
                                 after};
        if (flags & TOPO_MOVE_ADD) {
            move.send = topo_block_of(part, size, to);
            move.receive = own;
        }
        topo_moves_add(moves, move);
        flags &= ~(unsigned)TOPO_MOVE_MEETS_INPUT;
    }
}

static void add_dimension(struct topo_moves *moves, const struct topo_crew *crew, int place,
                          const struct topo_grid *grid, int dim, struct topo_block part, unsigned flags, bool ordered)
{
    int next = topo_grid_neighbour(grid, place, dim, 1), previous = topo_grid_neighbour(grid, place, dim, -1);
    int to = topo_crew_rank(crew, next), from = topo_crew_rank(crew, previous), size = grid->size[dim];
    int coordinate = topo_grid_coordinate(grid, place, dim);
    bool adds = flags & TOPO_MOVE_ADD;
    if (adds && (ordered || grid->kind[dim] == TOPO_DIM_EXCHANGE))
        flags |= in_order(place, next);
    switch (grid->kind[dim]) {
    case TOPO_DIM_RING: topo_moves_ring(moves, size, coordinate, to, from, part, flags); break;
    case TOPO_DIM_DIRECT: add_direct(moves, size, coordinate, crew, grid, place, dim, part, flags); break;
    case TOPO_DIM_EXCHANGE:
        if (adds)
            topo_moves_add(moves, (struct topo_move){to, from, part, part, flags, moves->count});
        break;
    }
}

void topo_moves_grid(struct topo_moves *moves, const struct topo_crew *crew, int number, const struct topo_grid *grid,
                     struct topo_block whole, bool ordered)
{
    int place = topo_crew_place(crew, number);
    unsigned input = TOPO_MOVE_SENDS_INPUT | TOPO_MOVE_MEETS_INPUT;
    bool folded = number < 2 * crew->extra;
    if (place < 0) {
        topo_moves_send(moves, player_of(crew, number - 1), whole, TOPO_MOVE_SENDS_INPUT);
        topo_moves_receive(moves, player_of(crew, number - 1), whole, 0);
        return;
    }
    if (folded) {
        topo_moves_receive(moves, player_of(crew, number + 1), whole,
                           TOPO_MOVE_ADD | TOPO_MOVE_OWN_LEFT | TOPO_MOVE_MEETS_INPUT);
        input = 0;
    }
    for (int dim = 0; dim < grid->dims; dim++) {
        add_dimension(moves, crew, place, grid, dim, topo_grid_part(grid, place, dim, whole), TOPO_MOVE_ADD | input,
                      ordered);
        input = 0;
    }
    for (int dim = grid->dims - 1; dim >= 0; dim--)
        add_dimension(moves, crew, place, grid, dim, topo_grid_part(grid, place, dim, whole), 0, false);
    if (folded)
        topo_moves_send(moves, player_of(crew, number + 1), whole, 0);
}
