/* The steps of an all-reduce as text for people. */
#include <inttypes.h>
#include <stdio.h>

#include "topo-dump/allreduce_steps.h"

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

static void add_grid(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct topo_grid *grid = &steps->shape.grid;
    char part_text[32], block_text[32];
    topo_text_add(out, "grid ");
    topo_grid_format(grid, out);
    if (steps->seconds >= 0)
        topo_text_addf(out, "%s %.1f us in the model", steps->chosen ? ", the cheapest:" : ":", 1e6 * steps->seconds);
    if (steps->group.extra)
        topo_text_addf(out, "; %d of %d ranks hand their vector to a neighbour first", steps->group.extra,
                       steps->group.ranks);
    topo_text_add(out, "\n");
    for (int dim = 0; dim < grid->dims; dim++) {
        size_t part, block;
        dump_allreduce_steps_lengths(steps, dim, &part, &block);
        topo_text_addf(out, "  dimension %d: %d ranks, %s, ", dim + 1, grid->size[dim], dump_dim_kind(grid->kind[dim]));
        dump_allreduce_steps_crossing(steps, dim, out);
        topo_text_addf(out, "; %s elements", dump_number((int64_t)part, part_text));
        if (grid->kind[dim] == TOPO_DIM_EXCHANGE)
            topo_text_add(out, ", sent whole\n");
        else
            topo_text_addf(out, " in blocks of %s\n", dump_number((int64_t)block, block_text));
    }
}

/* One line a rank: its neighbours and the block whose sum it holds after each dimension. */
static void add_ranks(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct topo_grid *grid = &steps->shape.grid;
    int n = steps->view.tree->ranks, width = width_of(steps->whole.count);
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
        int rank = steps->view.order[i], place = dump_allreduce_steps_place(steps, rank), length = 0;
        char text[160] = "";
        topo_text_addf(out, "%5d  ", rank);
        if (place < 0) {
            topo_text_addf(out, "gives rank %d its vector and waits for the result\n",
                           topo_rank_group_rank(&steps->group, (dump_allreduce_steps_number(steps, rank) - 1) / 2));
            continue;
        }
        for (int dim = 0; dim < grid->dims; dim++)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s%d", dim ? "," : "",
                               topo_grid_coordinate(grid, place, dim));
        topo_text_addf(out, "%-14s", text);
        for (int dim = 0; dim < grid->dims; dim++) {
            topo_text_addf(out, " | %6d %6d", dump_allreduce_steps_neighbour(steps, place, dim, 1),
                           dump_allreduce_steps_neighbour(steps, place, dim, -1));
            add_elements(out, topo_grid_part(grid, place, dim + 1, steps->whole), width);
        }
        topo_text_add(out, "\n");
    }
}

static void add_stripes(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct topo_stripes *stripes = &steps->stripes;
    int width = width_of(steps->whole.count);
    topo_text_addf(out,
                   "%d stripes, cheaper than any grid: %.1f us in the model. Inside a node a stripe is added up by its "
                   "owner;\nthe owners then go round a ring over the %d nodes, and hand the result to their nodes.\n",
                   stripes->stripes, 1e6 * steps->seconds, stripes->nodes);
    if (steps->view.request->summary)
        return;
    if (stripes->stripes > ROWS_MAX || stripes->nodes > COLUMNS_MAX) {
        topo_text_add(out, "  (--format json lists the owners)\n");
        return;
    }
    topo_text_addf(out, "\n%5s  %*s   owner on node 0 .. %d\n", "stripe", width, "elements", stripes->nodes - 1);
    for (int stripe = 0; stripe < stripes->stripes; stripe++) {
        topo_text_addf(out, "%5d ", stripe);
        add_elements(out, topo_block_of(steps->whole, stripes->stripes, stripe), width);
        topo_text_add(out, "  ");
        for (int node = 0; node < stripes->nodes; node++)
            topo_text_addf(out, " %6d", topo_stripes_rank(stripes, node, stripe));
        topo_text_add(out, "\n");
    }
}

static void add_traffic(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct topo_tree *tree = steps->view.tree;
    char bytes[32], messages[32];
    int64_t busiest = 0;
    topo_text_addf(out, "\n%-36s %20s %20s\n", "all ranks together", "messages", "bytes");
    for (int z = 0; z <= tree->levels; z++) {
        dump_level_row(tree, z, dump_number(steps->messages[z], messages), dump_number(steps->bytes[z], bytes), out);
        topo_text_add(out, "\n");
    }
    if (steps->view.nodes == 1)
        return;
    for (int node = 0; node < steps->view.nodes; node++) {
        busiest = steps->out[node] > busiest ? steps->out[node] : busiest;
        busiest = steps->in[node] > busiest ? steps->in[node] : busiest;
    }
    topo_text_addf(out, "  %-34s %20s %20s\n", "busiest link of a node, each way", "", dump_number(busiest, bytes));
    topo_text_addf(out, "  %-34s %20s %20s\n", "least possible, 2m(1-1/nodes)", "",
                   dump_number(dump_allreduce_steps_bound(steps), bytes));
}

void dump_allreduce_steps_text(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    char bytes[32], elements[32];
    topo_text_addf(out, "%s, algorithm %s, %s bytes (%s doubles)\n\n",
                   topo_operation_name(steps->view.request->operation), steps->view.request->algorithm,
                   dump_number((int64_t)steps->whole.count * DUMP_ELEMENT, bytes),
                   dump_number((int64_t)steps->whole.count, elements));
    dump_tree_text(&steps->view, out);
    topo_text_add(out, "\n");
    if (steps->shape.stripes) {
        add_stripes(steps, out);
    } else {
        add_grid(steps, out);
        if (!steps->view.request->summary)
            add_ranks(steps, out);
    }
    add_traffic(steps, out);
}
