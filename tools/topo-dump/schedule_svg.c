/* A schedule as a picture: time to the right, a row per sender, coloured by receiver. Two panels on one time scale:
 * without a schedule, where senders wait for nobody and what meets at a receiver is hatched (docs/REFERENCES.md,
 * Redistribution 7), and the steps of the one shown. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-dump/svg.h"
#include "topo-dump/schedule.h"

#define HATCHED "fill=\"url(#conflict)\" stroke=\"#c00000\" stroke-width=\"1.2\""

enum { LEFT = 64, PLOT = 960, RIGHT = 24, HEAD = 70, GAP = 56, LEGEND_MAX = 32 };

struct panel {
    const struct dump_schedule_view *view;
    const struct topo_schedule *schedule;
    double top, row, scale; /* y of the first row, its height, pixels per unit of weight */
};

/* Ten colours that stay apart, then hues a golden angle apart. */
static void colour_of(int receiver, int receivers, char *out, size_t size)
{
    if (receivers <= 10)
        snprintf(out, size, "%s", svg_colour(receiver));
    else
        snprintf(out, size, "hsl(%d,60%%,%d%%)", receiver * 137 % 360, 34 + receiver * 7 % 16);
}

/* Marks pieces whose receiver has another one in the step. */
static bool meets(const struct topo_schedule *schedule, int step, const struct topo_piece *piece)
{
    for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++)
        if (&schedule->piece[p] != piece && schedule->piece[p].receiver == piece->receiver)
            return true;
    return false;
}

/* The largest load of a sender or receiver: what the step takes. */
static int64_t length_of(const struct topo_schedule *schedule, int step, int64_t *load)
{
    int64_t most = 0;
    memset(load, 0, ((size_t)schedule->senders + (size_t)schedule->receivers) * sizeof *load);
    for (int64_t p = schedule->first[step]; p < schedule->first[step + 1]; p++) {
        const struct topo_piece *piece = &schedule->piece[p];
        int64_t sent = load[piece->sender] += piece->weight;
        int64_t received = load[schedule->senders + piece->receiver] += piece->weight;
        most = sent > most ? sent : most;
        most = received > most ? received : most;
    }
    return most;
}

static void draw_piece(const struct panel *panel, struct topo_text *out, int step, const struct topo_piece *piece,
                       double x, bool conflict)
{
    double width = (double)piece->weight * panel->scale, y = panel->top + piece->sender * panel->row;
    char fill[32], style[128], title[160];
    colour_of(piece->receiver, panel->schedule->receivers, fill, sizeof fill);
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"white\" stroke-width=\"%.1f\"", fill,
             panel->row > 6 ? 0.6 : 0.2);
    snprintf(title, sizeof title, "step %d: %d to %d, %" PRId64 "%s", step + 1, piece->sender, piece->receiver,
             piece->weight, conflict ? ", meets another one at its receiver" : "");
    double inset = panel->row > 6 ? 1 : 0.2, height = panel->row - 2 * inset;
    svg_rect(out, x, y + inset, width, height, style, title);
    if (conflict)
        svg_rect(out, x, y + inset, width, height, HATCHED, title);
}

/* The number of its receiver, over what is hatched. */
static void draw_number(const struct panel *panel, struct topo_text *out, const struct topo_piece *piece, double x,
                        bool conflict)
{
    double width = (double)piece->weight * panel->scale, y = panel->top + piece->sender * panel->row;
    char number[12];
    snprintf(number, sizeof number, "%d", piece->receiver);
    if (panel->row >= 9 && width > 6.5 * (double)strlen(number) + 3)
        svg_text(out, x + width / 2, y + panel->row / 2 + 3.5, 9.5, "middle",
                 conflict ? "fill=\"black\" stroke=\"white\" stroke-width=\"2.5\" paint-order=\"stroke\""
                          : "fill=\"white\"",
                 number);
}

static void draw_steps(const struct panel *panel, struct topo_text *out, int64_t *load)
{
    const struct topo_schedule *schedule = panel->schedule;
    double x = LEFT, bottom = panel->top + schedule->senders * panel->row, last_label = -100;
    for (int t = 0; t < schedule->steps; t++) {
        double width = (double)length_of(schedule, t, load) * panel->scale;
        double from = x;
        int sender = -1;
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            if (piece->sender != sender)
                from = x;
            sender = piece->sender;
            const bool conflict = meets(schedule, t, piece);
            draw_piece(panel, out, t, piece, from, conflict);
            draw_number(panel, out, piece, from, conflict);
            from += (double)piece->weight * panel->scale;
        }
        if (x + width / 2 - last_label > 20 && width > 5) {
            char number[12];
            snprintf(number, sizeof number, "%d", t + 1);
            last_label = x + width / 2;
            svg_text(out, last_label, panel->top - 6, 9.5, "middle", "fill=\"#555\"", number);
        }
        x += width;
        svg_line(out, x, panel->top - 3, x, bottom + 3,
                 width > 3 ? "stroke=\"#333\" stroke-width=\"0.8\"" : "stroke=\"#333\" stroke-width=\"0.2\"");
    }
}

/* Where a piece that begins at `start` meets others at its receiver, hatched: meeting[count] has the receivers' in
 * order. True: it does. */
static bool draw_meetings(const struct panel *panel, struct topo_text *out, const struct topo_piece *piece,
                          int64_t start, const struct topo_meeting *meeting, int64_t count)
{
    const int64_t end = start + piece->weight;
    int64_t low = 0, high = count;
    bool met = false;
    while (low < high) { /* the first meeting of the receiver that ends after the piece begins */
        int64_t middle = (low + high) / 2;
        bool before = meeting[middle].receiver < piece->receiver ||
                      (meeting[middle].receiver == piece->receiver && meeting[middle].to <= start);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    for (; low < count && meeting[low].receiver == piece->receiver && meeting[low].from < end; low++) {
        int64_t from = meeting[low].from > start ? meeting[low].from : start;
        int64_t to = meeting[low].to < end ? meeting[low].to : end;
        char title[120];
        snprintf(title, sizeof title, "%d senders to %d at once", meeting[low].senders, piece->receiver);
        svg_rect(out, LEFT + (double)from * panel->scale, panel->top + piece->sender * panel->row,
                 (double)(to - from) * panel->scale, panel->row, HATCHED, title);
        met = true;
    }
    return met;
}

/* Every sender's messages right after each other; meetings hatched. False: memory is out. */
static bool draw_unscheduled(const struct panel *panel, struct topo_text *out)
{
    const struct topo_schedule *schedule = panel->schedule;
    TOPO_SCOPED int64_t *start = topo_alloc((size_t)schedule->first[schedule->steps], sizeof *start);
    TOPO_SCOPED struct topo_meeting *meeting = NULL;
    int64_t count = 0;
    bool ready = start && topo_schedule_meetings(schedule, start, NULL, &meeting, &count, NULL) == TOPO_OK;
    for (int t = 0; t < schedule->steps && ready; t++)
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const double x = LEFT + (double)start[p] * panel->scale;
            draw_piece(panel, out, t, &schedule->piece[p], x, false);
            draw_number(panel, out, &schedule->piece[p], x,
                        draw_meetings(panel, out, &schedule->piece[p], start[p], meeting, count));
        }
    return ready;
}

/* Two amounts in one unit, "277 of 512 MiB"; elements as they are. */
static const char *part_text(bool elements, int64_t part, int64_t whole, char *text, size_t size)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int unit = 0;
    double divisor = 1;
    while (!elements && unit < 4 && (double)whole >= 1024 * divisor) {
        divisor *= 1024;
        unit++;
    }
    const int digits = unit && (double)whole < 100 * divisor;
    snprintf(text, size, "%.*f of %.*f %s", digits, (double)part / divisor, digits, (double)whole / divisor,
             elements ? "elements" : units[unit]);
    return text;
}

static void draw_panel(const struct panel *panel, struct topo_text *out, enum dump_scheduler scheduler, int64_t *load)
{
    const struct topo_schedule *schedule = panel->schedule;
    const struct topo_schedule_figures *f = &panel->view->result[scheduler].figures;
    const char *form =
        scheduler == DUMP_SCHEDULER_css ? topo_css_form_text(panel->view->css.form) : dump_scheduler_help(scheduler);
    char title[256], amount[64];
    bool unscheduled = scheduler == DUMP_SCHEDULER_direct;
    int64_t contention = panel->view->result[scheduler].contention;
    double bottom = panel->top + schedule->senders * panel->row, end = LEFT + (double)f->bound * panel->scale;
    if (unscheduled)
        snprintf(title, sizeof title, "%s (%s): nobody waits; %s while another sends to the same receiver",
                 dump_scheduler_name(scheduler), form,
                 part_text(panel->view->redistributed, contention, panel->view->facts.total, amount, sizeof amount));
    else
        snprintf(title, sizeof title,
                 "%s (%s): %d steps, duration %" PRId64 " = %.2f of the bound, %" PRId64
                 " conflict%s, contention %" PRId64,
                 dump_scheduler_name(scheduler), form, f->steps, f->duration,
                 f->bound ? (double)f->duration / (double)f->bound : 1.0, f->conflicts, f->conflicts == 1 ? "" : "s",
                 contention);
    svg_text_within(out, LEFT, panel->top - 22, 12.5, PLOT + RIGHT - 8, "start", "font-weight=\"bold\"", title);
    if (unscheduled) {
        out->failed |= !draw_unscheduled(panel, out);
    } else {
        svg_rect(out, LEFT, panel->top, (double)f->duration * panel->scale, bottom - panel->top, "fill=\"#eeeeee\"",
                 NULL);
        draw_steps(panel, out, load);
    }
    svg_line(out, end, panel->top - 12, end, bottom + 8,
             "stroke=\"#c00000\" stroke-width=\"1.4\" stroke-dasharray=\"4 3\"");
    svg_text(out, end, bottom + 19, 10, end > LEFT + 60 ? "end" : "start", "fill=\"#c00000\"", "bound");
    /* As many row labels as fit. */
    int every = 1;
    while (every * panel->row < 11)
        every++;
    for (int i = 0; i < schedule->senders; i += every) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        svg_text(out, LEFT - 8, panel->top + (i + 0.5) * panel->row + 3.5, 10, "end", "fill=\"#333\"", number);
    }
    svg_text(out, 12, panel->top - 6, 10, "start", "fill=\"#555\"", "sender");
}

static void draw_legend(const struct dump_schedule_view *view, struct topo_text *out, double y)
{
    int receivers = view->matrix->receivers;
    double x = LEFT;
    svg_text(out, x, y + 10, 10.5, "start", "fill=\"#333\"", "receiver");
    x += 54;
    for (int j = 0; j < receivers && j < LEGEND_MAX; j++) {
        char fill[32], style[64], number[16];
        colour_of(j, receivers, fill, sizeof fill);
        snprintf(style, sizeof style, "fill=\"%s\"", fill);
        snprintf(number, sizeof number, "%d", j);
        svg_rect(out, x, y, 18, 13, style, NULL);
        svg_text(out, x + 9, y + 10, 9, "middle", "fill=\"white\"", number);
        x += 22;
    }
    if (receivers > LEGEND_MAX)
        svg_text(out, x, y + 10, 10.5, "start", "fill=\"#333\"", "...");
    svg_rect(out, LEFT, y + 20, 18, 13, "fill=\"#bbb\"", NULL);
    svg_rect(out, LEFT, y + 20, 18, 13, HATCHED, NULL);
    svg_text(out, LEFT + 24, y + 30, 10.5, "start", "fill=\"#333\"",
             "meets another message at its receiver; in a step, the step then lasts as long as the receiver needs");
}

void dump_schedule_svg(const void *context, struct topo_text *out)
{
    const struct dump_schedule_view *view = context;
    enum dump_scheduler shown = view->request->shown;
    const struct dump_scheduled *direct = &view->result[DUMP_SCHEDULER_direct], *result = &view->result[shown];
    bool both = direct->schedule && shown != DUMP_SCHEDULER_direct;
    int senders = view->matrix->senders;
    int64_t longest = result->figures.duration;
    if (both && direct->figures.duration > longest)
        longest = direct->figures.duration;
    double row = senders > 0 ? 520.0 / senders : 20;
    row = row > 20 ? 20 : row < 2 ? 2 : row;
    double panel_height = row * senders, height = HEAD + (both ? 2 : 1) * (panel_height + GAP) + 50;
    TOPO_SCOPED int64_t *load = topo_alloc((size_t)senders + (size_t)view->matrix->receivers, sizeof *load);
    char title[200];
    if (!load) {
        out->failed = true;
        return;
    }
    svg_begin(out, LEFT + PLOT + RIGHT, height);
    topo_text_add(out, "<defs><pattern id=\"conflict\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
                       "patternTransform=\"rotate(45)\"><rect width=\"2\" height=\"5\" fill=\"#c00000\" "
                       "fill-opacity=\"0.75\"/></pattern></defs>\n");
    snprintf(title, sizeof title, "%d senders, %d receivers, %" PRId64 " messages, %" PRId64 " %s; time to the right",
             senders, view->matrix->receivers, view->matrix->messages, view->facts.total,
             view->redistributed ? "elements" : "bytes");
    svg_text(out, LEFT, 22, 14, "start", "fill=\"#111\"", title);
    struct panel panel = {view, both ? direct->schedule : result->schedule, HEAD, row,
                          longest ? (double)PLOT / (double)longest : 1};
    draw_panel(&panel, out, both ? DUMP_SCHEDULER_direct : shown, load);
    if (both) {
        panel.schedule = result->schedule;
        panel.top += panel_height + GAP;
        draw_panel(&panel, out, shown, load);
    }
    draw_legend(view, out, height - 44);
    svg_end(out);
}
