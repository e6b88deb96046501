#include "topo-dump/svg.h"

#include <string.h>

/* Adds `string` with & < > " escaped. */
static void escape(struct topo_text *out, const char *string)
{
    for (; *string; string++) {
        switch (*string) {
        case '&': topo_text_add(out, "&amp;"); break;
        case '<': topo_text_add(out, "&lt;"); break;
        case '>': topo_text_add(out, "&gt;"); break;
        case '"': topo_text_add(out, "&quot;"); break;
        default: topo_text_addf(out, "%c", *string); break;
        }
    }
}

void svg_begin(struct topo_text *out, double width, double height)
{
    topo_text_addf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
                   "font-family=\"sans-serif\">\n"
                   "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
                   width, height, width, height);
}

void svg_end(struct topo_text *out)
{
    topo_text_add(out, "</svg>\n");
}

/* Closes a shape, with its hover text when there is one. */
static void close_shape(struct topo_text *out, const char *element, const char *title)
{
    if (!title) {
        topo_text_add(out, "/>\n");
        return;
    }
    topo_text_add(out, "><title>");
    escape(out, title);
    topo_text_addf(out, "</title></%s>\n", element);
}

void svg_rect(struct topo_text *out, double x, double y, double width, double height, const char *style,
              const char *title)
{
    topo_text_addf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s", x, y, width, height, style);
    close_shape(out, "rect", title);
}

void svg_circle(struct topo_text *out, double x, double y, double radius, const char *style, const char *title)
{
    topo_text_addf(out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" %s", x, y, radius, style);
    close_shape(out, "circle", title);
}

void svg_line(struct topo_text *out, double x1, double y1, double x2, double y2, const char *style)
{
    topo_text_addf(out, "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" %s/>\n", x1, y1, x2, y2, style);
}

void svg_path(struct topo_text *out, const char *path, const char *style, const char *title)
{
    topo_text_addf(out, "<path d=\"%s\" %s", path, style);
    close_shape(out, "path", title);
}

void svg_text(struct topo_text *out, double x, double y, double size, const char *anchor, const char *style,
              const char *string)
{
    topo_text_addf(out, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.1f\" text-anchor=\"%s\" %s>", x, y, size, anchor,
                   style);
    escape(out, string);
    topo_text_add(out, "</text>\n");
}

double svg_text_width(double size, const char *string)
{
    const double of_height = 0.6; /* letters of sans-serif fonts, digits of the wide ones */
    return of_height * size * (double)strlen(string);
}

void svg_text_within(struct topo_text *out, double x, double y, double size, double width, const char *anchor,
                     const char *style, const char *string)
{
    double wide = svg_text_width(size, string);
    svg_text(out, x, y, wide > width ? size * width / wide : size, anchor, style, string);
}

const char *svg_colour(int index)
{
    static const char *const colours[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9",
                                          "#d55e00", "#999933", "#882255", "#44aa99", "#777777"};
    return colours[((index % 10) + 10) % 10];
}
