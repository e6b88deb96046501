/* The picture of a mapping: the graph round a circle and the matrix, before and after. */
#include <math.h>
#include <stdio.h>

#include "topo-dump/svg.h"
#include "topo-dump/picture.h"

enum { RADIUS = 225, BAND = 12, MATRIX_TOP = 92 };

static const double pi = 3.14159265358979323846;

/* Left edges of the two halves of the page. */
static double half(int side)
{
    return side ? PAGE_WIDTH / 2.0 + 20 : PAGE_MARGIN;
}

static const double half_width = PAGE_WIDTH / 2.0 - PAGE_MARGIN - 20;

struct point {
    double x, y;
};

static struct point on_circle(struct point centre, double radius, double part)
{
    double angle = 2 * pi * part - pi / 2;
    return (struct point){centre.x + radius * cos(angle), centre.y + radius * sin(angle)};
}

/* Edges inside nodes (pass 0) or between nodes (pass 1). */
static void draw_edges(const struct picture *picture, const int64_t *traffic, struct point centre, bool crossing,
                       struct topo_text *out)
{
    int cells = picture->cells;
    for (int a = 0; a < cells; a++)
        for (int b = a + 1; b < cells; b++) {
            int64_t bytes =
                traffic[(size_t)a * (size_t)cells + (size_t)b] + traffic[(size_t)b * (size_t)cells + (size_t)a];
            bool crosses = picture->cell_node[a] != picture->cell_node[b];
            if (!bytes || crosses != crossing)
                continue;
            struct point from = on_circle(centre, RADIUS - 12, (a + 0.5) / cells);
            struct point to = on_circle(centre, RADIUS - 12, (b + 0.5) / cells);
            struct point middle = {(from.x + to.x + 2 * centre.x) / 4, (from.y + to.y + 2 * centre.y) / 4};
            double share = (double)bytes / (2.0 * (double)picture->largest);
            char path[128], style[160];
            snprintf(path, sizeof path, "M %.1f %.1f Q %.1f %.1f %.1f %.1f", from.x, from.y, middle.x, middle.y, to.x,
                     to.y);
            snprintf(style, sizeof style, "fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\" stroke-opacity=\"%.2f\"",
                     crosses ? "#b00010" : picture_colour(picture, a), 0.4 + 3.6 * sqrt(share),
                     0.25 + 0.6 * sqrt(share));
            svg_path(out, path, style, NULL);
        }
}

/* The anchor of a number that stands outside the circle, so far to the right of its middle. */
static const char *beside(double x)
{
    return x > RADIUS / 3.0 ? "start" : x < -RADIUS / 3.0 ? "end" : "middle";
}

/* The vertices, coloured by node, with the number each plays. */
static void draw_vertices(const struct picture *picture, struct point centre, bool after, struct topo_text *out)
{
    const struct dump_view *view = picture->view;
    int cells = picture->cells;
    double radius = pi * RADIUS / cells < 11 ? pi * RADIUS / cells : 11;
    for (int c = 0; c < cells; c++) {
        struct point at = on_circle(centre, RADIUS, (c + 0.5) / cells);
        struct point outside = on_circle(centre, RADIUS + radius + 9, (c + 0.5) / cells);
        int rank = cells == view->tree->ranks ? view->order[c] : -1, node = picture->cell_node[c];
        int number = rank < 0 ? node : after ? view->mapping->pi[rank] : rank;
        char text[64], style[80];
        snprintf(style, sizeof style, "fill=\"%s\" stroke=\"#fff\" stroke-width=\"0.5\"", picture_colour(picture, c));
        snprintf(text, sizeof text, rank < 0 ? "node %d and on" : "number %d, on node %d", number, node);
        svg_circle(out, at.x, at.y, radius, style, text);
        snprintf(text, sizeof text, "%d", number);
        if (radius >= 8)
            svg_text_within(out, at.x, at.y + 3.5, 10, 2 * radius - 2, "middle", "fill=\"#fff\"", text);
        else if (radius >= 6 || c % 8 == 0)
            svg_text(out, outside.x, outside.y + 3, 8, beside(outside.x - centre.x), "fill=\"#333\"", text);
    }
}

double picture_graphs(const struct picture *picture, double y, struct topo_text *out)
{
    bool ranks = picture->cells == picture->view->tree->ranks;
    picture_heading(out, PAGE_MARGIN, y + 24,
                    ranks
                        ? "Who exchanges with whom: numbers at their ranks' places, coloured by node; red lines cross "
                          "nodes, thick lines carry more"
                        : "Which nodes exchange: red lines cross nodes, thick lines carry more");
    for (int side = 0; side < 2; side++) {
        struct point centre = {half(side) + half_width / 2, y + 70 + RADIUS + 24};
        const int64_t *traffic = side ? picture->after : picture->before;
        svg_text(out, centre.x, y + 54, 15, "middle", "font-weight=\"bold\" fill=\"#333\"",
                 side ? "after" : "before (rank i plays number i)");
        draw_edges(picture, traffic, centre, false, out);
        draw_edges(picture, traffic, centre, true, out);
        draw_vertices(picture, centre, side, out);
    }
    return y + 70 + 2 * RADIUS + 60;
}

/* Numbers beside the lines and above the columns, as many as have room: of the rank, or of a run of nodes' first. */
static void number_cells(const struct picture *picture, double x, double y, struct topo_text *out)
{
    const double size = 9, step = (double)PICTURE_MATRIX_SIDE / picture->cells, away = BAND + 6;
    const struct dump_view *view = picture->view;
    bool ranks = picture->cells == view->tree->ranks;
    char text[16];
    snprintf(text, sizeof text, "%d", (ranks ? view->tree->ranks : view->nodes) - 1);
    int every = 1;
    while (every * step < svg_text_width(size, text) + 4)
        every *= 2;
    for (int c = 0; c < picture->cells; c += every) {
        snprintf(text, sizeof text, "%d", ranks ? view->order[c] : picture->cell_node[c]);
        svg_text(out, x + (c + 0.5) * step, y - away, size, "middle", "fill=\"#333\"", text);
        svg_text(out, x - away, y + (c + 0.5) * step + 3, size, "end", "fill=\"#333\"", text);
    }
}

void picture_matrix(const struct picture *picture, const int64_t *traffic, double x, double y, struct topo_text *out)
{
    int cells = picture->cells;
    double step = (double)PICTURE_MATRIX_SIDE / cells;
    char style[96], shade[8], text[96], number[32];
    for (int a = 0; a < cells; a++)
        for (int b = 0; b < cells; b++) {
            int64_t bytes = traffic[(size_t)a * (size_t)cells + (size_t)b];
            bool crosses = picture->cell_node[a] != picture->cell_node[b] || (a == b && !picture->one_node[a]);
            if (!bytes)
                continue;
            snprintf(style, sizeof style, "fill=\"%s\"", picture_shade(picture, bytes, crosses, shade));
            snprintf(text, sizeof text, "%s bytes", dump_number(bytes, number));
            svg_rect(out, x + b * step, y + a * step, step, step, style, cells <= 32 ? text : NULL);
            if (step >= 24) {
                const double size = step >= 40 ? 13 : 10;
                const bool whole = svg_text_width(size, number) <= step - 2;
                svg_text_within(out, x + (b + 0.5) * step, y + (a + 0.5) * step + 4, size, step - 2, "middle",
                                picture_ink(picture, bytes), whole ? number : dump_short_number(bytes, number));
            }
        }
    for (int c = 0, end; c < cells; c = end) {
        for (end = c + 1; end < cells && picture->cell_node[end] == picture->cell_node[c]; end++)
            ;
        snprintf(style, sizeof style, "fill=\"%s\"", picture_colour(picture, c));
        svg_rect(out, x + c * step, y - BAND - 2, (end - c) * step, BAND, style, NULL);
        svg_rect(out, x - BAND - 2, y + c * step, BAND, (end - c) * step, style, NULL);
        if (c > 0 && picture->view->nodes <= CELLS_MAX / 2) {
            svg_line(out, x + c * step, y, x + c * step, y + PICTURE_MATRIX_SIDE,
                     "stroke=\"#ccc\" stroke-width=\"0.8\"");
            svg_line(out, x, y + c * step, x + PICTURE_MATRIX_SIDE, y + c * step,
                     "stroke=\"#ccc\" stroke-width=\"0.8\"");
        }
    }
    svg_rect(out, x, y, PICTURE_MATRIX_SIDE, PICTURE_MATRIX_SIDE, "fill=\"none\" stroke=\"#555\"", NULL);
    number_cells(picture, x, y, out);
}

double picture_matrices(const struct picture *picture, double y, struct topo_text *out)
{
    char text[180];
    bool ranks = picture->cells == picture->view->tree->ranks;
    snprintf(text, sizeof text,
             "Bytes that each %s (row) sends to each (column); red between nodes, blue inside, the darker the more",
             ranks                                    ? "rank"
             : picture->cells == picture->view->nodes ? "node"
                                                      : "group of nodes, numbered by its first,");
    picture_heading(out, PAGE_MARGIN, y + 24, text);
    for (int side = 0; side < 2; side++) {
        double x = half(side) + (half_width - PICTURE_MATRIX_SIDE) / 2 + BAND / 2.0;
        svg_text(out, x + PICTURE_MATRIX_SIDE / 2.0, y + 54, 15, "middle", "font-weight=\"bold\" fill=\"#333\"",
                 side ? "after" : "before");
        picture_matrix(picture, side ? picture->after : picture->before, x, y + MATRIX_TOP, out);
    }
    return y + MATRIX_TOP + PICTURE_MATRIX_SIDE + 40;
}
