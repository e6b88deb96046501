/* The picture of a report: time over size, both axes logarithmic. */
#include <math.h>
#include <string.h>

#include "common/svg.h"
#include "topo-bench/packets.h"

enum { WIDTH = 860, HEIGHT = 480, LEFT = 80, RIGHT = 230, TOP = 48, BOTTOM = 56 };

/* Where values lie: decimal logarithms of the ends of both axes. */
struct axes {
    double x_low, x_high, y_low, y_high;
};

static double x_of(const struct axes *axes, double bytes)
{
    return LEFT + (log10(bytes) - axes->x_low) / (axes->x_high - axes->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct axes *axes, double seconds)
{
    return HEIGHT - BOTTOM - (log10(seconds) - axes->y_low) / (axes->y_high - axes->y_low) * (HEIGHT - TOP - BOTTOM);
}

/* Whole decades of time around all values, sizes from the first to the last. False: nothing to draw. */
static bool find_axes(const struct bench_report *report, struct axes *axes)
{
    double low = INFINITY, high = 0;
    for (int i = 0; i < report->sizes; i++) {
        double bound = report->size[i].bound;
        for (int a = -1; a < report->algorithms; a++) {
            double value = a < 0 ? bound : bench_report_seconds(report, i, a);
            if (value <= 0)
                continue;
            /* A bound far below all times would squeeze them: it may leave the picture. */
            if (a >= 0)
                low = value < low ? value : low;
            high = value > high ? value : high;
        }
    }
    if (!(high > 0) || !isfinite(low))
        return false;
    axes->y_low = floor(log10(low / 1.5));
    axes->y_high = ceil(log10(high * 1.2));
    axes->x_low = log10((double)report->size[0].bytes);
    axes->x_high = log10((double)report->size[report->sizes - 1].bytes);
    if (axes->x_high - axes->x_low < 0.1) {
        axes->x_low -= 0.5;
        axes->x_high += 0.5;
    }
    return true;
}

/* A time with its unit: 10 µs, 1 ms. */
static void time_label(double seconds, struct topo_text *out)
{
    if (seconds < 0.99e-3)
        topo_text_addf(out, "%g \xc2\xb5s", seconds * 1e6);
    else if (seconds < 0.99)
        topo_text_addf(out, "%g ms", seconds * 1e3);
    else
        topo_text_addf(out, "%g s", seconds);
}

static void draw_axes(const struct bench_report *report, const struct axes *axes, struct topo_text *out)
{
    double bottom = HEIGHT - BOTTOM, right = WIDTH - RIGHT, last = -1e9;
    for (double decade = axes->y_low; decade <= axes->y_high + 0.5; decade++) {
        struct topo_text label = {0};
        double y = y_of(axes, pow(10, decade));
        for (int part = 2; part < 10 && decade < axes->y_high - 0.5; part++) {
            double minor = y_of(axes, part * pow(10, decade));
            svg_line(out, LEFT, minor, right, minor, "stroke=\"#f0f0f0\"");
        }
        svg_line(out, LEFT, y, right, y, "stroke=\"#cccccc\"");
        time_label(pow(10, decade), &label);
        svg_text(out, LEFT - 8, y + 4, 12, "end", "fill=\"#333333\"", label.failed ? "" : label.text);
        topo_text_free(&label);
    }
    for (int i = 0; i < report->sizes; i++) {
        char label[32];
        double x = x_of(axes, (double)report->size[i].bytes);
        svg_line(out, x, TOP, x, bottom, "stroke=\"#eeeeee\"");
        /* Only as many labels as there is room for. */
        if (x - last < 38)
            continue;
        last = x;
        topo_format_size(report->size[i].bytes, label, sizeof label);
        svg_text(out, x, bottom + 18, 12, "middle", "fill=\"#333333\"", label);
    }
    svg_line(out, LEFT, bottom, right, bottom, "stroke=\"#333333\"");
    svg_line(out, LEFT, TOP, LEFT, bottom, "stroke=\"#333333\"");
    svg_text(out, LEFT + (right - LEFT) / 2, HEIGHT - 12, 13, "middle", "fill=\"#333333\"",
             strcmp(report->operation, "allgather")
                 ? strcmp(report->operation, "alltoallv") ? "bytes" : "mean bytes from a rank to another"
                 : "bytes of a rank's block");
}

/* The line of one algorithm, or of the bound (-1); `place` is its row in the legend. */
static void draw_line(const struct bench_report *report, const struct axes *axes, int algorithm, int place,
                      struct topo_text *out)
{
    struct topo_text style = {0}, title = {0};
    double last_x = 0, last_y = 0, bottom = HEIGHT - BOTTOM, row = TOP + 12 + 18.0 * place;
    bool drawn = false;
    const char *name = algorithm < 0 ? "bound of the links" : report->algorithm[algorithm];
    if (algorithm < 0)
        topo_text_add(&style, "stroke=\"#000000\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"");
    else
        /* Beyond ten colours repeat, dotted. */
        topo_text_addf(&style, "stroke=\"%s\" stroke-width=\"2\"%s", svg_colour(algorithm),
                       algorithm >= 10 ? " stroke-dasharray=\"2 3\"" : "");
    for (int i = 0; i < report->sizes && !style.failed; i++) {
        double seconds = algorithm < 0 ? report->size[i].bound : bench_report_seconds(report, i, algorithm);
        if (seconds <= 0) {
            drawn = false;
            continue;
        }
        double x = x_of(axes, (double)report->size[i].bytes), y = y_of(axes, seconds);
        if (drawn && y <= bottom) {
            /* Only the bound can come from below the picture: it enters at the axis. */
            double part = last_y > bottom ? (bottom - last_y) / (y - last_y) : 0;
            svg_line(out, last_x + part * (x - last_x), last_y + part * (y - last_y), x, y, style.text);
        }
        if (algorithm >= 0) {
            struct topo_text point = {0};
            topo_text_addf(&point, "fill=\"%s\"", svg_colour(algorithm));
            topo_text_free(&title);
            topo_text_addf(&title, "%s, %zu bytes: %.1f \xc2\xb5s", name, report->size[i].bytes, seconds * 1e6);
            if (!point.failed && !title.failed)
                svg_circle(out, x, y, 3, point.text, title.text);
            topo_text_free(&point);
        }
        last_x = x;
        last_y = y;
        drawn = true;
    }
    if (!style.failed)
        svg_line(out, WIDTH - RIGHT + 14, row - 4, WIDTH - RIGHT + 40, row - 4, style.text);
    svg_text(out, WIDTH - RIGHT + 46, row, 12, "start", "fill=\"#333333\"", name);
    topo_text_free(&style);
    topo_text_free(&title);
}

void bench_chart(const struct bench_report *report, struct topo_text *out)
{
    struct axes axes;
    struct topo_text title = {0};
    int place = 0;
    if (bench_has_packets(report)) {
        bench_chart_packets(report, out);
        return;
    }
    svg_begin(out, WIDTH, HEIGHT);
    topo_text_addf(&title, "%s%s%s, ", report->label, *report->label ? ": " : "", report->operation);
    bench_report_describe(report, &title);
    svg_text(out, LEFT, 26, 15, "start", "fill=\"#111111\"", title.failed ? "" : title.text);
    topo_text_free(&title);
    if (find_axes(report, &axes)) {
        draw_axes(report, &axes, out);
        for (int a = 0; a < report->algorithms; a++) {
            bool measured = false;
            for (int i = 0; i < report->sizes; i++)
                measured = measured || report->size[i].result[a].seconds.count;
            if (measured)
                draw_line(report, &axes, a, place++, out);
        }
        draw_line(report, &axes, -1, place, out);
    }
    svg_end(out);
}
