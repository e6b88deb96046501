/* Redistribution of arrays of several dimensions: a product of block-cyclic ones (docs/REFERENCES.md, Redistribution
 * 1). */
#ifndef TOPO_SCHEDULE_ARRAY_H
#define TOPO_SCHEDULE_ARRAY_H

#include "schedule/redistribute.h"

enum { TOPO_ARRAY_DIMENSIONS = 4 };

/* Dimension d of the array goes from its nq senders to its np receivers as dimension[d] says. All senders, and all
 * receivers, are a grid of these, numbered with the last dimension running fastest. A block size of 0 is `block`: as
 * many elements as give each process one block. */
struct topo_array {
    int dimensions;
    struct topo_redistribution dimension[TOPO_ARRAY_DIMENSIONS];
    int senders, receivers; /* products of all nq, and of all np */
};

/* Reads "cyclic(3)@2 x block@4 -> cyclic(4)@4 x block@2", from B to A, a dimension or more on both sides alike.
 * Lengths are 0: one period of each dimension; the access functions plain. Errors: TOPO_PARSE. */
enum topo_status topo_array_parse(const char *text, struct topo_array *array, struct topo_error *error);

/* Reads "600" or "600x400", one length for each dimension. Errors: TOPO_PARSE. */
enum topo_status topo_array_lengths(const char *text, struct topo_array *array, struct topo_error *error);

/* Sizes of `block` dimensions from their lengths and access functions: A and B have as many elements as the loop
 * needs. Errors: TOPO_INVALID (block without a length, or with a negative shift). */
enum topo_status topo_array_resolve(struct topo_array *array, struct topo_error *error);

/* COM of a resolved array, the product of the dimensions' tables. Free with topo_matrix_free(). Errors: as
 * topo_redistribution_matrix(); TOPO_UNSUPPORTED (more than 2^24 pairs of processes). */
enum topo_status topo_array_matrix(const struct topo_array *array, struct topo_matrix **matrix,
                                   struct topo_error *error);

#endif
