/* topo-dump mapping for all-reduces: the shape, and the traffic of every rank's plan. */
#include "topo-dump/allreduce_steps.h"

#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "plan/run.h"
#include "plan/sum_ranks.h"
#include "topo-dump/commands.h"

bool dump_has_moves(const struct topo_algorithm *algorithm)
{
    switch (algorithm->id) {
    case TOPO_ALGORITHM_allreduce_cyclic:
    case TOPO_ALGORITHM_allreduce_mixed_grid:
    case TOPO_ALGORITHM_allreduce_recursive_doubling:
    case TOPO_ALGORITHM_allreduce_recursive_doubling_renumbered:
    case TOPO_ALGORITHM_allreduce_recursive_halving: return true;
    default: return false;
    }
}

int dump_allreduce_steps_number(const struct dump_allreduce_steps_view *steps, int rank)
{
    return steps->number ? steps->number[rank] : rank;
}

int dump_allreduce_steps_place(const struct dump_allreduce_steps_view *steps, int rank)
{
    return topo_rank_group_place(&steps->group, dump_allreduce_steps_number(steps, rank));
}

int dump_allreduce_steps_neighbour(const struct dump_allreduce_steps_view *steps, int place, int dim, int step)
{
    return topo_rank_group_rank(&steps->group, topo_grid_neighbour(&steps->shape.grid, place, dim, step));
}

void dump_allreduce_steps_lengths(const struct dump_allreduce_steps_view *steps, int dim, size_t *part, size_t *block)
{
    const struct topo_grid *grid = &steps->shape.grid;
    struct topo_block longest = steps->whole;
    for (int i = 0;; i++) {
        *part = longest.count;
        if (grid->kind[i] != TOPO_DIM_EXCHANGE)
            longest = topo_block_of(longest, grid->size[i], 0);
        *block = longest.count;
        if (i == dim)
            return;
    }
}

void dump_allreduce_steps_crossing(const struct dump_allreduce_steps_view *steps, int dim, struct topo_text *out)
{
    const struct topo_tree *tree = steps->view.tree;
    int outermost = tree->levels, innermost = 0;
    for (int place = 0; place < steps->shape.grid.ranks; place++)
        for (int step = 1; step < steps->shape.grid.size[dim]; step++) {
            int z = topo_tree_shared_levels(tree, topo_rank_group_rank(&steps->group, place),
                                            dump_allreduce_steps_neighbour(steps, place, dim, step));
            outermost = z < outermost ? z : outermost;
            innermost = z > innermost ? z : innermost;
            if (steps->shape.grid.kind[dim] != TOPO_DIM_DIRECT)
                break;
        }
    dump_level_label(tree, outermost, out);
    if (innermost > outermost) {
        topo_text_add(out, " to ");
        dump_level_label(tree, innermost, out);
    }
}

const char *dump_dim_kind(enum topo_dim_kind kind)
{
    return kind == TOPO_DIM_RING ? "ring" : kind == TOPO_DIM_DIRECT ? "direct" : "exchange";
}

int64_t dump_allreduce_steps_bound(const struct dump_allreduce_steps_view *steps)
{
    int64_t nodes = steps->view.nodes, bytes = (int64_t)steps->whole.count * DUMP_ELEMENT;
    return (2 * bytes * (nodes - 1) + nodes - 1) / nodes;
}

static void count_message(struct dump_allreduce_steps_view *steps, int rank, int peer, int64_t bytes)
{
    struct picture *picture = &steps->picture;
    const int z = topo_tree_shared_levels(steps->view.tree, rank, peer);
    const int from = steps->view.node[rank], to = steps->view.node[peer];
    steps->bytes[z] += bytes;
    steps->messages[z]++;
    if (from != to) {
        steps->out[from] += bytes;
        steps->in[to] += bytes;
    }
    picture->before[(size_t)picture->cell[rank] * (size_t)picture->cells + (size_t)picture->cell[peer]] += bytes;
}

/* Adds what `rank` sends by its plan; false when out of memory. */
static bool count(struct dump_allreduce_steps_view *steps, int rank, const struct topo_plan *plan)
{
    struct topo_plan_run run;
    TOPO_SCOPED char *memory = topo_alloc(topo_plan_run_bytes(plan) + 1, 1);
    if (!memory)
        return false;
    topo_plan_run_begin(&run, plan, memory);
    for (int task = 0; task < plan->tasks; task++)
        for (int64_t at = 0; plan->task[task].kind == TOPO_TASK_SEND && at < run.task[task].end; at++) {
            const struct topo_step step = topo_plan_step(&run, task, at);
            const int64_t bytes = (int64_t)topo_plan_length(plan, step.first, step.count) * DUMP_ELEMENT;
            if (bytes > 0)
                count_message(steps, rank, step.peer, bytes);
        }
    return true;
}

static int number_of(const void *of, int rank)
{
    return dump_allreduce_steps_number(of, rank);
}

static int rank_with(const void *of, int number)
{
    const struct topo_numbers *rank_at = &((const struct dump_allreduce_steps_view *)of)->group.rank_at;
    return rank_at->count > 0 ? topo_numbers_at(rank_at, number) : number;
}

/* Goes through every rank's plan; false when out of memory. */
static bool count_all(struct dump_allreduce_steps_view *steps)
{
    const struct dump_view *view = &steps->view;
    topo_plan_function *form =
        steps->shape.stripes ? topo_plan_sum_stripes : topo_plan_of(steps->view.request->row->id);
    struct topo_plan_input in = {.tree = view->tree,
                                 .root = -1,
                                 .bytes = steps->whole.count * DUMP_ELEMENT,
                                 .element = DUMP_ELEMENT,
                                 .grid = &steps->shape.grid,
                                 .uneven = &steps->stripes,
                                 .numbers = {number_of, rank_with, steps}};
    struct topo_plan plan = {0};
    size_t cells;
    bool failed = !picture_cells(&steps->picture);
    cells = (size_t)steps->picture.cells;
    steps->picture.before = topo_calloc(cells * cells, sizeof *steps->picture.before);
    steps->out = topo_calloc((size_t)view->nodes, sizeof *steps->out);
    steps->in = topo_calloc((size_t)view->nodes, sizeof *steps->in);
    failed = failed || !steps->picture.before || !steps->out || !steps->in;
    in.packets = topo_plan_packets_of(topo_plan_sum_blocks(form, view->tree->ranks, &in), steps->whole.count, 1, 0);
    for (int rank = 0; rank < view->tree->ranks && !failed; rank++) {
        in.rank = rank;
        topo_plan_clear(&plan);
        failed = form(&in, &plan) != TOPO_OK || !count(steps, rank, &plan);
    }
    topo_plan_free(&plan);
    steps->picture.largest = 1;
    for (size_t a = 0; a < cells && !failed; a++)
        for (size_t b = 0; b < cells; b++)
            if (a != b && steps->picture.before[a * cells + b] > steps->picture.largest)
                steps->picture.largest = steps->picture.before[a * cells + b];
    return !failed;
}

/* Grid or stripes of cyclic and mixed_grid. */
static int choose(struct dump_allreduce_steps_view *steps, enum topo_allreduce_shape_kind kind)
{
    const struct dump_request *request = steps->view.request;
    const struct topo_tree *tree = steps->view.tree;
    struct topo_params params;
    const size_t bytes = steps->whole.count * DUMP_ELEMENT;
    steps->group = topo_rank_group_of(tree->ranks, &tree->order);
    steps->number = steps->position;
    int status = dump_params(request, &params);
    if (status != CLI_OK)
        return status;
    if (request->grid.dims) {
        const struct topo_grid_request cost = {.bytes = bytes, .rings_only = true};
        if (!topo_grid_fits(&request->grid, tree->ranks))
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--grid has %d places, there are %d ranks", request->grid.ranks,
                            tree->ranks);
        steps->shape.grid = request->grid;
        steps->seconds = topo_grid_cost(tree, &params, &request->grid, &cost);
        return CLI_OK;
    }
    steps->chosen = true;
    if (topo_allreduce_shape_choose(tree, &params, &steps->stripes, kind, bytes, false, &steps->shape,
                                    &steps->seconds) != TOPO_OK)
        return cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for the grids of %d ranks", tree->ranks);
    return CLI_OK;
}

/* Recursive doubling and halving: the group, folded to a power of two. */
static int fold(struct dump_allreduce_steps_view *steps, const int *rank_at, const int *number, enum topo_dim_kind kind)
{
    const int ranks = steps->view.tree->ranks;
    const struct topo_numbers plays = topo_numbers_view(rank_at, rank_at ? ranks : 0);
    steps->group = topo_rank_group_folded(ranks, &plays);
    steps->number = number;
    steps->shape.grid = topo_grid_of_twos(steps->group.ranks - steps->group.extra, kind);
    return CLI_OK;
}

static int make_shape(struct dump_allreduce_steps_view *steps, const struct topo_mapping *mapping)
{
    switch (steps->view.request->row->id) {
    case TOPO_ALGORITHM_allreduce_cyclic: return choose(steps, TOPO_SHAPE_CYCLIC);
    case TOPO_ALGORITHM_allreduce_mixed_grid: return choose(steps, TOPO_SHAPE_MIXED);
    case TOPO_ALGORITHM_allreduce_recursive_doubling: return fold(steps, NULL, NULL, TOPO_DIM_EXCHANGE);
    case TOPO_ALGORITHM_allreduce_recursive_halving:
        return fold(steps, steps->view.order, steps->position, TOPO_DIM_RING);
    default: return fold(steps, mapping->pi_inverse, mapping->pi, TOPO_DIM_EXCHANGE);
    }
}

/* What the view holds of the tree; false when out of memory. */
static bool make_base(struct dump_allreduce_steps_view *steps)
{
    struct dump_view *view = &steps->view;
    const struct topo_tree *tree = view->tree;
    steps->position = topo_alloc((size_t)tree->ranks, sizeof *steps->position);
    if (!dump_view_tree(view) || !steps->position || topo_stripes_of(tree, &steps->stripes) != TOPO_OK)
        return false;
    for (int place = 0; place < tree->ranks; place++)
        steps->position[view->order[place]] = place;
    return true;
}

int dump_allreduce_steps_show(const struct dump_request *request, const char *source, const struct topo_tree *tree)
{
    struct dump_allreduce_steps_view steps = {
        .view = {.request = request, .tree = tree, .source = source},
        .seconds = -1,
        .whole = {0, request->bytes / DUMP_ELEMENT},
    };
    TOPO_SCOPED_BY(topo_mapping_end) struct topo_mapping *mapping = NULL;
    struct topo_error error = {""};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text out = {0};
    int status = CLI_OK;
    steps.picture.view = &steps.view;
    if (request->row->graph != TOPO_GRAPH_NONE) {
        enum topo_status built = topo_mapping_build(tree, request->row->graph, request->partitioner, &mapping, &error);
        if (built != TOPO_OK)
            status = cli_fail(DUMP_TOOL, built == TOPO_INVALID ? CLI_USAGE : CLI_FAILED, "--algorithm %s: %s",
                              request->algorithm, error.text);
    }
    if (status == CLI_OK && !make_base(&steps))
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %d ranks", tree->ranks);
    if (status == CLI_OK)
        status = make_shape(&steps, mapping);
    if (status == CLI_OK && !count_all(&steps))
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %d ranks", tree->ranks);
    if (status == CLI_OK) {
        request->format->print_moves(&steps, &out);
        status = cli_write(DUMP_TOOL, request->output, &out);
    }
    topo_stripes_free(&steps.stripes);
    topo_free_all(steps.view.order, steps.position, steps.out, steps.in, steps.picture.cell, steps.picture.cell_node,
                  steps.picture.one_node, steps.picture.before);
    return status;
}
