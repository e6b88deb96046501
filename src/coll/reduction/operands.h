/* Vectors that lie ready together, combined in one pass: all are read, one is written. PMPI_Reduce_local() takes one at
 * a time, so the sum of p ranks is read and written p - 1 times, and each call costs some 10 ns. */
#ifndef TOPO_COLL_REDUCTION_OPERANDS_H
#define TOPO_COLL_REDUCTION_OPERANDS_H

#include <stddef.h>

#include <mpi.h>

/* How many are read at a time, as many as were measured (docs/measurements/allreduce.md, additions). */
enum { TOPO_OPERANDS_MOST = 8 };

/* ((operand[0] op operand[1]) op operand[2]) .., of `number` vectors of `count` elements each, into `result`, which may
 * be one of them. No address need be aligned. */
typedef void topo_combine(const char *const *operand, int number, char *result, size_t count);

/* The one whose results have the same bits as PMPI_Reduce_local(), operand by operand, but for which of several NaNs
 * comes out of a sum (Open MPI's own choice depends on the place in the vector). `size` is that of an element. NULL:
 * there is none. Left to the MPI library, besides operations of the user's and types of other kinds, is where results
 * are its own: maxima and minima of floating-point numbers, in which NaNs and zeros of both signs come out by the place
 * in the vector; those of unsigned integers, as Open MPI 4.1 takes MPI_UNSIGNED_LONG for signed there, and MPI_OFFSET
 * for unsigned; sums and products of 8 and 16 bits, which it does not let wrap round everywhere. */
topo_combine *topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size);

/* Before that: MPI's handles need not be constants (family/openmpi.h). */
void topo_combine_start(void);

#endif
