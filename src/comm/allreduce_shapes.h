/* What the all-reduces of one communicator agreed on: grid or strips, and packets. */
#ifndef TOPO_COMM_ALLREDUCE_SHAPES_H
#define TOPO_COMM_ALLREDUCE_SHAPES_H

#include <stddef.h>

#include <mpi.h>

#include "base/status.h"
#include "machine/tree.h"
#include "patterns/strips.h"
#include "model/allreduce_shape.h"

struct topo_shapes;

/* Collective over `channel`, whose ranks `tree` describes: the shape for vectors
 * of `bytes`. Worked out by rank 0 once for each kind and power of two of bytes,
 * sent, and remembered in *shapes (NULL at first); all ranks get the same status.
 * *shape lives as long as *shapes. */
enum topo_status topo_shape_get(MPI_Comm channel, const struct topo_tree *tree, enum topo_shape_kind kind, size_t bytes,
                                struct topo_shapes **shapes, const struct topo_shape **shape);

/* The strips of the tree; made at the first shape. */
const struct topo_strips *topo_shape_strips(const struct topo_shapes *shapes);

/* NULL is harmless. */
void topo_shapes_free(struct topo_shapes *shapes);

#endif
