#include "model/grid_choice.h"

#include <math.h>

#include "base/memory.h"
#include "model/load.h"

/* A step of one dimension in which every rank sends x bytes to each of its
 * partners takes alpha + beta x. */
struct step {
    double alpha, beta;
};

static void add_messages(struct topo_load *load, const struct topo_tree *tree, int stride, int size,
                         enum topo_dim_kind kind, double bytes)
{
    for (int position = 0; position < tree->ranks; position++) {
        int coordinate = position / stride % size, partners = kind == TOPO_DIM_DIRECT ? size - 1 : 1;
        for (int i = 1; i <= partners; i++) {
            int to = position + ((coordinate + i) % size - coordinate) * stride;
            topo_load_message(load, topo_tree_rank(tree, position), topo_tree_rank(tree, to), bytes);
        }
    }
}

/* The step of a dimension of this size whose neighbours are `stride` positions apart. */
static struct step step_of(struct topo_load *load, const struct topo_tree *tree, int stride, int size,
                           enum topo_dim_kind kind)
{
    const double far = 1 << 20; /* where bytes decide, not start-up */
    struct step step;
    add_messages(load, tree, stride, size, kind, 0);
    step.alpha = topo_load_step(load);
    add_messages(load, tree, stride, size, kind, far);
    step.beta = (topo_load_step(load) - step.alpha) / far;
    return step;
}

/* Seconds of one dimension, both phases, for a part of `bytes`. */
static double dimension(struct step step, int size, enum topo_dim_kind kind, double bytes,
                        const struct topo_params *params, bool synchronous)
{
    double block = bytes / size, moved = block * (size - 1);
    double added = synchronous ? params->gamma * moved : 0;
    switch (kind) {
    case TOPO_DIM_RING: return 2 * (size - 1) * step.alpha + 2 * step.beta * moved + added;
    case TOPO_DIM_DIRECT: return 2 * step.alpha + 2 * step.beta * block + added;
    default: return step.alpha + (step.beta + params->gamma) * bytes;
    }
}

double topo_grid_cost(const struct topo_tree *tree, const struct topo_params *params, const struct topo_grid *grid,
                      const struct topo_grid_request *request)
{
    TOPO_SCOPED_BY(topo_load_end) struct topo_load *load = NULL;
    double seconds = 0, bytes = (double)request->bytes;
    if (topo_load_new(tree, params, &load, NULL) != TOPO_OK)
        return -1;
    for (int dim = 0; dim < grid->dims; dim++) {
        int size = grid->size[dim];
        struct step step = step_of(load, tree, topo_grid_stride(grid, dim), size, grid->kind[dim]);
        seconds += dimension(step, size, grid->kind[dim], bytes, params, request->synchronous);
        if (grid->kind[dim] != TOPO_DIM_EXCHANGE)
            bytes /= size;
    }
    return seconds;
}

/* The best way to a state: the dimensions so far multiply up to divisor[s], the
 * part is 1/divisor[p] of the vector. */
struct state {
    double seconds;
    int from_s, from_p;
    enum topo_dim_kind kind;
};

struct search {
    int divisors;
    int *divisor;        /* ascending */
    struct state *state; /* [s * divisors + p] */
    struct topo_load *load;
};

static int index_of(const struct search *search, int value)
{
    for (int i = 0; i < search->divisors; i++)
        if (search->divisor[i] == value)
            return i;
    return -1;
}

/* Extends every state at product divisor[s] by one dimension. */
static void extend(struct search *search, int s, int size, enum topo_dim_kind kind, const struct topo_tree *tree,
                   const struct topo_params *params, const struct topo_grid_request *request)
{
    int product = search->divisor[s], next_s = index_of(search, product * size);
    struct step step = step_of(search->load, tree, product, size, kind);
    for (int p = 0; p <= s; p++) {
        const struct state *here = &search->state[s * search->divisors + p];
        if (isinf(here->seconds))
            continue;
        int next_p = kind == TOPO_DIM_EXCHANGE ? p : index_of(search, search->divisor[p] * size);
        struct state *next = &search->state[next_s * search->divisors + next_p];
        double seconds = here->seconds + dimension(step, size, kind, (double)request->bytes / search->divisor[p],
                                                   params, request->synchronous);
        if (seconds < next->seconds)
            *next = (struct state){seconds, s, p, kind};
    }
}

/* Reads the grid off the states, last dimension first. */
static void read_back(const struct search *search, int s, int p, struct topo_grid *grid)
{
    int count = 0;
    for (int at_s = s, at_p = p; at_s > 0; count++) {
        const struct state *state = &search->state[at_s * search->divisors + at_p];
        at_s = state->from_s;
        at_p = state->from_p;
    }
    grid->dims = count;
    grid->ranks = search->divisor[s];
    while (s > 0) {
        const struct state *state = &search->state[s * search->divisors + p];
        grid->size[--count] = search->divisor[s] / search->divisor[state->from_s];
        grid->kind[count] = state->kind;
        s = state->from_s;
        p = state->from_p;
    }
}

static enum topo_status search_start(struct search *search, const struct topo_tree *tree,
                                     const struct topo_params *params)
{
    int n = tree->ranks;
    for (int i = 1; i <= n; i++)
        search->divisors += n % i == 0;
    search->divisor = topo_alloc((size_t)search->divisors, sizeof *search->divisor);
    search->state = topo_alloc((size_t)search->divisors * (size_t)search->divisors, sizeof *search->state);
    if (!search->divisor || !search->state)
        return TOPO_NOMEM;
    for (int i = 1, at = 0; i <= n; i++)
        if (n % i == 0)
            search->divisor[at++] = i;
    for (int i = 0; i < search->divisors * search->divisors; i++)
        search->state[i].seconds = INFINITY;
    search->state[0] = (struct state){0, 0, 0, TOPO_DIM_RING};
    return topo_load_new(tree, params, &search->load, NULL);
}

enum topo_status topo_grid_choose(const struct topo_tree *tree, const struct topo_params *params,
                                  const struct topo_grid_request *request, struct topo_grid *grid, double *seconds,
                                  struct topo_error *error)
{
    struct search search = {0};
    enum topo_status status = search_start(&search, tree, params);
    if (status != TOPO_OK) {
        status = topo_fail(error, status, "out of memory for the grids of %d ranks", tree->ranks);
        goto out;
    }
    int last = search.divisors - 1, best = 0;
    for (int s = 0; s < last; s++)
        for (int size_at = 1; size_at <= last; size_at++) {
            int size = search.divisor[size_at];
            if (tree->ranks / search.divisor[s] % size != 0)
                continue;
            extend(&search, s, size, TOPO_DIM_RING, tree, params, request);
            if (request->rings_only)
                continue;
            if (size == 2)
                extend(&search, s, size, TOPO_DIM_EXCHANGE, tree, params, request);
            else
                extend(&search, s, size, TOPO_DIM_DIRECT, tree, params, request);
        }
    const struct state *end = &search.state[last * search.divisors];
    for (int p = 1; p <= last; p++)
        if (end[p].seconds < end[best].seconds)
            best = p;
    read_back(&search, last, best, grid);
    if (seconds)
        *seconds = end[best].seconds;
out:
    topo_load_free(search.load);
    topo_free(search.state);
    topo_free(search.divisor);
    return status;
}

double topo_stripes_cost(const struct topo_stripes *stripes, const struct topo_tree *tree,
                         const struct topo_params *params, const struct topo_grid_request *request)
{
    TOPO_SCOPED_BY(topo_load_end) struct topo_load *load = NULL;
    double stripe_bytes = (double)request->bytes / stripes->stripes, block = stripe_bytes / stripes->nodes;
    if (topo_load_new(tree, params, &load, NULL) != TOPO_OK)
        return -1;
    for (int stripe = 0; stripe < stripes->stripes; stripe++)
        for (int node = 0; node < stripes->nodes; node++)
            for (int member = 0; member < topo_stripes_members(stripes, node); member++)
                if (member != topo_stripes_owner(stripes, node, stripe))
                    topo_load_message(load, topo_stripes_member(stripes, node, member),
                                      topo_stripes_rank(stripes, node, stripe), stripe_bytes);
    double inside = topo_load_step(load);
    for (int stripe = 0; stripe < stripes->stripes && stripes->nodes > 1; stripe++)
        for (int node = 0; node < stripes->nodes; node++)
            topo_load_message(load, topo_stripes_rank(stripes, node, stripe),
                              topo_stripes_rank(stripes, (node + 1) % stripes->nodes, stripe), block);
    double between = topo_load_step(load) * (stripes->nodes - 1);
    double added = request->synchronous ? params->gamma * (double)request->bytes : 0;
    return 2 * inside + 2 * between + added;
}
