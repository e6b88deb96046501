/* The steps of an all-reduce as a picture: bytes per level, the grid, who sends how much to whom. */
#include <stdio.h>

#include "base/memory.h"
#include "topo-dump/svg.h"
#include "topo-dump/allreduce_steps.h"

enum { BAR_STEP = 30, BAR_HEIGHT = 18, LABEL_WIDTH = 230, FIGURE_WIDTH = 150, GRID_RANKS_MAX = 256, SIDE = 30 };

static double title(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    const struct dump_view *view = &steps->view;
    struct topo_text line = {0};
    char bytes[32], bound[32], busiest[32];
    int64_t most = 0;
    for (int node = 0; node < view->nodes; node++)
        most = steps->out[node] > most ? steps->out[node] : most;
    topo_text_addf(&line, "%s, %s: %s bytes on %d %s on %d %s", topo_operation_name(view->request->operation),
                   view->request->algorithm, dump_number((int64_t)steps->whole.count * DUMP_ELEMENT, bytes),
                   view->tree->ranks, view->tree->ranks == 1 ? "rank" : "ranks", view->nodes,
                   view->nodes == 1 ? "node" : "nodes");
    svg_text(out, PAGE_MARGIN, 34, 26, "start", "font-weight=\"bold\" fill=\"#111\"", line.text ? line.text : "");
    topo_text_free(&line);
    if (steps->shape.stripes) {
        topo_text_addf(&line, "%d stripes", steps->stripes.stripes);
    } else {
        topo_text_add(&line, "Grid ");
        topo_grid_format(&steps->shape.grid, &line);
    }
    if (view->nodes > 1)
        topo_text_addf(&line, "; the busiest node sends %s bytes, at least %s must leave", dump_number(most, busiest),
                       dump_number(dump_allreduce_steps_bound(steps), bound));
    svg_text(out, PAGE_MARGIN, 62, 16, "start", "fill=\"#333\"", line.text ? line.text : "");
    topo_text_free(&line);
    return 80;
}

static double bars(const struct dump_allreduce_steps_view *steps, double y, struct topo_text *out)
{
    const struct topo_tree *tree = steps->view.tree;
    double room = PAGE_WIDTH - 2 * PAGE_MARGIN - LABEL_WIDTH - FIGURE_WIDTH;
    int node = topo_tree_node_level(tree);
    int64_t most = 1;
    for (int z = 0; z <= tree->levels; z++)
        most = steps->bytes[z] > most ? steps->bytes[z] : most;
    picture_heading(out, PAGE_MARGIN, y + 24, "Bytes across each level, all ranks together (red: between nodes)");
    y += 40;
    for (int z = 0; z <= tree->levels; z++) {
        struct topo_text label = {0};
        char figure[32];
        double width = room * (double)steps->bytes[z] / (double)most;
        if (!steps->bytes[z])
            continue;
        dump_level_label(tree, z, &label);
        svg_text(out, PAGE_MARGIN, y + BAR_HEIGHT - 4, 14, "start", "fill=\"#333\"", label.text ? label.text : "");
        topo_text_free(&label);
        svg_rect(out, PAGE_MARGIN + LABEL_WIDTH, y, width < 1 ? 1 : width, BAR_HEIGHT,
                 z <= node ? "fill=\"#b00010\"" : "fill=\"#084594\"", NULL);
        svg_text(out, PAGE_MARGIN + LABEL_WIDTH + width + 8, y + BAR_HEIGHT - 4, 13, "start", "fill=\"#333\"",
                 dump_number(steps->bytes[z], figure));
        y += BAR_STEP;
    }
    return y + 10;
}

/* A rank as a square with its number. */
static void draw_rank(const struct dump_allreduce_steps_view *steps, int rank, double x, double y, const char *hover,
                      struct topo_text *out)
{
    char style[64], text[16];
    snprintf(style, sizeof style, "rx=\"4\" fill=\"%s\"", svg_colour(steps->view.node[rank]));
    svg_rect(out, x, y, SIDE, SIDE, style, hover);
    snprintf(text, sizeof text, "%d", rank);
    svg_text(out, x + SIDE / 2.0, y + SIDE / 2.0 + 4, 12, "middle", "fill=\"#fff\"", text);
}

/* Dimension 1 runs along the lines of the picture, the others through its columns. */
static double grid(const struct dump_allreduce_steps_view *steps, double y, struct topo_text *out)
{
    const struct topo_grid *g = &steps->shape.grid;
    int across = g->dims ? g->size[0] : 1, fit = (PAGE_WIDTH - 2 * PAGE_MARGIN) / (SIDE + 14);
    picture_heading(out, PAGE_MARGIN, y + 24,
                    "The grid: dimension 1 along the lines, the others down the columns; ranks coloured by node");
    y += 44;
    if (across > fit)
        across = fit;
    for (int place = 0; place < g->ranks; place++) {
        struct topo_text hover = {0};
        int rank = topo_rank_group_rank(&steps->group, place), line = place / across;
        double x = PAGE_MARGIN + (place % across) * (SIDE + 14.0), top = y + line * (SIDE + 14.0);
        struct topo_block own = topo_grid_part(g, place, g->dims, steps->whole);
        topo_text_addf(&hover, "rank %d at", rank);
        for (int dim = 0; dim < g->dims; dim++)
            topo_text_addf(&hover, " %d", topo_grid_coordinate(g, place, dim));
        for (int dim = 0; dim < g->dims; dim++)
            topo_text_addf(&hover, "; dimension %d: to %d, from %d", dim + 1,
                           dump_allreduce_steps_neighbour(steps, place, dim, 1),
                           dump_allreduce_steps_neighbour(steps, place, dim, -1));
        topo_text_addf(&hover, "; ends the addition with elements %zu to %zu (not included)", own.at,
                       own.at + own.count);
        if (place % across + 1 < across && place + 1 < g->ranks)
            svg_line(out, x + SIDE, top + SIDE / 2.0, x + SIDE + 14, top + SIDE / 2.0, "stroke=\"#888\"");
        if (place + across < g->ranks)
            svg_line(out, x + SIDE / 2.0, top + SIDE, x + SIDE / 2.0, top + SIDE + 14, "stroke=\"#888\"");
        draw_rank(steps, rank, x, top, hover.failed ? "" : hover.text, out);
        topo_text_free(&hover);
    }
    return y + (g->ranks + across - 1) / across * (SIDE + 14.0) + 20;
}

/* A line a stripe: its owners, node by node. */
static double stripe_owners(const struct dump_allreduce_steps_view *steps, double y, struct topo_text *out)
{
    const struct topo_stripes *stripes = &steps->stripes;
    picture_heading(out, PAGE_MARGIN, y + 24,
                    "The stripes: each line is a ring of the ranks that own it, node by node");
    y += 44;
    for (int stripe = 0; stripe < stripes->stripes; stripe++, y += SIDE + 8)
        for (int node = 0; node < stripes->nodes; node++) {
            double x = PAGE_MARGIN + node * (SIDE + 14.0);
            if (node)
                svg_line(out, x - 14, y + SIDE / 2.0, x, y + SIDE / 2.0, "stroke=\"#888\"");
            draw_rank(steps, topo_stripes_rank(stripes, node, stripe), x, y, NULL, out);
        }
    return y + 20;
}

void dump_allreduce_steps_svg(const struct dump_allreduce_steps_view *steps, struct topo_text *out)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text body = {0};
    char text[120];
    bool stripes = steps->shape.stripes;
    double y = title(steps, &body);
    y = bars(steps, y, &body);
    if (stripes && steps->stripes.nodes <= 24 && steps->stripes.stripes <= GRID_RANKS_MAX)
        y = stripe_owners(steps, y, &body);
    else if (!stripes && steps->view.tree->ranks <= GRID_RANKS_MAX)
        y = grid(steps, y, &body);
    snprintf(text, sizeof text, "Bytes that each %s (row) sends to each (column)",
             steps->picture.cells == steps->view.tree->ranks ? "rank" : "group of ranks");
    picture_heading(&body, PAGE_MARGIN, y + 24, text);
    picture_matrix(&steps->picture, steps->picture.before, PAGE_MARGIN + 30, y + 60, &body);
    svg_begin(out, PAGE_WIDTH, y + 60 + PICTURE_MATRIX_SIDE + 40);
    topo_text_add(out, body.text ? body.text : "");
    svg_end(out);
    out->failed = out->failed || body.failed;
}
