/* Fewer steps for algorithm 2: a step is eliminated when all its messages find
 * room elsewhere, each perhaps pushing others on (ejection chains). */
#include "base/memory.h"
#include "schedule/blocks.h"

enum { DEPTH = 4, NOWHERE = -1 };

/* Effort: table cells at most, and what may be looked at in all. */
static const int64_t cells_max = 1 << 26, work_max = 30000000;

struct move {
    int64_t message, raised; /* what the limit of the step it came to grew by */
    int from;
};

struct state {
    const struct topo_matrix *matrix;
    int *step_of, steps;
    int64_t *at;    /* [steps * receivers]: message of a receiver in a step, -1 none */
    int64_t *load;  /* [steps * senders] */
    int64_t *limit; /* [steps]: no load is above; raised as long as `spare` lasts */
    int64_t spare;  /* what the limits may still grow by together */
    int closed;     /* step being eliminated */
    int64_t work;   /* looked at so far */
    struct move *moves;
    int64_t moved, moves_max;
};

static int64_t *at(struct state *state, int step, int j)
{
    return &state->at[(int64_t)step * state->matrix->receivers + j];
}

static int64_t *load(struct state *state, int step, int i)
{
    return &state->load[(int64_t)step * state->matrix->senders + i];
}

/* Changes the tables only. */
static void transfer(struct state *state, int64_t e, int to)
{
    int from = state->step_of[e], i = state->matrix->sender[e], j = state->matrix->receiver[e];
    if (from != NOWHERE) {
        *at(state, from, j) = -1;
        *load(state, from, i) -= state->matrix->weight[e];
    }
    if (to != NOWHERE) {
        *at(state, to, j) = e;
        *load(state, to, i) += state->matrix->weight[e];
    }
    state->step_of[e] = to;
}

/* Changes the tables and remembers it. */
static void move(struct state *state, int64_t e, int to)
{
    struct move *entry = &state->moves[state->moved++];
    *entry = (struct move){e, 0, state->step_of[e]};
    transfer(state, e, to);
    if (to == NOWHERE)
        return;
    int64_t over = *load(state, to, state->matrix->sender[e]) - state->limit[to];
    entry->raised = over > 0 ? over : 0;
    state->limit[to] += entry->raised;
    state->spare -= entry->raised;
}

static void undo(struct state *state, int64_t mark)
{
    while (state->moved > mark) {
        const struct move *entry = &state->moves[--state->moved];
        int to = state->step_of[entry->message];
        if (to != NOWHERE)
            state->limit[to] -= entry->raised;
        state->spare += entry->raised;
        transfer(state, entry->message, entry->from);
    }
}

/* The lightest message of sender i in `step` that weighs at least `weight`, not `except`; -1 none. */
static int64_t room_maker(struct state *state, int i, int step, int64_t weight, int64_t except)
{
    const struct topo_matrix *matrix = state->matrix;
    int64_t found = -1;
    state->work += matrix->row[i + 1] - matrix->row[i];
    for (int64_t e = matrix->row[i]; e < matrix->row[i + 1]; e++)
        if (state->step_of[e] == step && e != except && matrix->weight[e] >= weight &&
            (found < 0 || matrix->weight[e] < matrix->weight[found]))
            found = e;
    return found;
}

/* What must leave `step` for message e to enter: at most two messages; -1 when that is not enough. */
static int pushed_by(struct state *state, int64_t e, int step, int64_t *pushed)
{
    int i = state->matrix->sender[e], count = 0;
    int64_t over = *load(state, step, i) + state->matrix->weight[e] - state->limit[step] - state->spare;
    int64_t there = *at(state, step, state->matrix->receiver[e]);
    if (there >= 0) {
        pushed[count++] = there;
        if (state->matrix->sender[there] == i)
            over -= state->matrix->weight[there];
    }
    if (over > 0) {
        int64_t other = room_maker(state, i, step, over, there);
        if (other < 0)
            return -1;
        pushed[count++] = other;
    }
    return count;
}

/* Finds a step for message e, which is nowhere. First one where it just fits, then pushing. */
static bool place(struct state *state, int64_t e, int depth)
{
    int64_t mark = state->moved, pushed[2];
    for (int push = 0; push <= (depth > 0 ? 2 : 0); push++)
        for (int step = 0; step < state->steps; step++) {
            if (step == state->closed)
                continue;
            if (++state->work > work_max || state->moved + 3 >= state->moves_max)
                return false;
            if (pushed_by(state, e, step, pushed) != push)
                continue;
            for (int p = 0; p < push; p++)
                move(state, pushed[p], NOWHERE);
            move(state, e, step);
            bool good = true;
            for (int p = 0; p < push && good; p++)
                good = place(state, pushed[p], depth - 1);
            if (good)
                return true;
            undo(state, mark);
        }
    return false;
}

/* Moves every message of the step away, or none. */
static bool eliminate(struct state *state, int step)
{
    state->closed = step;
    state->moved = 0;
    state->spare = state->limit[step];
    for (int j = 0; j < state->matrix->receivers; j++) {
        int64_t e = *at(state, step, j);
        if (e < 0)
            continue;
        move(state, e, NOWHERE);
        if (!place(state, e, DEPTH)) {
            undo(state, 0);
            return false;
        }
    }
    return true;
}

/* The last step takes the number of the eliminated one; limits are what the loads are. */
static void renumber(struct state *state, int step)
{
    int last = --state->steps;
    for (int j = 0; j < state->matrix->receivers && step != last; j++) {
        int64_t e = *at(state, last, j);
        if (e >= 0)
            transfer(state, e, step);
    }
    for (int t = 0; t < state->steps; t++) {
        state->limit[t] = 0;
        for (int i = 0; i < state->matrix->senders; i++)
            if (*load(state, t, i) > state->limit[t])
                state->limit[t] = *load(state, t, i);
    }
}

/* No schedule has fewer: a receiver's messages take a step each. */
static int fewest(const struct topo_matrix *matrix)
{
    int64_t most = 0;
    for (int j = 0; j < matrix->receivers; j++)
        if (matrix->column[j + 1] - matrix->column[j] > most)
            most = matrix->column[j + 1] - matrix->column[j];
    return (int)most;
}

/* Steps by increasing number of messages are tried until one eliminates. */
static bool eliminate_any(struct state *state, int64_t *pieces)
{
    for (int t = 0; t < state->steps; t++)
        pieces[t] = 0;
    for (int64_t e = 0; e < state->matrix->messages; e++)
        pieces[state->step_of[e]]++;
    for (;;) {
        int chosen = -1;
        for (int t = 0; t < state->steps; t++)
            if (pieces[t] >= 0 && (chosen < 0 || pieces[t] < pieces[chosen]))
                chosen = t;
        if (chosen < 0 || state->work > work_max)
            return false;
        if (eliminate(state, chosen)) {
            renumber(state, chosen);
            return true;
        }
        pieces[chosen] = -1;
    }
}

bool topo_css_eliminate_step(const struct topo_matrix *matrix, int *step_of, int *steps)
{
    struct state state = {.matrix = matrix, .step_of = step_of, .steps = *steps, .moves_max = 4096};
    TOPO_SCOPED int64_t *pieces = NULL;
    int64_t sides = (int64_t)matrix->senders + matrix->receivers;
    bool done = false;
    if (*steps > cells_max / sides || *steps <= fewest(matrix))
        return true;
    state.at = topo_alloc((size_t)*steps * (size_t)matrix->receivers, sizeof *state.at);
    state.load = topo_calloc((size_t)*steps * (size_t)matrix->senders, sizeof *state.load);
    state.limit = topo_calloc((size_t)*steps, sizeof *state.limit);
    state.moves = topo_alloc((size_t)state.moves_max, sizeof *state.moves);
    pieces = topo_alloc((size_t)*steps, sizeof *pieces);
    if (!state.at || !state.load || !state.limit || !state.moves || !pieces)
        goto out;
    for (int64_t cell = 0; cell < (int64_t)*steps * matrix->receivers; cell++)
        state.at[cell] = -1;
    for (int64_t e = 0; e < matrix->messages; e++) {
        int step = step_of[e];
        *at(&state, step, matrix->receiver[e]) = e;
        int64_t sum = *load(&state, step, matrix->sender[e]) += matrix->weight[e];
        if (sum > state.limit[step])
            state.limit[step] = sum;
    }
    while (state.steps > fewest(matrix) && eliminate_any(&state, pieces))
        continue;
    *steps = state.steps;
    done = true;
out:
    topo_free_all(state.at, state.load, state.limit, state.moves);
    return done;
}
