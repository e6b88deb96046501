/* The picture of a mapping: bars of bytes per level, and the tree. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-dump/svg.h"
#include "topo-dump/picture.h"

enum { BAR_HEIGHT = 15, BAR_STEP = 46, LABEL_WIDTH = 230, FIGURE_WIDTH = 170, TREE_STEP = 66 };

static void bar(struct topo_text *out, double y, int64_t bytes, int64_t most, const char *style)
{
    double room = PAGE_WIDTH - 2 * PAGE_MARGIN - LABEL_WIDTH - FIGURE_WIDTH;
    double width = most > 0 ? room * (double)bytes / (double)most : 0;
    char figure[32];
    svg_rect(out, PAGE_MARGIN + LABEL_WIDTH, y, width < 1 && bytes ? 1 : width, BAR_HEIGHT, style, NULL);
    svg_text(out, PAGE_MARGIN + LABEL_WIDTH + width + 8, y + BAR_HEIGHT - 3, 13, "start", "fill=\"#333\"",
             dump_number(bytes, figure));
}

double picture_bars(const struct picture *picture, double y, struct topo_text *out)
{
    const struct topo_tree *tree = picture->view->tree;
    const struct topo_mapping *mapping = picture->view->mapping;
    int node = topo_tree_node_level(tree);
    int64_t most = 0;
    for (int z = 0; z <= tree->levels; z++) {
        most = mapping->bytes_before[z] > most ? mapping->bytes_before[z] : most;
        most = mapping->bytes_after[z] > most ? mapping->bytes_after[z] : most;
    }
    picture_heading(out, PAGE_MARGIN, y + 24, "Bytes across each level");
    svg_rect(out, PAGE_MARGIN + LABEL_WIDTH, y + 12, 14, 14, "fill=\"#bbbbbb\"", NULL);
    svg_text(out, PAGE_MARGIN + LABEL_WIDTH + 20, y + 24, 13, "start", "fill=\"#333\"", "before");
    svg_rect(out, PAGE_MARGIN + LABEL_WIDTH + 80, y + 12, 7, 14, "fill=\"#b00010\"", NULL);
    svg_rect(out, PAGE_MARGIN + LABEL_WIDTH + 87, y + 12, 7, 14, "fill=\"#084594\"", NULL);
    svg_text(out, PAGE_MARGIN + LABEL_WIDTH + 100, y + 24, 13, "start", "fill=\"#333\"",
             "after (red: between nodes, blue: inside a node)");
    y += 40;
    for (int z = 0; z <= tree->levels; z++) {
        struct topo_text label = {0};
        if (!mapping->bytes_before[z] && !mapping->bytes_after[z])
            continue;
        dump_level_label(tree, z, &label);
        svg_text_within(out, PAGE_MARGIN, y + BAR_HEIGHT + 4, 14, LABEL_WIDTH - 8, "start", "fill=\"#333\"",
                        label.text ? label.text : "");
        topo_text_free(&label);
        bar(out, y, mapping->bytes_before[z], most, "fill=\"#bbbbbb\"");
        bar(out, y + BAR_HEIGHT + 1, mapping->bytes_after[z], most,
            z <= node ? "fill=\"#b00010\"" : "fill=\"#084594\"");
        y += BAR_STEP;
    }
    return y + 10;
}

/* -- tree ------------------------------------------------------------------ */

/* Levels that are drawn: those with no more units than cells fit. */
static int drawn_levels(const struct topo_tree *tree)
{
    int levels = 0;
    while (levels < tree->levels && tree->units[levels] <= CELLS_MAX)
        levels++;
    /* A last level with one rank in each unit looks like the ranks themselves. */
    if (levels == tree->levels && topo_tree_node_level(tree) < levels - 1 && tree->units[levels - 1] == tree->ranks)
        levels--;
    return levels;
}

/* Middle and room of a unit. */
struct box {
    double x, width;
};

static void draw_unit(const struct picture *picture, int level, int unit, struct box box, double y,
                      struct topo_text *out)
{
    const struct topo_tree *tree = picture->view->tree;
    char text[64], style[96];
    const char *fill = "#eeeeee", *ink = "#222";
    double width = box.width - 4 < 90 ? box.width - 4 : 90;
    snprintf(text, sizeof text, "%s %d", topo_level_name(tree->kind[level]), unit);
    if (tree->kind[level] == TOPO_LEVEL_NODE) {
        fill = svg_colour(unit);
        ink = "#fff";
    }
    snprintf(style, sizeof style, "rx=\"4\" fill=\"%s\" stroke=\"#555\" stroke-width=\"0.7\"", fill);
    svg_rect(out, box.x - width / 2, y, width, 24, style, text);
    snprintf(style, sizeof style, "fill=\"%s\"", ink);
    if (width > 56)
        svg_text(out, box.x, y + 16.5, 12, "middle", style, text);
    else if (width > 16) {
        snprintf(text, sizeof text, "%d", unit);
        svg_text(out, box.x, y + 16.5, 12, "middle", style, text);
    }
}

/* The ranks as squares, hanging from the units of the last level drawn. */
static void draw_ranks(const struct picture *picture, int level, double left, double step, double parent_y, double y,
                       struct topo_text *out)
{
    const struct dump_view *view = picture->view;
    int n = view->tree->ranks;
    const struct topo_numbers *unit = &view->tree->unit[level];
    double side = step - 1.5 < 26 ? step - 1.5 : 26;
    for (int i = 0, end; i < n; i = end) {
        for (end = i; end < n && topo_numbers_at(unit, view->order[end]) == topo_numbers_at(unit, view->order[i]);
             end++)
            ;
        for (int k = i; k < end; k++)
            svg_line(out, left + (i + end) * step / 2, parent_y, left + (k + 0.5) * step, y, "stroke=\"#bbb\"");
    }
    for (int i = 0; i < n; i++) {
        int rank = view->order[i];
        double x = left + (i + 0.5) * step;
        char style[64], text[64];
        snprintf(style, sizeof style, "fill=\"%s\"", svg_colour(view->node[rank]));
        snprintf(text, sizeof text, "rank %d plays number %d", rank, view->mapping->pi[rank]);
        svg_rect(out, x - side / 2, y, side, 22, style, text);
        if (side <= 13)
            continue;
        snprintf(text, sizeof text, "%d", rank);
        svg_text(out, x, y + 15, side > 18 ? 12 : 10, "middle", "fill=\"#fff\"", text);
        snprintf(text, sizeof text, "%d", view->mapping->pi[rank]);
        svg_text(out, x, y + 37, side > 18 ? 12 : 10, "middle", "fill=\"#333\"", text);
    }
}

double picture_tree(const struct picture *picture, double y, struct topo_text *out)
{
    const struct dump_view *view = picture->view;
    const struct topo_tree *tree = view->tree;
    int n = tree->ranks, levels = drawn_levels(tree);
    bool ranks = n <= CELLS_MAX;
    double left = PAGE_MARGIN, step = (PAGE_WIDTH - 2.0 * PAGE_MARGIN) / n;
    picture_heading(out, PAGE_MARGIN, y + 24,
                    ranks ? "The machine: ranks, and below each the number it plays" : "The machine");
    y += 44;
    struct box root = {PAGE_WIDTH / 2.0, 110};
    if (tree->units[0] > 1) {
        svg_rect(out, root.x - 45, y, 90, 24, "rx=\"4\" fill=\"#fff\" stroke=\"#555\"", NULL);
        svg_text(out, root.x, y + 16.5, 12, "middle", "fill=\"#222\"", "network");
        y += TREE_STEP;
    }
    /* Lines first, so that boxes lie on them: level by level, each unit's middle
     * is that of its ranks. */
    for (int pass = 0; pass < 2; pass++)
        for (int level = 0; level < levels; level++) {
            const struct topo_numbers *unit = &tree->unit[level], *outer = unit - 1;
            for (int i = 0, end; i < n; i = end) {
                int here = topo_numbers_at(unit, view->order[i]), low = i, high;
                for (end = i; end < n && topo_numbers_at(unit, view->order[end]) == here; end++)
                    ;
                struct box box = {left + (i + end) * step / 2, (end - i) * step};
                double top = y + level * TREE_STEP, parent = root.x;
                if (pass) {
                    draw_unit(picture, level, here, box, top, out);
                    continue;
                }
                if (level) {
                    for (low = i; low > 0 && topo_numbers_at(outer, view->order[low - 1]) ==
                                                 topo_numbers_at(outer, view->order[i]);
                         low--)
                        ;
                    for (high = end; high < n && topo_numbers_at(outer, view->order[high]) ==
                                                     topo_numbers_at(outer, view->order[i]);
                         high++)
                        ;
                    parent = left + (low + high) * step / 2;
                }
                if (level || tree->units[0] > 1)
                    svg_line(out, parent, top - TREE_STEP + 24, box.x, top, "stroke=\"#999\"");
            }
        }
    y += levels * TREE_STEP;
    if (ranks) {
        draw_ranks(picture, levels - 1, left, step, y - TREE_STEP + 24, y - 10, out);
        y += 40;
    } else {
        char text[96] = "";
        int length = 0;
        for (int level = levels; level < tree->levels; level++)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "%s%d x %s",
                         level > levels ? ", " : "below: ", tree->units[level], topo_level_name(tree->kind[level]));
        svg_text(out, PAGE_WIDTH / 2.0, y - TREE_STEP + 50, 14, "middle", "fill=\"#333\"", text);
    }
    return y + 20;
}
