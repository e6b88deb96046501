/* The grid of the cyclic all-reduce (docs/REFERENCES.md, Reduction 2): how n positions form
 * r_1 x ... x r_d, who neighbours whom, and how a vector is cut into blocks.
 * Positions are places in tree order, so the first (innermost) dimensions lie
 * inside the nodes whatever the placement. */
#ifndef TOPO_PATTERNS_GRID_H
#define TOPO_PATTERNS_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/numbers.h"
#include "base/status.h"
#include "base/text.h"

enum { TOPO_GRID_DIMS_MAX = 31 }; /* 2^31 positions at most, every dimension longer than 1 */

/* How a dimension is worked. RING: r-1 steps of addition, r-1 of distribution,
 * each with the next neighbour (for r = 2 this is recursive halving). DIRECT: the
 * same blocks straight to the r-1 others, all at once: as many messages, but none
 * waits for another. EXCHANGE (r = 2 only): both sides send all they have and
 * add, nothing is left to distribute: half the messages for as many bytes, but
 * the part does not get shorter. */
enum topo_dim_kind { TOPO_DIM_RING, TOPO_DIM_DIRECT, TOPO_DIM_EXCHANGE };

/* Position p has coordinate (p / (r_1 ... r_{k-1})) mod r_k in dimension k. */
struct topo_grid {
    int ranks; /* product of all sizes */
    int dims;  /* 0 only for ranks = 1 */
    int size[TOPO_GRID_DIMS_MAX];
    enum topo_dim_kind kind[TOPO_GRID_DIMS_MAX];
};

/* A piece of the vector, in elements. */
struct topo_block {
    size_t at, count;
};

/* Reads "4x4" (sizes of at least 2, all RING). Errors: TOPO_PARSE with `name`
 * and what is allowed; the product may exceed any number of ranks, see topo_grid_fits(). */
enum topo_status topo_grid_parse(const char *name, const char *text, struct topo_grid *grid, struct topo_error *error);

/* The same for an option that may also be "auto", which gives a grid of no dimension. */
enum topo_status topo_grid_option(const char *name, const char *text, struct topo_grid *grid, struct topo_error *error);

/* 2x2x...x2 of `places`, a power of two, with all dimensions of this kind: recursive
 * halving (RING) or doubling (EXCHANGE). */
struct topo_grid topo_grid_of_twos(int places, enum topo_dim_kind kind);

/* True when the grid has exactly `ranks` positions. */
bool topo_grid_fits(const struct topo_grid *grid, int ranks);

/* Appends "4x4", dimension 1 first; DIRECT and EXCHANGE dimensions are marked: "4dx2x2e". */
void topo_grid_format(const struct topo_grid *grid, struct topo_text *out);

/* Product of the sizes before dimension `dim`. */
int topo_grid_stride(const struct topo_grid *grid, int dim);

/* The coordinate of `position` in dimension `dim`: 0 to grid->size[dim] - 1. */
int topo_grid_coordinate(const struct topo_grid *grid, int position, int dim);

/* The position `step` further along `dim`, round the end; step may be negative. */
int topo_grid_neighbour(const struct topo_grid *grid, int position, int dim, int step);

/* Block `index` of `whole` cut into `parts`: L = ceil(count/parts) each, the last
 * non-empty one may be shorter, those after it are empty. */
struct topo_block topo_block_of(struct topo_block whole, int parts, int index);

/* The block of a dimension whose sum the member at `coordinate` ends phase 1 with. */
int topo_grid_own_block(const struct topo_grid *grid, int dim, int coordinate);

/* The part whose full sum `position` holds once the dimensions before `dim` are
 * added up (dim = grid->dims: at the end of phase 1). */
struct topo_block topo_grid_part(const struct topo_grid *grid, int position, int dim, struct topo_block whole);

/* Who works: `ranks` ranks, number v played by rank rank_at[v], or, where that is empty, by rank v. When 2^k < ranks <
 * 2^(k+1) and the algorithm wants a power of two, numbers are folded: of each of
 * the first `extra` pairs (2i, 2i+1) the second hands its vector to the first
 * and waits for the result; places are then 0 .. ranks - extra - 1, in the same
 * order as the numbers (docs/REFERENCES.md, Reduction 7). */
struct topo_rank_group {
    int ranks, extra;
    struct topo_numbers rank_at; /* a view of them */
};

/* A group of all, or one folded to a power of two. `rank_at` must outlive it; NULL: by rank. */
struct topo_rank_group topo_rank_group_of(int ranks, const struct topo_numbers *rank_at);
struct topo_rank_group topo_rank_group_folded(int ranks, const struct topo_numbers *rank_at);

/* Rank at a place, and the place of a number (-1: it hands over and waits). */
int topo_rank_group_rank(const struct topo_rank_group *group, int place);
int topo_rank_group_place(const struct topo_rank_group *group, int number);

#endif
