/* Lists of parameters and arguments, made from the kinds of a row's arguments (operations.def, traced.def,
 * constructors.def). Arguments are called a1, a2, ...; of 3, (IN, INT, TYPE), the lists are
 *
 *   TOPO_PARAMETERS         const void *a1, int a2, MPI_Datatype a3: of MPI_X
 *   TOPO_PARAMETERS_c       const void *a1, MPI_Count a2, MPI_Datatype a3: of MPI_X_c
 *   TOPO_ANY_PARAMETERS     the same, and of arrays struct topo_counts: of what takes the counts of both
 *   TOPO_ANY_ARGUMENTS      a1, a2, a3, arrays as struct topo_counts
 *   TOPO_ARGUMENTS          a1, a2, a3
 *   TOPO_ADDRESSES          void *a1, void *a2, void *a3: in Fortran, and where the types are not known
 *   TOPO_FORTRAN_ARGUMENTS  topo_fortran_buffer(a1), *(int *)a2, handle of *(int *)a3: what C gets
 *
 * MPI's names stand in macros alone: a file that uses the first lists includes mpi.h, one that uses the
 * last intercept/fortran.h. */
#ifndef TOPO_CATALOG_ARGUMENTS_H
#define TOPO_CATALOG_ARGUMENTS_H

#define TOPO_PARAMETERS(count, kinds) TOPO_EACH(count, TOPO_PARAMETER, TOPO_BARE kinds)
#define TOPO_PARAMETERS_c(count, kinds) TOPO_EACH(count, TOPO_PARAMETER_c, TOPO_BARE kinds)
#define TOPO_ANY_PARAMETERS(count, kinds) TOPO_EACH(count, TOPO_ANY_PARAMETER, TOPO_BARE kinds)
#define TOPO_ANY_ARGUMENTS(count, kinds) TOPO_EACH(count, TOPO_ANY_ARGUMENT, TOPO_BARE kinds)
#define TOPO_ARGUMENTS(count, kinds) TOPO_EACH(count, TOPO_ARGUMENT, TOPO_BARE kinds)
#define TOPO_ADDRESSES(count, kinds) TOPO_EACH(count, TOPO_ADDRESS, TOPO_BARE kinds)
#define TOPO_FORTRAN_ARGUMENTS(count, kinds) TOPO_EACH(count, TOPO_FORTRAN_ARGUMENT, TOPO_BARE kinds)

#define TOPO_PARAMETER(kind, k) TOPO_PARAMETER_##kind a##k
#define TOPO_PARAMETER_c(kind, k) TOPO_PARAMETER_c_##kind a##k
#define TOPO_ANY_PARAMETER(kind, k) TOPO_ANY_PARAMETER_##kind a##k
#define TOPO_ANY_ARGUMENT(kind, k) TOPO_ANY_##kind(a##k)
#define TOPO_ARGUMENT(kind, k) a##k
#define TOPO_ADDRESS(kind, k) void *a##k
#define TOPO_FORTRAN_ARGUMENT(kind, k) TOPO_FORTRAN_##kind(a##k)

/* The kinds in C. */
#define TOPO_PARAMETER_IN const void *
#define TOPO_PARAMETER_OUT void *
#define TOPO_PARAMETER_INT int
#define TOPO_PARAMETER_ROOT int
#define TOPO_PARAMETER_ROOTS_INT int /* what these say counts on the root alone */
#define TOPO_PARAMETER_INTS const int *
#define TOPO_PARAMETER_COUNTS const int *     /* of each rank, and all ranks have those of the same bytes */
#define TOPO_PARAMETER_OWN_COUNTS const int * /* of each rank, other ones on each */
#define TOPO_PARAMETER_ROOTS_COUNTS const int *
#define TOPO_PARAMETER_TYPE MPI_Datatype
#define TOPO_PARAMETER_ROOTS_TYPE MPI_Datatype
#define TOPO_PARAMETER_TYPES const MPI_Datatype *
#define TOPO_PARAMETER_OP MPI_Op
#define TOPO_PARAMETER_COMM MPI_Comm
#define TOPO_PARAMETER_NEW_COMM MPI_Comm *
#define TOPO_PARAMETER_GROUP MPI_Group
#define TOPO_PARAMETER_INFO MPI_Info
#define TOPO_PARAMETER_REQUEST MPI_Request * /* one or an array, as the next two */
#define TOPO_PARAMETER_STATUS MPI_Status *
#define TOPO_PARAMETER_RESULT int *

/* Those of the operations that the library takes over, in their forms with large counts. What has one argument has no
 * such form. */
#define TOPO_PARAMETER_c_IN const void *
#define TOPO_PARAMETER_c_OUT void *
#define TOPO_PARAMETER_c_INT MPI_Count
#define TOPO_PARAMETER_c_ROOT int
#define TOPO_PARAMETER_c_ROOTS_INT MPI_Count
#define TOPO_PARAMETER_c_INTS const MPI_Aint * /* displacements */
#define TOPO_PARAMETER_c_COUNTS const MPI_Count *
#define TOPO_PARAMETER_c_OWN_COUNTS const MPI_Count *
#define TOPO_PARAMETER_c_ROOTS_COUNTS const MPI_Count *
#define TOPO_PARAMETER_c_TYPE MPI_Datatype
#define TOPO_PARAMETER_c_ROOTS_TYPE MPI_Datatype
#define TOPO_PARAMETER_c_OP MPI_Op
#define TOPO_PARAMETER_c_COMM MPI_Comm
#define TOPO_IF_COUNTS(count, ...) TOPO_IF_COUNTS_##count(__VA_ARGS__)
#define TOPO_IF_COUNTS_1(...)
#define TOPO_IF_COUNTS_5(...) __VA_ARGS__
#define TOPO_IF_COUNTS_6 TOPO_IF_COUNTS_5
#define TOPO_IF_COUNTS_7 TOPO_IF_COUNTS_5
#define TOPO_IF_COUNTS_8 TOPO_IF_COUNTS_5
#define TOPO_IF_COUNTS_9 TOPO_IF_COUNTS_5

/* The same for what takes both (base/counts.h). */
#define TOPO_ANY_PARAMETER_IN const void *
#define TOPO_ANY_PARAMETER_OUT void *
#define TOPO_ANY_PARAMETER_INT MPI_Count
#define TOPO_ANY_PARAMETER_ROOT int
#define TOPO_ANY_PARAMETER_ROOTS_INT MPI_Count
#define TOPO_ANY_PARAMETER_INTS struct topo_counts
#define TOPO_ANY_PARAMETER_COUNTS struct topo_counts
#define TOPO_ANY_PARAMETER_OWN_COUNTS struct topo_counts
#define TOPO_ANY_PARAMETER_ROOTS_COUNTS struct topo_counts
#define TOPO_ANY_PARAMETER_TYPE MPI_Datatype
#define TOPO_ANY_PARAMETER_ROOTS_TYPE MPI_Datatype
#define TOPO_ANY_PARAMETER_OP MPI_Op
#define TOPO_ANY_PARAMETER_COMM MPI_Comm
#define TOPO_ANY_IN(a) a
#define TOPO_ANY_OUT(a) a
#define TOPO_ANY_INT(a) a
#define TOPO_ANY_ROOT(a) a
#define TOPO_ANY_ROOTS_INT(a) a
#define TOPO_ANY_INTS(a) TOPO_COUNTS(a)
#define TOPO_ANY_COUNTS(a) TOPO_COUNTS(a)
#define TOPO_ANY_OWN_COUNTS(a) TOPO_COUNTS(a)
#define TOPO_ANY_ROOTS_COUNTS(a) TOPO_COUNTS(a)
#define TOPO_ANY_TYPE(a) a
#define TOPO_ANY_ROOTS_TYPE(a) a
#define TOPO_ANY_OP(a) a
#define TOPO_ANY_COMM(a) a

/* The kinds that the library takes over from Fortran. Its INTEGER is C's int wherever Open MPI hands arrays on without
 * a copy; so do we. */
#define TOPO_FORTRAN_IN(address) topo_fortran_buffer(address)
#define TOPO_FORTRAN_OUT(address) topo_fortran_buffer(address)
#define TOPO_FORTRAN_INT(address) (*(const int *)(address))
#define TOPO_FORTRAN_ROOT TOPO_FORTRAN_INT
#define TOPO_FORTRAN_ROOTS_INT TOPO_FORTRAN_INT
#define TOPO_FORTRAN_INTS(address) ((const int *)(address))
#define TOPO_FORTRAN_COUNTS TOPO_FORTRAN_INTS
#define TOPO_FORTRAN_OWN_COUNTS TOPO_FORTRAN_INTS
#define TOPO_FORTRAN_ROOTS_COUNTS TOPO_FORTRAN_INTS
#define TOPO_FORTRAN_TYPE(address) TOPO_FORTRAN_HANDLE(Type, TOPO_FORTRAN_INT(address))
#define TOPO_FORTRAN_ROOTS_TYPE TOPO_FORTRAN_TYPE
#define TOPO_FORTRAN_OP(address) TOPO_FORTRAN_HANDLE(Op, TOPO_FORTRAN_INT(address))
#define TOPO_FORTRAN_COMM(address) TOPO_FORTRAN_HANDLE(Comm, TOPO_FORTRAN_INT(address))

/* F(kind, k) for each of `count` kinds. */
#define TOPO_BARE(...) __VA_ARGS__
#define TOPO_EACH(count, F, ...) TOPO_EACH_##count(F, __VA_ARGS__)
#define TOPO_EACH_1(F, A) F(A, 1)
#define TOPO_EACH_2(F, A, B) TOPO_EACH_1(F, A), F(B, 2)
#define TOPO_EACH_3(F, A, B, C) TOPO_EACH_2(F, A, B), F(C, 3)
#define TOPO_EACH_4(F, A, B, C, D) TOPO_EACH_3(F, A, B, C), F(D, 4)
#define TOPO_EACH_5(F, A, B, C, D, E) TOPO_EACH_4(F, A, B, C, D), F(E, 5)
#define TOPO_EACH_6(F, A, B, C, D, E, G) TOPO_EACH_5(F, A, B, C, D, E), F(G, 6)
#define TOPO_EACH_7(F, A, B, C, D, E, G, H) TOPO_EACH_6(F, A, B, C, D, E, G), F(H, 7)
#define TOPO_EACH_8(F, A, B, C, D, E, G, H, I) TOPO_EACH_7(F, A, B, C, D, E, G, H), F(I, 8)
#define TOPO_EACH_9(F, A, B, C, D, E, G, H, I, J) TOPO_EACH_8(F, A, B, C, D, E, G, H, I), F(J, 9)
#define TOPO_EACH_10(F, A, B, C, D, E, G, H, I, J, K) TOPO_EACH_9(F, A, B, C, D, E, G, H, I, J), F(K, 10)
#define TOPO_EACH_11(F, A, B, C, D, E, G, H, I, J, K, L) TOPO_EACH_10(F, A, B, C, D, E, G, H, I, J, K), F(L, 11)
#define TOPO_EACH_12(F, A, B, C, D, E, G, H, I, J, K, L, M) TOPO_EACH_11(F, A, B, C, D, E, G, H, I, J, K, L), F(M, 12)

#endif
