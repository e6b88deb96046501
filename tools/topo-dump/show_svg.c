/* A mapping as a picture: bars, tree, graph and matrix, before and after. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "topo-dump/svg.h"
#include "topo-dump/picture.h"

void picture_heading(struct topo_text *out, double x, double y, const char *text)
{
    svg_text_within(out, x, y, 16, PAGE_WIDTH - PAGE_MARGIN - x, "start", "font-weight=\"bold\" fill=\"#333\"", text);
}

const char *picture_colour(const struct picture *picture, int cell)
{
    return picture->one_node[cell] ? svg_colour(picture->cell_node[cell]) : "#888888";
}

/* 0 white to 1 full; the least byte can still be seen. */
static double share_of_ink(const struct picture *picture, int64_t bytes)
{
    double share = 0.25 + 0.75 * log2((double)bytes + 1) / log2((double)picture->largest + 1);
    return bytes <= 0 ? 0 : share > 1 ? 1 : share;
}

const char *picture_shade(const struct picture *picture, int64_t bytes, bool crosses, char out[8])
{
    static const int blue[3] = {0x08, 0x45, 0x94}, red[3] = {0xb0, 0x00, 0x10};
    const int *full = crosses ? red : blue;
    const double share = share_of_ink(picture, bytes);
    snprintf(out, 8, "#%02x%02x%02x", (int)(255 - share * (255 - full[0])) & 255,
             (int)(255 - share * (255 - full[1])) & 255, (int)(255 - share * (255 - full[2])) & 255);
    return out;
}

const char *picture_ink(const struct picture *picture, int64_t bytes)
{
    return share_of_ink(picture, bytes) > 0.55 ? "fill=\"#fff\"" : "fill=\"#222\"";
}

bool picture_cells(struct picture *picture)
{
    const struct dump_view *view = picture->view;
    int n = view->tree->ranks, nodes_per_cell = (view->nodes + CELLS_MAX - 1) / CELLS_MAX;
    int last = -1, held = 0;
    picture->cell = topo_alloc((size_t)n, sizeof *picture->cell);
    picture->cell_node = topo_alloc((size_t)n, sizeof *picture->cell_node);
    picture->one_node = topo_alloc((size_t)n, sizeof *picture->one_node);
    if (!picture->cell || !picture->cell_node || !picture->one_node)
        return false;
    for (int i = 0; i < n; i++) {
        int rank = view->order[i], key = n <= CELLS_MAX ? i : view->node[rank] / nodes_per_cell;
        if (key != last) {
            picture->cell_node[picture->cells] = view->node[rank];
            picture->one_node[picture->cells++] = true;
            last = key;
            held = 0;
        }
        int cell = picture->cells - 1;
        picture->cell[rank] = cell;
        picture->one_node[cell] = picture->one_node[cell] && view->node[rank] == picture->cell_node[cell];
        if (++held > picture->ranks_per_cell_max)
            picture->ranks_per_cell_max = held;
    }
    return true;
}

static bool make_traffic(struct picture *picture)
{
    const struct dump_view *view = picture->view;
    int cells = picture->cells;
    if (!dump_traffic(view, NULL, picture->cell, cells, &picture->before) ||
        !dump_traffic(view, view->mapping->pi_inverse, picture->cell, cells, &picture->after))
        return false;
    picture->largest = 1;
    for (int a = 0; a < cells; a++)
        for (int b = 0; b < cells; b++) {
            size_t at = (size_t)a * (size_t)cells + (size_t)b;
            if (a != b && picture->before[at] > picture->largest)
                picture->largest = picture->before[at];
            if (a != b && picture->after[at] > picture->largest)
                picture->largest = picture->after[at];
        }
    return true;
}

/* Title and the one figure that counts: bytes between nodes, or, on one node,
 * across the outermost level that divides it. */
static double title(const struct dump_view *view, double y, struct topo_text *out)
{
    const struct topo_mapping *mapping = view->mapping;
    TOPO_SCOPED_BY(topo_text_free) struct topo_text line = {0}, label = {0};
    char before[32], after[32];
    int64_t bytes_before = mapping->edge_cut_before, bytes_after = mapping->edge_cut_after;
    int z = topo_tree_node_level(view->tree);
    if (view->nodes == 1) {
        while (z < view->tree->levels && view->tree->units[z] == 1)
            z++;
        bytes_before = mapping->bytes_before[z];
        bytes_after = mapping->bytes_after[z];
        dump_level_label(view->tree, z, &label);
    } else {
        topo_text_add(&label, "between nodes");
    }
    topo_text_addf(&line, "%s, %s: %d %s on %d %s", topo_operation_name(view->request->operation),
                   view->request->algorithm, view->tree->ranks, view->tree->ranks == 1 ? "rank" : "ranks", view->nodes,
                   view->nodes == 1 ? "node" : "nodes");
    svg_text_within(out, PAGE_MARGIN, y + 34, 26, PAGE_WIDTH - 2 * PAGE_MARGIN, "start",
                    "font-weight=\"bold\" fill=\"#111\"", line.text ? line.text : "");
    topo_text_free(&line);
    dump_number(bytes_before, before);
    dump_number(bytes_after, after);
    if (bytes_after != bytes_before)
        topo_text_addf(&line, "Renumbering the ranks takes the bytes %s from %s to %s (%+.0f %%)", label.text, before,
                       after, 100.0 * (double)(bytes_after - bytes_before) / (double)bytes_before);
    else
        topo_text_addf(&line, "%s bytes %s, before and after", before, label.text);
    topo_text_addf(&line, ", for 1 byte a rank%s.", mapping->optimal ? "; no numbering can have less" : "");
    svg_text_within(out, PAGE_MARGIN, y + 62, 16, PAGE_WIDTH - 2 * PAGE_MARGIN, "start", "fill=\"#333\"",
                    line.text ? line.text : "");
    out->failed = out->failed || line.failed || label.failed;
    return y + 80;
}

void dump_mapping_svg(const struct dump_view *view, struct topo_text *out)
{
    struct picture picture = {.view = view};
    TOPO_SCOPED_BY(topo_text_free) struct topo_text body = {0};
    if (picture_cells(&picture) && make_traffic(&picture)) {
        double y = title(view, 0, &body);
        y = picture_bars(&picture, y, &body);
        y = picture_tree(&picture, y, &body);
        y = picture_graphs(&picture, y, &body);
        y = picture_matrices(&picture, y, &body);
        svg_begin(out, PAGE_WIDTH, y);
        topo_text_add(out, body.text ? body.text : "");
        svg_end(out);
        out->failed = out->failed || body.failed;
    } else {
        out->failed = true;
    }
    topo_free_all(picture.cell, picture.cell_node, picture.one_node, picture.before, picture.after);
}
