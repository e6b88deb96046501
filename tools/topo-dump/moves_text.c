/* The moves of an all-reduce as text for people. */
#include <inttypes.h>
#include <stdio.h>

#include "topo-dump/moves.h"

/* Larger tables are left to JSON. */
enum { ROWS_MAX = 256, COLUMNS_MAX = 16 };

static void add_elements(struct topo_text *out, struct topo_block block, int width)
{
    char range[48] = "-";
    if (block.count)
        snprintf(range, sizeof range, "%zu..%zu", block.at, block.at + block.count - 1);
    topo_text_addf(out, " %*s", width, range);
}

static int width_of(size_t elements)
{
    return 2 * snprintf(NULL, 0, "%zu", elements) + 2;
}

static void add_grid(const struct dump_moves_view *moves, struct topo_text *out)
{
    const struct topo_grid *grid = &moves->shape.grid;
    char part_text[32], block_text[32];
    topo_text_add(out, "grid ");
    topo_grid_format(grid, out);
    if (moves->seconds >= 0)
        topo_text_addf(out, "%s %.1f us in the model", moves->chosen ? ", the cheapest:" : ":", 1e6 * moves->seconds);
    if (moves->group.extra)
        topo_text_addf(out, "; %d of %d ranks hand their vector to a neighbour first", moves->group.extra,
                       moves->group.ranks);
    topo_text_add(out, "\n");
    for (int dim = 0; dim < grid->dims; dim++) {
        size_t part, block;
        dump_moves_lengths(moves, dim, &part, &block);
        topo_text_addf(out, "  dimension %d: %d ranks, %s, ", dim + 1, grid->size[dim], dump_dim_kind(grid->kind[dim]));
        dump_moves_crossing(moves, dim, out);
        topo_text_addf(out, "; %s elements", dump_number((int64_t)part, part_text));
        if (grid->kind[dim] == TOPO_DIM_EXCHANGE)
            topo_text_add(out, ", sent whole\n");
        else
            topo_text_addf(out, " in blocks of %s\n", dump_number((int64_t)block, block_text));
    }
}

/* One line a rank: its neighbours and the block whose sum it holds after each dimension. */
static void add_ranks(const struct dump_moves_view *moves, struct topo_text *out)
{
    const struct topo_grid *grid = &moves->shape.grid;
    int n = moves->view.tree->ranks, width = width_of(moves->whole.count);
    width = width > 13 ? width : 13;
    if (n > ROWS_MAX || grid->dims > COLUMNS_MAX) {
        topo_text_addf(out, "  (%d ranks, %d dimensions; --format json lists them)\n", n, grid->dims);
        return;
    }
    topo_text_addf(out, "\n%5s  %-14s", "rank", "coordinates");
    for (int dim = 0; dim < grid->dims; dim++) {
        char head[48];
        snprintf(head, sizeof head, "dim. %d: to, from, sum of", dim + 1);
        topo_text_addf(out, " | %*s", 14 + width, head);
    }
    topo_text_add(out, "\n");
    for (int i = 0; i < n; i++) {
        int rank = moves->view.order[i], place = dump_moves_place(moves, rank), length = 0;
        char text[160] = "";
        topo_text_addf(out, "%5d  ", rank);
        if (place < 0) {
            topo_text_addf(out, "gives rank %d its vector and waits for the result\n",
                           topo_rank_group_rank(&moves->group, (dump_moves_number(moves, rank) - 1) / 2));
            continue;
        }
        for (int dim = 0; dim < grid->dims; dim++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", dim ? "," : "",
                               topo_grid_coordinate(grid, place, dim));
        topo_text_addf(out, "%-14s", text);
        for (int dim = 0; dim < grid->dims; dim++) {
            topo_text_addf(out, " | %6d %6d", dump_moves_neighbour(moves, place, dim, 1),
                           dump_moves_neighbour(moves, place, dim, -1));
            add_elements(out, topo_grid_part(grid, place, dim + 1, moves->whole), width);
        }
        topo_text_add(out, "\n");
    }
}

static void add_stripes(const struct dump_moves_view *moves, struct topo_text *out)
{
    const struct topo_stripes *stripes = &moves->stripes;
    int width = width_of(moves->whole.count);
    topo_text_addf(out,
                   "%d stripes, cheaper than any grid: %.1f us in the model. Inside a node a stripe is added up by its "
                   "owner;\nthe owners then go round a ring over the %d nodes, and hand the result to their nodes.\n",
                   stripes->stripes, 1e6 * moves->seconds, stripes->nodes);
    if (stripes->stripes > ROWS_MAX || stripes->nodes > COLUMNS_MAX) {
        topo_text_add(out, "  (--format json lists the owners)\n");
        return;
    }
    topo_text_addf(out, "\n%5s  %*s   owner on node 0 .. %d\n", "stripe", width, "elements", stripes->nodes - 1);
    for (int stripe = 0; stripe < stripes->stripes; stripe++) {
        topo_text_addf(out, "%5d ", stripe);
        add_elements(out, topo_block_of(moves->whole, stripes->stripes, stripe), width);
        topo_text_add(out, "  ");
        for (int node = 0; node < stripes->nodes; node++)
            topo_text_addf(out, " %6d", topo_stripes_rank(stripes, node, stripe));
        topo_text_add(out, "\n");
    }
}

static void add_traffic(const struct dump_moves_view *moves, struct topo_text *out)
{
    const struct topo_tree *tree = moves->view.tree;
    char bytes[32], messages[32];
    int64_t busiest = 0;
    topo_text_addf(out, "\n%-36s %20s %20s\n", "all ranks together", "messages", "bytes");
    for (int z = 0; z <= tree->levels; z++) {
        struct topo_text label = {0};
        dump_level_label(tree, z, &label);
        topo_text_addf(out, "  %-34s %20s %20s\n", label.text ? label.text : "",
                       dump_number(moves->messages[z], messages), dump_number(moves->bytes[z], bytes));
        topo_text_free(&label);
    }
    if (moves->view.nodes == 1)
        return;
    for (int node = 0; node < moves->view.nodes; node++) {
        busiest = moves->out[node] > busiest ? moves->out[node] : busiest;
        busiest = moves->in[node] > busiest ? moves->in[node] : busiest;
    }
    topo_text_addf(out, "  %-34s %20s %20s\n", "busiest link of a node, each way", "", dump_number(busiest, bytes));
    topo_text_addf(out, "  %-34s %20s %20s\n", "least possible, 2m(1-1/nodes)", "",
                   dump_number(dump_moves_bound(moves), bytes));
}

void dump_moves_text(const struct dump_moves_view *moves, struct topo_text *out)
{
    char bytes[32], elements[32];
    topo_text_addf(out, "%s, algorithm %s, %s bytes (%s doubles)\n\n",
                   topo_operation_name(moves->view.request->operation), moves->view.request->algorithm,
                   dump_number((int64_t)moves->whole.count * DUMP_ELEMENT, bytes),
                   dump_number((int64_t)moves->whole.count, elements));
    dump_tree_text(&moves->view, out);
    topo_text_add(out, "\n");
    if (moves->shape.stripes) {
        add_stripes(moves, out);
    } else {
        add_grid(moves, out);
        add_ranks(moves, out);
    }
    add_traffic(moves, out);
}
