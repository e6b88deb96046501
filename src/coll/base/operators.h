/* Which operation goes with which datatype, and whether the order of the operands matters. */
#ifndef TOPO_COLL_BASE_OPERATORS_H
#define TOPO_COLL_BASE_OPERATORS_H

#include <stdbool.h>

#include <mpi.h>

/* Before the others: MPI's handles need not be constants (family/openmpi.h). */
void topo_operators_start(void);

/* True when MPI_Reduce_local() is known to take this pair: any type for the user's
 * own operations, the pairs of MPI 3.1 section 5.9.2 for predefined ones. What the
 * MPI library allows beyond that, or refuses, is left to its own MPI_Allreduce. */
bool topo_operation_known(MPI_Op op, MPI_Datatype type);

/* True for those of MPI's operations that reduce, false for the user's. */
bool topo_operation_is_mpis(MPI_Op op);

/* True for those that get the whole vector in one call: the user's, unless TOPOMPI_USER_OPS=cut. */
bool topo_operation_wants_whole(MPI_Op op);

/* True when the order of the operands shows in the result: sums and products of floating-point numbers, which round;
 * their maxima and minima, with a place or without, in which a NaN may win or lose and either of two zeros may come
 * out; and whatever a user's function does. */
bool topo_operation_depends_on_order(MPI_Op op, MPI_Datatype type);

/* True for those of them whose result of two operands has the same bits whichever is the left one: sums, and products
 * of real numbers; those of complex ones are sums that compilers may round in between, or not. */
bool topo_operation_swaps(MPI_Op op, MPI_Datatype type);

/* True for those of MPI's in which it shows, too, which of two operands is the left one, and where the vector is cut:
 * maxima and minima of floating-point numbers (Open MPI's vector instructions keep another operand than what is left
 * over for its loop at the end). */
bool topo_operation_depends_on_side(MPI_Op op, MPI_Datatype type);

#endif
