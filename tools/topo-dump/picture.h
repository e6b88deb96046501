/* The parts of the picture of a mapping (show_svg.c puts them together). Each
 * draws at `y` over the width of the page and returns where the next may start. */
#ifndef TOPO_DUMP_PICTURE_H
#define TOPO_DUMP_PICTURE_H

#include "topo-dump/view.h"

enum { PAGE_WIDTH = 1240, PAGE_MARGIN = 40, CELLS_MAX = 128, PICTURE_MATRIX_SIDE = 512 };

/* Ranks as the picture shows them: one cell a rank, or, where these are too many,
 * one a node or a run of nodes. Cells are numbered in tree order. */
struct picture {
    const struct dump_view *view;
    int cells;
    int ranks_per_cell_max;
    int *cell;               /* [ranks] */
    int *cell_node;          /* [cells] node of a cell's first rank */
    bool *one_node;          /* [cells] */
    int64_t *before, *after; /* [cells * cells] bytes from cell to cell */
    int64_t largest;         /* entry of both, the diagonal of merged cells left out */
};

/* Which ranks make a cell: `cells` to `one_node` of a picture that has its view.
 * False when out of memory; topo_free() the arrays in any case. */
bool picture_cells(struct picture *picture);

/* Bars: bytes across each level before and after. */
double picture_bars(const struct picture *picture, double y, struct topo_text *out);

/* The tree of the machine, ranks coloured by node. */
double picture_tree(const struct picture *picture, double y, struct topo_text *out);

/* The information graph round a circle, before and after. */
double picture_graphs(const struct picture *picture, double y, struct topo_text *out);

/* Who sends how much to whom, before and after. */
double picture_matrices(const struct picture *picture, double y, struct topo_text *out);

/* One matrix alone, its corner at (x, y), with stripes left of and above it that show the nodes,
 * and numbers beside these. */
void picture_matrix(const struct picture *picture, const int64_t *traffic, double x, double y, struct topo_text *out);

/* Colour of a cell: that of its node, grey when it holds several. */
const char *picture_colour(const struct picture *picture, int cell);

/* Heading of a part. */
void picture_heading(struct topo_text *out, double x, double y, const char *text);

/* Colour of bytes between cells: white for none, blue inside a node, red between
 * nodes, the darker the more (logarithmic). `out` has room for 8 characters. */
const char *picture_shade(const struct picture *picture, int64_t bytes, bool crosses, char out[8]);

/* As `style` of a text, the ink that can be read on that colour. */
const char *picture_ink(const struct picture *picture, int64_t bytes);

#endif
