/* The picture of a comparison of packets: rate over packet, the latter logarithmic. */
#include <math.h>
#include <string.h>

#include "common/svg.h"
#include "topo-bench/packets.h"

enum { WIDTH = 860, HEIGHT = 480, LEFT = 80, RIGHT = 260, TOP = 48, BOTTOM = 56 };

struct axes {
    double x_low, x_high, y_high; /* logarithms of the packets; MB/s */
};

/* MB of the vector a second; 0: not measured. */
static double rate(const struct bench_report *report, int size, int algorithm)
{
    double seconds = bench_report_seconds(report, size, algorithm);
    return seconds > 0 ? (double)report->size[size].bytes / seconds / 1e6 : 0;
}

static double x_of(const struct axes *axes, size_t packet)
{
    return LEFT + (log2((double)packet) - axes->x_low) / (axes->x_high - axes->x_low) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct axes *axes, double value)
{
    return HEIGHT - BOTTOM - value / axes->y_high * (HEIGHT - TOP - BOTTOM);
}

/* Algorithms of one family have the same name before the '@'. */
static bool same_family(const char *a, const char *b)
{
    size_t length = strcspn(a, "@");
    return length == strcspn(b, "@") && !strncmp(a, b, length);
}

static bool find_axes(const struct bench_report *report, struct axes *axes)
{
    *axes = (struct axes){INFINITY, -INFINITY, 0};
    for (int a = 0; a < report->algorithms; a++) {
        size_t packet;
        if (!bench_packet_of(report->algorithm[a], &packet))
            continue;
        if (packet) {
            axes->x_low = fmin(axes->x_low, log2((double)packet));
            axes->x_high = fmax(axes->x_high, log2((double)packet));
        }
        for (int i = 0; i < report->sizes; i++)
            axes->y_high = fmax(axes->y_high, 1.1 * rate(report, i, a));
    }
    if (axes->x_high - axes->x_low < 0.1)
        axes->x_high = axes->x_low + 1;
    return axes->y_high > 0;
}

static void draw_axes(const struct bench_report *report, const struct axes *axes, struct topo_text *out)
{
    double right = WIDTH - RIGHT, bottom = HEIGHT - BOTTOM, step = pow(10, floor(log10(axes->y_high)));
    if (axes->y_high / step < 3)
        step /= 5;
    for (double value = 0; value <= axes->y_high; value += step) {
        struct topo_text label = {0};
        topo_text_addf(&label, "%g", value);
        svg_line(out, LEFT, y_of(axes, value), right, y_of(axes, value), "stroke=\"#dddddd\"");
        svg_text(out, LEFT - 8, y_of(axes, value) + 4, 12, "end", "fill=\"#333333\"", label.failed ? "" : label.text);
        topo_text_free(&label);
    }
    for (int a = 0; a < report->algorithms; a++) {
        size_t packet;
        char label[32];
        if (!bench_packet_of(report->algorithm[a], &packet) || !packet)
            continue;
        topo_format_size(packet, label, sizeof label);
        svg_line(out, x_of(axes, packet), TOP, x_of(axes, packet), bottom, "stroke=\"#eeeeee\"");
        svg_text(out, x_of(axes, packet), bottom + 18, 12, "middle", "fill=\"#333333\"", label);
    }
    svg_line(out, LEFT, bottom, right, bottom, "stroke=\"#333333\"");
    svg_line(out, LEFT, TOP, LEFT, bottom, "stroke=\"#333333\"");
    svg_text(out, LEFT + (right - LEFT) / 2, HEIGHT - 12, 13, "middle", "fill=\"#333333\"",
             "bytes of a packet (dashed: whole blocks, synchronously)");
    svg_text(out, LEFT - 8, TOP - 10, 12, "end", "fill=\"#333333\"", "MB/s");
}

/* One family at one size: its packets in the order of the report, which is ascending. */
static void draw_line(const struct bench_report *report, const struct axes *axes, int size, int first, int place,
                      struct topo_text *out)
{
    struct topo_text style = {0}, name = {0};
    double last_x = 0, last_y = 0, row = TOP + 12 + 18.0 * place;
    char bytes[32];
    topo_format_size(report->size[size].bytes, bytes, sizeof bytes);
    topo_text_addf(&name, "%.*s, %s", (int)strcspn(report->algorithm[first], "@"), report->algorithm[first], bytes);
    topo_text_addf(&style, "stroke=\"%s\" stroke-width=\"2\"", svg_colour(place));
    for (int a = first; a < report->algorithms && !style.failed && !name.failed; a++) {
        struct topo_text hover = {0}, point = {0};
        double value = rate(report, size, a), y = y_of(axes, value);
        size_t packet;
        if (!bench_packet_of(report->algorithm[a], &packet) ||
            !same_family(report->algorithm[a], report->algorithm[first]) || value <= 0)
            continue;
        topo_text_addf(&point, "fill=\"%s\"", svg_colour(place));
        topo_text_addf(&hover, "%s, %s: %.1f MB/s", report->algorithm[a], bytes, value);
        if (packet == 0) {
            topo_text_addf(&point, " stroke=\"%s\" stroke-width=\"1.5\" stroke-dasharray=\"6 4\"", svg_colour(place));
            svg_line(out, LEFT, y, WIDTH - RIGHT, y, point.failed ? "" : point.text);
        } else {
            double x = x_of(axes, packet);
            if (last_x > 0)
                svg_line(out, last_x, last_y, x, y, style.text);
            svg_circle(out, x, y, 3, point.failed ? "" : point.text, hover.failed ? NULL : hover.text);
            last_x = x;
            last_y = y;
        }
        topo_text_free(&hover);
        topo_text_free(&point);
    }
    if (!style.failed && !name.failed) {
        svg_line(out, WIDTH - RIGHT + 14, row - 4, WIDTH - RIGHT + 40, row - 4, style.text);
        svg_text(out, WIDTH - RIGHT + 46, row, 12, "start", "fill=\"#333333\"", name.text);
    }
    topo_text_free(&style);
    topo_text_free(&name);
}

void bench_chart_packets(const struct bench_report *report, struct topo_text *out)
{
    struct axes axes;
    struct topo_text title = {0};
    int place = 0;
    svg_begin(out, WIDTH, HEIGHT);
    topo_text_addf(&title, "%s%spackets of %s, ", report->label, *report->label ? ": " : "", report->operation);
    bench_report_describe(report, &title);
    svg_text(out, LEFT, 22, 15, "start", "fill=\"#111111\"", title.failed ? "" : title.text);
    topo_text_free(&title);
    if (find_axes(report, &axes)) {
        draw_axes(report, &axes, out);
        for (int a = 0; a < report->algorithms; a++) {
            size_t packet;
            bool first = bench_packet_of(report->algorithm[a], &packet);
            for (int b = 0; b < a && first; b++)
                first = !bench_packet_of(report->algorithm[b], &packet) ||
                        !same_family(report->algorithm[a], report->algorithm[b]);
            for (int i = 0; first && i < report->sizes; i++)
                draw_line(report, &axes, i, a, place++, out);
        }
    }
    svg_end(out);
}
