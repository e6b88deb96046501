/* The steps of an all-reduce as a picture: bytes per level, the grid, who sends how much to whom. */
#include <stdio.h>

#include "base/memory.h"
#include "topo-dump/svg.h"
#include "topo-dump/allreduce_steps.h"

enum { BAR_STEP = 30, BAR_HEIGHT = 18, LABEL_WIDTH = 230, FIGURE_WIDTH = 170, GRID_RANKS_MAX = 256, SIDE = 30 };

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
    svg_text_within(out, PAGE_MARGIN, 34, 26, PAGE_WIDTH - 2 * PAGE_MARGIN, "start",
                    "font-weight=\"bold\" fill=\"#111\"", line.text ? line.text : "");
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
    svg_text_within(out, PAGE_MARGIN, 62, 16, PAGE_WIDTH - 2 * PAGE_MARGIN, "start", "fill=\"#333\"",
                    line.text ? line.text : "");
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
        svg_text_within(out, PAGE_MARGIN, y + BAR_HEIGHT - 4, 14, LABEL_WIDTH - 8, "start", "fill=\"#333\"",
                        label.text ? label.text : "");
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

/* Where places are drawn: lines of `across` places, in runs of `run` with a gap between them, and columns of `lines`
 * lines, as many beside each other as the page has room for. */
struct layout {
    int across, run, lines;
    double width, step; /* of a column; from line to line */
};

enum { GAP = 14, WIDE_GAP = 30, LINES_MIN = 12, ROOM = PAGE_WIDTH - 2 * PAGE_MARGIN };

static struct layout layout_of(int places, int across, int run, double step)
{
    const int all = (places + across - 1) / across;
    const double width = across * (SIDE + GAP) + (across - 1) / run * (WIDE_GAP - GAP);
    int columns = (int)((ROOM + WIDE_GAP) / (width + WIDE_GAP));
    columns = columns < 1 ? 1 : columns;
    const int lines = (all + columns - 1) / columns;
    return (struct layout){across, run, lines > LINES_MIN || lines == all ? lines : LINES_MIN, width, step};
}

static void position(const struct layout *layout, int place, double *x, double *y)
{
    const int line = place / layout->across, at = place % layout->across;
    *x = PAGE_MARGIN + line / layout->lines * (layout->width + WIDE_GAP) + at * (SIDE + GAP) +
         at / layout->run * (WIDE_GAP - GAP);
    *y += line % layout->lines * layout->step;
}

static double height(const struct layout *layout, int places)
{
    const int lines = (places + layout->across - 1) / layout->across;
    return (lines < layout->lines ? lines : layout->lines) * layout->step;
}

/* Dimensions that run along a line of the picture: until it is wide rather than high, if they fit; the first in any
 * case. *across: places of the line. */
static int dims_of_line(const struct topo_grid *grid, int *across)
{
    int dims = grid->dims > 0;
    for (*across = dims ? grid->size[0] : 1; dims < grid->dims && *across * *across < grid->ranks; dims++) {
        const int places = *across * grid->size[dims];
        if (places * (SIDE + GAP) + (places / grid->size[0] - 1) * (WIDE_GAP - GAP) > ROOM)
            break;
        *across = places;
    }
    return dims;
}

static void hover_text(const struct dump_allreduce_steps_view *steps, int place, struct topo_text *out)
{
    const struct topo_grid *g = &steps->shape.grid;
    struct topo_block own = topo_grid_part(g, place, g->dims, steps->whole);
    topo_text_addf(out, "rank %d at", topo_rank_group_rank(&steps->group, place));
    for (int dim = 0; dim < g->dims; dim++)
        topo_text_addf(out, " %d", topo_grid_coordinate(g, place, dim));
    for (int dim = 0; dim < g->dims; dim++)
        topo_text_addf(out, "; dimension %d: to %d, from %d", dim + 1,
                       dump_allreduce_steps_neighbour(steps, place, dim, 1),
                       dump_allreduce_steps_neighbour(steps, place, dim, -1));
    topo_text_addf(out, "; ends the addition with elements %zu to %zu (not included)", own.at, own.at + own.count);
}

/* The first dimensions run along the lines of the picture, the others through its columns. */
static double grid(const struct dump_allreduce_steps_view *steps, double y, struct topo_text *out)
{
    const struct topo_grid *g = &steps->shape.grid;
    const char *others = "", *stroke = "stroke=\"#888\"";
    int across, drawn = dims_of_line(g, &across);
    char text[120];
    if (drawn < g->dims)
        others = ", the others down the columns";
    if (drawn > 1)
        snprintf(text, sizeof text, "The grid: dimensions 1 to %d along the lines%s; ranks coloured by node", drawn,
                 others);
    else
        snprintf(text, sizeof text, "The grid: dimension 1 along the lines%s; ranks coloured by node", others);
    picture_heading(out, PAGE_MARGIN, y + 24, text);
    y += 44;
    if (across > ROOM / (SIDE + GAP))
        across = ROOM / (SIDE + GAP);
    const int run = g->dims && g->size[0] < across ? g->size[0] : across;
    const struct layout layout = layout_of(g->ranks, across, run, SIDE + GAP);
    for (int place = 0; place < g->ranks; place++) {
        struct topo_text hover = {0};
        double x, top = y;
        position(&layout, place, &x, &top);
        hover_text(steps, place, &hover);
        if (place % across + 1 < across && (place % across + 1) % run && place + 1 < g->ranks)
            svg_line(out, x + SIDE, top + SIDE / 2.0, x + SIDE + GAP, top + SIDE / 2.0, stroke);
        if (place + across < g->ranks && (place / across + 1) % layout.lines)
            svg_line(out, x + SIDE / 2.0, top + SIDE, x + SIDE / 2.0, top + SIDE + GAP, stroke);
        draw_rank(steps, topo_rank_group_rank(&steps->group, place), x, top, hover.failed ? "" : hover.text, out);
        topo_text_free(&hover);
    }
    return y + height(&layout, g->ranks) + 20;
}

/* A line a stripe: its owners, node by node. */
static double stripe_owners(const struct dump_allreduce_steps_view *steps, double y, struct topo_text *out)
{
    const struct topo_stripes *stripes = &steps->stripes;
    const int nodes = stripes->nodes, places = stripes->stripes * nodes;
    const struct layout layout = layout_of(places, nodes, nodes, SIDE + 8);
    picture_heading(out, PAGE_MARGIN, y + 24,
                    "The stripes: each line is a ring of the ranks that own it, node by node");
    y += 44;
    for (int place = 0; place < places; place++) {
        double x, top = y;
        position(&layout, place, &x, &top);
        if (place % nodes)
            svg_line(out, x - GAP, top + SIDE / 2.0, x, top + SIDE / 2.0, "stroke=\"#888\"");
        draw_rank(steps, topo_stripes_rank(stripes, place % nodes, place / nodes), x, top, NULL, out);
    }
    return y + height(&layout, places) + 20;
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
