/* topo-dump mapping for all-reduces: the shape, and the traffic of every rank's moves. */
#include "topo-dump/moves.h"

#include <string.h>

#include "base/memory.h"
#include "common/cli.h"
#include "select/tuning.h"
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

int dump_moves_number(const struct dump_moves_view *moves, int rank)
{
    return moves->number ? moves->number[rank] : rank;
}

int dump_moves_place(const struct dump_moves_view *moves, int rank)
{
    return topo_rank_group_place(&moves->group, dump_moves_number(moves, rank));
}

int dump_moves_neighbour(const struct dump_moves_view *moves, int place, int dim, int step)
{
    return topo_rank_group_rank(&moves->group, topo_grid_neighbour(&moves->shape.grid, place, dim, step));
}

void dump_moves_lengths(const struct dump_moves_view *moves, int dim, size_t *part, size_t *block)
{
    const struct topo_grid *grid = &moves->shape.grid;
    struct topo_block longest = moves->whole;
    for (int i = 0;; i++) {
        *part = longest.count;
        if (grid->kind[i] != TOPO_DIM_EXCHANGE)
            longest = topo_block_of(longest, grid->size[i], 0);
        *block = longest.count;
        if (i == dim)
            return;
    }
}

void dump_moves_crossing(const struct dump_moves_view *moves, int dim, struct topo_text *out)
{
    const struct topo_tree *tree = moves->view.tree;
    int outermost = tree->levels, innermost = 0;
    for (int place = 0; place < moves->shape.grid.ranks; place++)
        for (int step = 1; step < moves->shape.grid.size[dim]; step++) {
            int z = topo_tree_shared_levels(tree, topo_rank_group_rank(&moves->group, place),
                                            dump_moves_neighbour(moves, place, dim, step));
            outermost = z < outermost ? z : outermost;
            innermost = z > innermost ? z : innermost;
            if (moves->shape.grid.kind[dim] != TOPO_DIM_DIRECT)
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

int64_t dump_moves_bound(const struct dump_moves_view *moves)
{
    int64_t nodes = moves->view.nodes, bytes = (int64_t)moves->whole.count * DUMP_ELEMENT;
    return (2 * bytes * (nodes - 1) + nodes - 1) / nodes;
}

/* Adds what `rank` sends in its moves. */
static void count(struct dump_moves_view *moves, int rank, const struct topo_allreduce_steps *list)
{
    struct picture *picture = &moves->picture;
    for (int i = 0; i < list->count; i++) {
        const struct topo_allreduce_step *move = &list->list[i];
        int64_t bytes = (int64_t)move->send.count * DUMP_ELEMENT;
        if (move->to < 0 || bytes == 0)
            continue;
        int z = topo_tree_shared_levels(moves->view.tree, rank, move->to);
        int from = moves->view.node[rank], to = moves->view.node[move->to];
        moves->bytes[z] += bytes;
        moves->messages[z]++;
        if (from != to) {
            moves->out[from] += bytes;
            moves->in[to] += bytes;
        }
        picture->before[(size_t)picture->cell[rank] * (size_t)picture->cells + (size_t)picture->cell[move->to]] +=
            bytes;
    }
}

/* Goes through every rank's moves; false when out of memory. */
static bool count_all(struct dump_moves_view *moves)
{
    const struct dump_view *view = &moves->view;
    struct topo_allreduce_steps list = {0};
    size_t cells;
    bool failed = !picture_cells(&moves->picture);
    cells = (size_t)moves->picture.cells;
    moves->picture.before = topo_calloc(cells * cells, sizeof *moves->picture.before);
    moves->out = topo_calloc((size_t)view->nodes, sizeof *moves->out);
    moves->in = topo_calloc((size_t)view->nodes, sizeof *moves->in);
    failed = failed || !moves->picture.before || !moves->out || !moves->in;
    for (int rank = 0; rank < view->tree->ranks && !failed; rank++) {
        topo_allreduce_steps_clear(&list);
        if (moves->shape.stripes)
            for (int stripe = 0; stripe < moves->stripes.stripes; stripe++)
                topo_allreduce_steps_strip(&list, &moves->stripes, moves->position[rank], stripe, moves->whole);
        else
            topo_allreduce_steps_grid(&list, &moves->group, dump_moves_number(moves, rank), &moves->shape.grid,
                                      moves->whole, false);
        failed = list.failed;
        if (!failed)
            count(moves, rank, &list);
    }
    topo_allreduce_steps_free(&list);
    moves->picture.largest = 1;
    for (size_t a = 0; a < cells && !failed; a++)
        for (size_t b = 0; b < cells; b++)
            if (a != b && moves->picture.before[a * cells + b] > moves->picture.largest)
                moves->picture.largest = moves->picture.before[a * cells + b];
    return !failed;
}

/* Model parameters: the tuning file's, or the defaults. */
static int read_params(const struct dump_request *request, struct topo_params *params)
{
    struct topo_tuning tuning = {0};
    struct topo_error error = {""};
    char *content = NULL;
    size_t length = 0;
    topo_params_default(params);
    if (!request->tuning)
        return CLI_OK;
    enum topo_status status = topo_read_file(request->tuning, &content, &length, &error);
    if (status == TOPO_OK)
        status = topo_tuning_parse(content, request->tuning, &tuning, &error);
    if (status == TOPO_OK)
        *params = tuning.params;
    topo_tuning_free(&tuning);
    topo_free(content);
    if (status == TOPO_OK)
        return CLI_OK;
    return cli_fail(DUMP_TOOL, status == TOPO_NOMEM ? CLI_FAILED : CLI_USAGE, "%s", error.text);
}

/* Grid or stripes of cyclic and mixed_grid. */
static int choose(struct dump_moves_view *moves, enum topo_allreduce_shape_kind kind)
{
    const struct dump_request *request = moves->view.request;
    const struct topo_tree *tree = moves->view.tree;
    struct topo_params params;
    const size_t bytes = moves->whole.count * DUMP_ELEMENT;
    moves->group = topo_rank_group_of(tree->ranks, moves->view.order);
    moves->number = moves->position;
    int status = read_params(request, &params);
    if (status != CLI_OK)
        return status;
    if (request->grid.dims) {
        const struct topo_grid_request cost = {.bytes = bytes, .rings_only = true};
        if (!topo_grid_fits(&request->grid, tree->ranks))
            return cli_fail(DUMP_TOOL, CLI_USAGE, "--grid has %d places, there are %d ranks", request->grid.ranks,
                            tree->ranks);
        moves->shape.grid = request->grid;
        moves->seconds = topo_grid_cost(tree, &params, &request->grid, &cost);
        return CLI_OK;
    }
    moves->chosen = true;
    if (topo_allreduce_shape_choose(tree, &params, &moves->stripes, kind, bytes, false, &moves->shape,
                                    &moves->seconds) != TOPO_OK)
        return cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for the grids of %d ranks", tree->ranks);
    return CLI_OK;
}

/* Recursive doubling and halving: the group, folded to a power of two. */
static int fold(struct dump_moves_view *moves, const int *rank_at, const int *number, enum topo_dim_kind kind)
{
    moves->group = topo_rank_group_folded(moves->view.tree->ranks, rank_at);
    moves->number = number;
    moves->shape.grid = topo_grid_of_twos(moves->group.ranks - moves->group.extra, kind);
    return CLI_OK;
}

static int make_shape(struct dump_moves_view *moves, const struct topo_mapping *mapping)
{
    switch (moves->view.request->row->id) {
    case TOPO_ALGORITHM_allreduce_cyclic: return choose(moves, TOPO_SHAPE_CYCLIC);
    case TOPO_ALGORITHM_allreduce_mixed_grid: return choose(moves, TOPO_SHAPE_MIXED);
    case TOPO_ALGORITHM_allreduce_recursive_doubling: return fold(moves, NULL, NULL, TOPO_DIM_EXCHANGE);
    case TOPO_ALGORITHM_allreduce_recursive_halving:
        return fold(moves, moves->view.order, moves->position, TOPO_DIM_RING);
    default: return fold(moves, mapping->pi_inverse, mapping->pi, TOPO_DIM_EXCHANGE);
    }
}

/* What the view holds of the tree; false when out of memory. */
static bool make_base(struct dump_moves_view *moves)
{
    struct dump_view *view = &moves->view;
    const struct topo_tree *tree = view->tree;
    int level = topo_tree_node_level(tree);
    view->nodes = tree->units[level];
    view->node = tree->unit + (size_t)level * (size_t)tree->ranks;
    view->order = topo_alloc((size_t)tree->ranks, sizeof *view->order);
    moves->position = topo_alloc((size_t)tree->ranks, sizeof *moves->position);
    if (!view->order || !moves->position || topo_stripes_of(tree, &moves->stripes) != TOPO_OK)
        return false;
    topo_tree_order(tree, view->order);
    for (int place = 0; place < tree->ranks; place++)
        moves->position[view->order[place]] = place;
    return true;
}

int dump_moves_show(const struct dump_request *request, const char *source, const struct topo_tree *tree)
{
    struct dump_moves_view moves = {
        .view = {.request = request, .tree = tree, .source = source},
        .seconds = -1,
        .whole = {0, request->bytes / DUMP_ELEMENT},
    };
    struct topo_mapping *mapping = NULL;
    struct topo_error error = {""};
    struct topo_text out = {0};
    int status = CLI_OK;
    moves.picture.view = &moves.view;
    if (request->row->graph != TOPO_GRAPH_NONE) {
        enum topo_status built = topo_mapping_build(tree, request->row->graph, &mapping, &error);
        if (built != TOPO_OK)
            status = cli_fail(DUMP_TOOL, built == TOPO_INVALID ? CLI_USAGE : CLI_FAILED, "--algorithm %s: %s",
                              request->algorithm, error.text);
    }
    if (status == CLI_OK && !make_base(&moves))
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %d ranks", tree->ranks);
    if (status == CLI_OK)
        status = make_shape(&moves, mapping);
    if (status == CLI_OK && !count_all(&moves))
        status = cli_fail(DUMP_TOOL, CLI_FAILED, "out of memory for %d ranks", tree->ranks);
    if (status == CLI_OK) {
        request->format->print_moves(&moves, &out);
        status = cli_write(DUMP_TOOL, request->output, &out);
    }
    topo_mapping_free(mapping);
    topo_stripes_free(&moves.stripes);
    topo_free(moves.view.order);
    topo_free(moves.position);
    topo_free(moves.out);
    topo_free(moves.in);
    topo_free(moves.picture.cell);
    topo_free(moves.picture.cell_node);
    topo_free(moves.picture.one_node);
    topo_free(moves.picture.before);
    topo_text_free(&out);
    return status;
}
