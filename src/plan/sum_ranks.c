/* The cyclic all-reduce on grids, with dimensions of other kinds too (patterns/grid.h), recursive halving and doubling,
 * which are grids of twos (docs/REFERENCES.md, Reduction 2, 5 and 7), and the same in stripes (patterns/stripes.h).
 *
 * Phase 1 adds, dimension by dimension; phase 2 gives what was added to all, in the reverse order. A packet goes on as
 * soon as it is there. Each dimension is a task that sends and one that receives in either phase, however long its
 * rings are: with the blocks of the rank's part numbered from `first` on, a ring brings those of its members one after
 * the other. Short vectors in dimensions of a single step go in steps.
 *
 * Where 2^k < ranks < 2^(k + 1) and halves are asked for, ranks are folded (struct topo_rank_group): the second of a
 * pair hands over its vector and waits for the total.
 *
 * The first operands are added to the left of what comes, later ones to its right; those of an exchange, and `ordered`
 * ones, in the order of the places, so that two ranks which add up the same have the same bits.
 *
 * Cost: sum_k 2 alpha_k (r_k - 1) + m sum_k (beta^_k / prod_{i<k} r_i)(1 - 1/r_k), beta^_k = 2 beta_k with packets,
 * 2 beta_k + gamma without; recursive doubling log2 n (alpha + m beta + m gamma). */
#include "plan/sum_ranks.h"

enum { ADD, GIVE }; /* tags of the phases */

enum { SENDS_LEAST = 4 /* packets of a task that are on their way at a time, where receives are few */ };

struct sum {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    enum topo_status status;
    int needs;  /* so many positions were on each block of the part by now */
    bool fresh; /* nothing was added to the rank's own operands */
    int before; /* in steps: the last task before the one that is made */
    int added;  /* the last task that adds */
    int sent;   /* the last one that sends */
};

/* What goes round: `size` parts of so many blocks, in several places side by side. */
struct ring {
    int size, coordinate, blocks;
    const struct side {
        int to, from, first;
    } * side;
    int sides;
};

static int messages_of(const struct sum *sum, int blocks)
{
    return (blocks - 1) / sum->in->packets.blocks + 1;
}

/* One more task, whose turns have so many blocks each. */
static void begin(struct sum *sum, struct topo_task task, int turns, int blocks)
{
    const int ahead = sum->in->packets.ahead, messages = messages_of(sum, blocks);
    const bool adds = task.joined > 0, ring = task.periods > 0;
    const int64_t positions = (int64_t)turns * messages * (ring ? task.periods : 1);
    task.each = messages > 1 ? sum->in->packets.blocks : 0;
    task.window = task.kind == TOPO_TASK_SEND && ahead > 1 && ahead < SENDS_LEAST ? SENDS_LEAST : ahead;
    task.window *= ring ? turns : 1;
    task.window = positions < task.window ? (int)positions : task.window;
    if (sum->plan->in_order) {
        task.needs = task.lag = 0;
        task.window = turns;
        task.after = adds ? TOPO_PLAN_NO_TASK : sum->before;
    } else if (adds && ahead == 1) {
        task.after = sum->added;
        task.lag = TOPO_PLAN_WHOLE;
    } else if (task.kind == TOPO_TASK_SEND && task.after == TOPO_PLAN_NO_TASK && ahead == 1) {
        task.after = sum->sent;
        task.lag = TOPO_PLAN_WHOLE;
    }
    if (adds)
        sum->added = sum->plan->tasks;
    if (task.kind == TOPO_TASK_SEND)
        sum->sent = sum->plan->tasks;
    if (sum->status == TOPO_OK)
        sum->status = topo_plan_add(sum->plan, task);
}

static void turn(struct sum *sum, int peer, int block, int blocks)
{
    if (sum->status == TOPO_OK)
        sum->status = topo_plan_add_turn(sum->plan, (struct topo_turn){peer, block, blocks});
}

static void one_turn(struct sum *sum, struct topo_task task, int peer, int block, int blocks)
{
    begin(sum, task, 1, blocks);
    turn(sum, peer, block, blocks);
}

/* The tasks that follow are a step. */
static void next_step(struct sum *sum)
{
    sum->before = sum->plan->tasks - 1;
}

static void add_ring(struct sum *sum, const struct ring *ring, struct topo_task task, int part)
{
    if (ring->size > 2) {
        task.stride = (ring->size - 1) * ring->blocks;
        task.among = ring->size * ring->blocks;
        task.periods = ring->size - 1;
    }
    begin(sum, task, ring->sides, ring->blocks);
    for (int i = 0; i < ring->sides; i++)
        turn(sum, task.kind == TOPO_TASK_SEND ? ring->side[i].to : ring->side[i].from,
             ring->side[i].first + part * ring->blocks, ring->blocks);
}

/* A rank sends its own part, then what came and was added in the period before. */
static void ring_adds(struct sum *sum, const struct ring *ring, int own)
{
    const int c = ring->coordinate, size = ring->size;
    struct topo_task task = {.kind = TOPO_TASK_SEND,
                             .tag = ADD,
                             .needs = sum->needs,
                             .after = size > 2 ? sum->plan->tasks + 1 : TOPO_PLAN_NO_TASK,
                             .lag = ring->sides * messages_of(sum, ring->blocks) - 1};
    next_step(sum);
    add_ring(sum, ring, task, c);
    task = (struct topo_task){.kind = TOPO_TASK_RECEIVE,
                              .tag = ADD,
                              .needs = sum->needs,
                              .joined = 1,
                              .own = own,
                              .after = TOPO_PLAN_NO_TASK};
    add_ring(sum, ring, task, (c + size - 1) % size);
    sum->needs++;
}

/* Then the part that it has all of. What comes was sent by task `sent`. */
static void ring_gives(struct sum *sum, const struct ring *ring, int sent)
{
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE, .tag = GIVE, .after = sent, .lag = -1};
    next_step(sum);
    add_ring(sum, ring, task, ring->coordinate);
    task = (struct topo_task){.kind = TOPO_TASK_SEND, .tag = GIVE, .needs = TOPO_PLAN_ALL, .after = TOPO_PLAN_NO_TASK};
    add_ring(sum, ring, task, (ring->coordinate + 1) % ring->size);
}

/* -- grids ------------------------------------------------------------------ */

/* A dimension, and what phase 2 has to know of phase 1. */
struct dimension {
    const struct topo_grid *grid;
    const struct topo_rank_group *group;
    int dim, place;
    int first, blocks; /* of the rank's part; of one of the parts of that */
    int sent, needs;   /* the task that sends; positions on each block before it */
};

static int peer_of(const struct sum *sum, const struct dimension *at, int apart)
{
    const int place = topo_grid_neighbour(at->grid, at->place, at->dim, apart);
    return topo_plan_rank_at(sum->in, topo_rank_group_rank(at->group, place));
}

/* Each rank adds up its part of what all have: one message from every other one. */
static void direct_adds(struct sum *sum, const struct dimension *at)
{
    const int size = at->grid->size[at->dim], c = topo_grid_coordinate(at->grid, at->place, at->dim);
    struct topo_task task = {.kind = TOPO_TASK_SEND, .tag = ADD, .needs = sum->needs, .after = TOPO_PLAN_NO_TASK};
    next_step(sum);
    begin(sum, task, size - 1, at->blocks);
    for (int apart = 1; apart < size; apart++)
        turn(sum, peer_of(sum, at, apart), at->first + (c + apart) % size * at->blocks, at->blocks);
    task.kind = TOPO_TASK_RECEIVE;
    task.joined = 1;
    for (int apart = 1; apart < size; sum->fresh = false) {
        const int end = sum->fresh ? 2 : size;
        task.own = !sum->fresh;
        task.needs = sum->needs;
        begin(sum, task, end - apart, at->blocks);
        for (; apart < end; apart++, sum->needs++)
            turn(sum, peer_of(sum, at, -apart), at->first + c * at->blocks, at->blocks);
    }
}

static void direct_gives(struct sum *sum, const struct dimension *at)
{
    const int size = at->grid->size[at->dim], c = topo_grid_coordinate(at->grid, at->place, at->dim);
    struct topo_task task = {
        .kind = TOPO_TASK_RECEIVE, .tag = GIVE, .needs = at->needs + 1, .after = TOPO_PLAN_NO_TASK};
    next_step(sum);
    begin(sum, task, size - 1, at->blocks);
    for (int apart = 1; apart < size; apart++)
        turn(sum, peer_of(sum, at, -apart), at->first + (c + size - apart) % size * at->blocks, at->blocks);
    task.kind = TOPO_TASK_SEND;
    task.needs = TOPO_PLAN_ALL;
    begin(sum, task, size - 1, at->blocks);
    for (int apart = 1; apart < size; apart++)
        turn(sum, peer_of(sum, at, apart), at->first + c * at->blocks, at->blocks);
}

/* Both have the sum of all they had. */
static void exchange(struct sum *sum, const struct dimension *at, int own)
{
    struct topo_task task = {.kind = TOPO_TASK_SEND, .tag = ADD, .needs = sum->needs, .after = TOPO_PLAN_NO_TASK};
    next_step(sum);
    one_turn(sum, task, peer_of(sum, at, 1), at->first, at->blocks);
    task.kind = TOPO_TASK_RECEIVE;
    task.needs = sum->needs + 1;
    task.joined = 1;
    task.own = own;
    one_turn(sum, task, peer_of(sum, at, 1), at->first, at->blocks);
    sum->needs += 2;
}

static void work_dimension(struct sum *sum, struct dimension *at, int tag)
{
    const enum topo_dim_kind kind = at->grid->kind[at->dim];
    const bool ordered = kind == TOPO_DIM_EXCHANGE || sum->in->ordered;
    const int own = ordered ? at->place > topo_grid_neighbour(at->grid, at->place, at->dim, 1) : !sum->fresh;
    const struct side side = {peer_of(sum, at, 1), peer_of(sum, at, -1), at->first};
    const struct ring ring = {at->grid->size[at->dim], topo_grid_coordinate(at->grid, at->place, at->dim), at->blocks,
                              &side, 1};
    if (tag == ADD) {
        at->sent = sum->plan->tasks;
        at->needs = sum->needs;
    }
    if (kind == TOPO_DIM_EXCHANGE && tag == ADD)
        exchange(sum, at, own);
    else if (kind == TOPO_DIM_DIRECT)
        (tag == ADD ? direct_adds : direct_gives)(sum, at);
    else if (kind == TOPO_DIM_RING && tag == ADD)
        ring_adds(sum, &ring, own);
    else if (kind == TOPO_DIM_RING)
        ring_gives(sum, &ring, at->sent);
    sum->fresh = false;
}

/* Whether each dimension has one step, and the vector is one packet. */
static bool is_short(const struct topo_grid *grid, const struct topo_plan_packets *packets, int blocks)
{
    bool is_short = packets->blocks >= blocks && packets->ahead > 1;
    for (int dim = 0; dim < grid->dims; dim++)
        is_short &= grid->kind[dim] != TOPO_DIM_RING || grid->size[dim] == 2;
    return is_short;
}

static void cut_for(struct sum *sum, const struct topo_grid *grid)
{
    topo_plan_cut_sum(sum->in, sum->plan);
    sum->plan->ordered = sum->in->ordered;
    for (int dim = 0; dim < grid->dims; dim++)
        if (grid->kind[dim] != TOPO_DIM_EXCHANGE)
            topo_plan_cut_again(sum->plan, grid->size[dim]);
    if (sum->in->packets.pieces > 1 || sum->plan->cuts == 0)
        topo_plan_cut_again(sum->plan, sum->in->packets.pieces);
}

static void work_grid(struct sum *sum, const struct topo_rank_group *group, const struct topo_grid *grid, int place)
{
    struct dimension at[TOPO_GRID_DIMS_MAX];
    int first = 0, blocks = (int)topo_plan_blocks(sum->plan);
    for (int dim = 0; dim < grid->dims; dim++) {
        const bool cuts = grid->kind[dim] != TOPO_DIM_EXCHANGE;
        at[dim] = (struct dimension){grid, group, dim, place, first, cuts ? blocks / grid->size[dim] : blocks, 0, 0};
        work_dimension(sum, &at[dim], ADD);
        blocks = at[dim].blocks;
        first += cuts ? topo_grid_own_block(grid, dim, topo_grid_coordinate(grid, place, dim)) * blocks : 0;
    }
    for (int dim = grid->dims - 1; dim >= 0; dim--)
        work_dimension(sum, &at[dim], GIVE);
}

static enum topo_status run_grid(const struct topo_plan_input *in, struct topo_plan *plan,
                                 const struct topo_rank_group *group, const struct topo_grid *grid)
{
    struct sum sum = {in, plan, TOPO_OK, 0, true, TOPO_PLAN_NO_TASK, TOPO_PLAN_NO_TASK, TOPO_PLAN_NO_TASK};
    const int number = topo_plan_number(in), place = topo_rank_group_place(group, number);
    struct topo_task task = {.tag = ADD, .after = TOPO_PLAN_NO_TASK};
    cut_for(&sum, grid);
    const int blocks = (int)topo_plan_blocks(plan);
    plan->in_order = is_short(grid, &in->packets, blocks);
    if (place < 0) {
        const int first = topo_plan_rank_at(in, number - 1);
        task.kind = TOPO_TASK_SEND;
        one_turn(&sum, task, first, 0, blocks);
        next_step(&sum);
        task = (struct topo_task){.kind = TOPO_TASK_RECEIVE, .tag = GIVE, .needs = 1, .after = TOPO_PLAN_NO_TASK};
        one_turn(&sum, task, first, 0, blocks);
        return sum.status;
    }
    const int second = number < 2 * group->extra ? topo_plan_rank_at(in, number + 1) : -1;
    if (second >= 0) {
        task.joined = 1;
        one_turn(&sum, task, second, 0, blocks);
        sum.needs = 1;
        sum.fresh = false;
    }
    work_grid(&sum, group, grid, place);
    if (second >= 0) {
        next_step(&sum);
        task =
            (struct topo_task){.kind = TOPO_TASK_SEND, .tag = GIVE, .needs = TOPO_PLAN_ALL, .after = TOPO_PLAN_NO_TASK};
        one_turn(&sum, task, second, 0, blocks);
    }
    return sum.status;
}

enum topo_status topo_plan_sum_grid(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const struct topo_rank_group group = topo_rank_group_of(in->tree->ranks, NULL);
    return run_grid(in, plan, &group, in->grid);
}

static enum topo_status run_twos(const struct topo_plan_input *in, struct topo_plan *plan, enum topo_dim_kind kind)
{
    const struct topo_rank_group group = topo_rank_group_folded(in->tree->ranks, NULL);
    const struct topo_grid grid = topo_grid_of_twos(group.ranks - group.extra, kind);
    return run_grid(in, plan, &group, &grid);
}

enum topo_status topo_plan_sum_doubling(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_twos(in, plan, TOPO_DIM_EXCHANGE);
}

enum topo_status topo_plan_sum_halves(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_twos(in, plan, TOPO_DIM_RING);
}

/* -- stripes ---------------------------------------------------------------- */

/* A rank's place in its node, and the blocks of a stripe. */
struct member {
    const struct topo_stripes *stripes;
    int node, size, own, blocks;
};

/* Stripes of others, to or from the ranks that own them, the nearest one before this rank first, to which it is the
 * nearest one after it. */
static void add_others(struct sum *sum, const struct member *at, struct topo_task task)
{
    const int owned = (at->stripes->stripes - 1 - at->own) / at->size + 1;
    begin(sum, task, at->stripes->stripes - owned, at->blocks);
    for (int apart = 1; apart < at->size; apart++) {
        const int owner = (at->own + at->size - apart) % at->size;
        for (int stripe = owner; stripe < at->stripes->stripes; stripe += at->size)
            turn(sum, topo_stripes_member(at->stripes, at->node, owner), stripe * at->blocks, at->blocks);
    }
}

/* The rank's own stripes, from or to those members of its node that are so far apart. */
static void add_owned(struct sum *sum, const struct member *at, struct topo_task task, int apart, int end)
{
    const int owned = (at->stripes->stripes - 1 - at->own) / at->size + 1;
    if (apart >= end)
        return;
    begin(sum, task, owned * (end - apart), at->blocks);
    for (; apart < end; apart++)
        for (int stripe = at->own; stripe < at->stripes->stripes; stripe += at->size)
            turn(sum, topo_stripes_member(at->stripes, at->node, (at->own + apart) % at->size), stripe * at->blocks,
                 at->blocks);
}

/* The rings of the rank's own stripes. */
static void run_rings(struct sum *sum, const struct member *at, struct side *side)
{
    const struct topo_stripes *stripes = at->stripes;
    const int nodes = stripes->nodes, next = (at->node + 1) % nodes, last = (at->node + nodes - 1) % nodes;
    struct ring ring = {nodes, at->node, at->blocks / nodes, side, 0};
    const int sent = sum->plan->tasks;
    for (int stripe = at->own; stripe < stripes->stripes; stripe += at->size)
        side[ring.sides++] = (struct side){topo_stripes_rank(stripes, next, stripe),
                                           topo_stripes_rank(stripes, last, stripe), stripe * at->blocks};
    if (nodes == 1)
        return;
    ring_adds(sum, &ring, at->size > 1);
    ring_gives(sum, &ring, sent);
}

enum topo_status topo_plan_sum_stripes(const struct topo_plan_input *in, struct topo_plan *plan)
{
    struct sum sum = {in, plan, TOPO_OK, 0, true, TOPO_PLAN_NO_TASK, TOPO_PLAN_NO_TASK, TOPO_PLAN_NO_TASK};
    const struct topo_stripes *stripes = in->uneven;
    const int place = topo_plan_number(in), node = topo_stripes_node(stripes, place);
    const struct topo_task none = {.after = TOPO_PLAN_NO_TASK};
    struct topo_task task = none;
    topo_plan_cut_sum(in, plan);
    topo_plan_cut_again(plan, stripes->stripes);
    topo_plan_cut_again(plan, stripes->nodes);
    topo_plan_cut_again(plan, in->packets.pieces);
    const struct member at = {stripes, node, topo_stripes_members(stripes, node), place - stripes->first[node],
                              stripes->nodes * in->packets.pieces};
    TOPO_SCOPED struct side *side = topo_alloc((size_t)stripes->stripes, sizeof *side);
    if (!side)
        return TOPO_NOMEM;
    if (at.size > 1) {
        task.kind = TOPO_TASK_SEND;
        add_others(&sum, &at, task);
        task = none;
        task.joined = 1;
        add_owned(&sum, &at, task, 1, 2);
        task.needs = task.own = 1;
        add_owned(&sum, &at, task, 2, at.size);
        sum.needs = at.size - 1;
    }
    run_rings(&sum, &at, side);
    if (at.size > 1) {
        task = none;
        task.tag = GIVE;
        task.needs = 1;
        add_others(&sum, &at, task);
        task.kind = TOPO_TASK_SEND;
        task.needs = TOPO_PLAN_ALL;
        add_owned(&sum, &at, task, 1, at.size);
    }
    return sum.status;
}

/* -- packets ---------------------------------------------------------------- */

int topo_plan_sum_blocks(topo_plan_function *form, int ranks, const struct topo_plan_input *in)
{
    int blocks = 1;
    if (form == topo_plan_sum_stripes)
        return in->uneven->stripes * in->uneven->nodes;
    if (form == topo_plan_sum_halves)
        return ranks - topo_rank_group_folded(ranks, NULL).extra;
    for (int dim = 0; form == topo_plan_sum_grid && dim < in->grid->dims; dim++)
        blocks *= in->grid->kind[dim] == TOPO_DIM_EXCHANGE ? 1 : in->grid->size[dim];
    return blocks;
}

struct topo_plan_packets topo_plan_packets_of(int blocks, size_t count, size_t bytes, size_t packet)
{
    enum { AHEAD_LEAST = 2, AHEAD_MOST = 32, AHEAD_BYTES = 128 << 10 };
    const size_t block = (count - 1) / (size_t)blocks + 1;
    struct topo_plan_packets packets = {.pieces = 1, .blocks = blocks, .ahead = 1};
    if (packet == 0)
        return packets;
    const size_t pieces = (block - 1) / packet + 1, together = packet / block;
    packets.pieces = (int)pieces;
    packets.blocks = pieces > 1 ? 1 : together < (size_t)blocks ? (int)together : blocks;
    const size_t longest = ((block - 1) / (size_t)packets.pieces + 1) * (size_t)packets.blocks * bytes;
    packets.ahead = AHEAD_LEAST;
    while (packets.ahead < AHEAD_MOST && 2 * (size_t)packets.ahead * longest <= AHEAD_BYTES)
        packets.ahead *= 2;
    return packets;
}
