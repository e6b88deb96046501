/* Where the elements of DVM objects are (docs/REFERENCES.md, Predictor 9): arrays and loops
 * are aligned to a template (AMView), the template is distributed by blocks over
 * a grid of processors (VM). */
#ifndef TOPO_PREDICT_DVM_DVM_MAP_H
#define TOPO_PREDICT_DVM_DVM_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

enum { TOPO_DVM_DIMENSIONS_MAX = 8 };

/* Bounds that keep every product inside 64 bits: elements of an object, sizes,
 * coefficients and constants (also composed ones). */
#define TOPO_DVM_ELEMENTS_MAX ((int64_t)1 << 50)
#define TOPO_DVM_NUMBER_MAX ((long)1 << 40)

/* A processor system: a grid, row-major; root[i] is the number of its i-th
 * processor in the whole machine. */
struct topo_dvm_grid {
    int dimensions, size[TOPO_DVM_DIMENSIONS_MAX];
    int count;
    int *root; /* [count] */
};

/* A template; grid NULL: not distributed yet. axis[d] = the template's axis that
 * is divided over dimension d of the grid, -1: every processor along d has all. */
struct topo_dvm_view {
    int dimensions;
    long size[TOPO_DVM_DIMENSIONS_MAX];
    const struct topo_dvm_grid *grid;
    int axis[TOPO_DVM_DIMENSIONS_MAX];
};

/* Where an array lies along one axis t of its template. */
enum topo_dvm_placing {
    TOPO_DVM_EVERYWHERE, /* replicated along t */
    TOPO_DVM_LINEAR,     /* index i of dimension `dimension` at a i + b */
    TOPO_DVM_BOUNDED,    /* replicated over the places a j + b, 0 <= j < bound */
    TOPO_DVM_CONSTANT    /* at place b */
};
struct topo_dvm_rule {
    enum topo_dvm_placing placing;
    int dimension;
    long a, b, bound;
};

/* A distributed array, or a parallel loop (dimension k has the iterations 0 ..
 * size[k]-1); view NULL: not aligned yet. rule[t] for each axis of the view. */
struct topo_dvm_array {
    int dimensions;
    long size[TOPO_DVM_DIMENSIONS_MAX];
    long type_size;
    long low_shadow[TOPO_DVM_DIMENSIONS_MAX], high_shadow[TOPO_DVM_DIMENSIONS_MAX];
    const struct topo_dvm_view *view;
    struct topo_dvm_rule rule[TOPO_DVM_DIMENSIONS_MAX];
};

/* A box of indices: low[k], low[k] + step[k], ... up to high[k]. */
struct topo_dvm_box {
    int dimensions;
    long low[TOPO_DVM_DIMENSIONS_MAX], high[TOPO_DVM_DIMENSIONS_MAX], step[TOPO_DVM_DIMENSIONS_MAX];
};

/* Coordinates of processor `index` of the grid, and back. */
void topo_dvm_coordinates(const struct topo_dvm_grid *grid, int index, int *coordinate);
int topo_dvm_index(const struct topo_dvm_grid *grid, const int *coordinate);

/* Distributes over `grid`: axes[d] = 1-based axis of the view for dimension d of
 * the grid, 0: none; `count` given, the rest 0. Errors: TOPO_INVALID (an axis
 * the view does not have, or one twice; more entries than the grid has dimensions). */
enum topo_status topo_dvm_distribute(struct topo_dvm_view *view, const struct topo_dvm_grid *grid, int count,
                                     const long *axes, struct topo_error *error);

/* An alignment as the calls give it, one entry for each dimension of the pattern:
 * axis > 0 and coeff not 0: that dimension of the array at coeff i + constant;
 * axis < 0: replicated; else the fixed place `constant`. */
struct topo_dvm_align {
    int count;
    long axis[TOPO_DVM_DIMENSIONS_MAX], coeff[TOPO_DVM_DIMENSIONS_MAX], constant[TOPO_DVM_DIMENSIONS_MAX];
};

/* Aligns to a template, or to an array that is aligned (the rules are composed).
 * Errors: TOPO_INVALID saying what is wrong; the array is unchanged then. */
enum topo_status topo_dvm_align_view(struct topo_dvm_array *array, const struct topo_dvm_view *view,
                                     const struct topo_dvm_align *align, struct topo_error *error);
enum topo_status topo_dvm_align_array(struct topo_dvm_array *array, const struct topo_dvm_array *pattern,
                                      const struct topo_dvm_align *align, struct topo_error *error);

/* True when all sizes are at least 1 and the product is at most TOPO_DVM_ELEMENTS_MAX. */
bool topo_dvm_sizes_are_sound(int dimensions, const long *size);

/* The part of the array on processor `index` of its grid; false when none. */
bool topo_dvm_local(const struct topo_dvm_array *array, int index, struct topo_dvm_box *box);

/* True when every processor that holds elements of the template has the whole array. */
bool topo_dvm_is_replicated(const struct topo_dvm_array *array);

/* The grid's dimension over which dimension k of the array is divided, -1: none;
 * *direction is 1 or -1 as indices grow or fall along it. */
int topo_dvm_grid_dimension(const struct topo_dvm_array *array, int k, int *direction);

/* Common part of two boxes, at least one with all steps 1; false when empty. */
bool topo_dvm_intersect(const struct topo_dvm_box *a, const struct topo_dvm_box *b, struct topo_dvm_box *common);

/* Number of elements. */
int64_t topo_dvm_volume(const struct topo_dvm_box *box);

#endif
