/* A call as a picture: a line for each rank, what it receives above, what it sends below, what goes through its node's
 * memory between; each in the colour of the other end. */
#include <stdio.h>

#include "topo-dump/plan.h"
#include "topo-dump/svg.h"

enum { LEFT = 72, PLOT = 960, RIGHT = 24, HEAD = 64, BAR = 5, ROW = 3 * BAR + 5, FOOT = 30, TICKS = 8 };

static void draw(const struct dump_plan_times *times, const struct dump_plan_position *at, double scale,
                 struct topo_text *out)
{
    static const int lane[] = {
        [TOPO_TASK_RECEIVE] = 0, [TOPO_TASK_GIVE] = 1, [TOPO_TASK_TAKE] = 1, [TOPO_TASK_ADD] = 1, [TOPO_TASK_SEND] = 2};
    const enum topo_task_kind kind = times->plan[at->rank].task[at->task].kind;
    const bool in_node = kind == TOPO_TASK_GIVE || at->step.peer < 0;
    char style[96], title[160], blocks[48], peer[32] = "";
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"white\" stroke-width=\"0.4\"",
             in_node ? "#bbbbbb" : svg_colour(at->step.peer));
    snprintf(blocks, sizeof blocks, at->step.count > 1 ? "blocks %lld to %lld" : "block %lld",
             (long long)at->step.first,
             (long long)((at->step.first + at->step.count - 1) % topo_plan_blocks(&times->plan[at->rank])));
    if (!in_node)
        snprintf(peer, sizeof peer, " %s rank %d", kind == TOPO_TASK_SEND ? "to" : "from", at->step.peer);
    snprintf(title, sizeof title, "rank %d: %s %s%s, %.1f to %.1f us", at->rank, dump_plan_kinds[kind], blocks, peer,
             1e6 * at->begin, 1e6 * at->end);
    const double width = (at->end - at->begin) * scale;
    svg_rect(out, LEFT + at->begin * scale, HEAD + at->rank * ROW + lane[kind] * BAR, width > 0.5 ? width : 0.5, BAR,
             style, title);
}

void dump_plan_svg(const struct dump_plan_times *times, const char *title, struct topo_text *out)
{
    const int ranks = times->tree->ranks;
    const double scale = times->seconds > 0 ? PLOT / times->seconds : 0, bottom = HEAD + ranks * ROW;
    char text[32];
    svg_begin(out, LEFT + PLOT + RIGHT, bottom + FOOT);
    svg_text_within(out, LEFT, 26, 15, PLOT, "start", "font-weight=\"bold\" fill=\"#111\"", title);
    svg_text(
        out, LEFT, 46, 11, "start", "fill=\"#555\"",
        "each rank: received above, its node's memory between (given: grey), sent below; coloured by the other end");
    for (int tick = 0; tick <= TICKS; tick++) {
        const double x = LEFT + PLOT * tick / (double)TICKS;
        svg_line(out, x, HEAD - 4, x, bottom, "stroke=\"#dddddd\"");
        snprintf(text, sizeof text, "%.1f us", 1e6 * times->seconds * tick / TICKS);
        svg_text(out, x, bottom + 16, 10, "middle", "fill=\"#333\"", text);
    }
    for (int rank = 0; rank < ranks; rank++) {
        snprintf(text, sizeof text, "rank %d", rank);
        svg_text(out, LEFT - 8, HEAD + rank * ROW + 11, 10, "end", "fill=\"#333\"", text);
        svg_line(out, LEFT, HEAD + rank * ROW - 2, LEFT + PLOT, HEAD + rank * ROW - 2,
                 rank > 0 && topo_tree_node_of(times->tree, rank) == topo_tree_node_of(times->tree, rank - 1)
                     ? "stroke=\"#eeeeee\""
                     : "stroke=\"#999999\"");
    }
    for (int i = 0; i < times->count; i++)
        draw(times, &times->position[i], scale, out);
    svg_end(out);
}
