/* Open MPI: libmpi.so.40. Its handles are addresses of variables, which the core looks up as it does functions: in the
 * MPI folders a predefined handle is read from topo_handles. */
#ifndef TOPO_FAMILY_OPENMPI_H
#define TOPO_FAMILY_OPENMPI_H

#define TOPO_HANDLES(HANDLE) \
    HANDLE(OMPI_C_MPI_COMM_NULL_COPY_FN) \
    HANDLE(ompi_mpi_2dblprec) HANDLE(ompi_mpi_2int) HANDLE(ompi_mpi_2integer) HANDLE(ompi_mpi_2real) \
    HANDLE(ompi_mpi_aint) HANDLE(ompi_mpi_byte) HANDLE(ompi_mpi_c_bool) HANDLE(ompi_mpi_c_double_complex) \
    HANDLE(ompi_mpi_c_float_complex) HANDLE(ompi_mpi_c_long_double_complex) HANDLE(ompi_mpi_comm_null) \
    HANDLE(ompi_mpi_comm_self) HANDLE(ompi_mpi_comm_world) HANDLE(ompi_mpi_count) HANDLE(ompi_mpi_cplex) \
    HANDLE(ompi_mpi_datatype_null) HANDLE(ompi_mpi_dblcplex) HANDLE(ompi_mpi_dblprec) HANDLE(ompi_mpi_double) \
    HANDLE(ompi_mpi_double_int) HANDLE(ompi_mpi_errors_return) HANDLE(ompi_mpi_float) HANDLE(ompi_mpi_float_int) \
    HANDLE(ompi_mpi_group_null) HANDLE(ompi_mpi_info_null) HANDLE(ompi_mpi_int) HANDLE(ompi_mpi_int16_t) \
    HANDLE(ompi_mpi_int32_t) HANDLE(ompi_mpi_int64_t) HANDLE(ompi_mpi_int8_t) HANDLE(ompi_mpi_integer) \
    HANDLE(ompi_mpi_logical) HANDLE(ompi_mpi_long) HANDLE(ompi_mpi_long_double) HANDLE(ompi_mpi_long_int) \
    HANDLE(ompi_mpi_long_long_int) HANDLE(ompi_mpi_longdbl_int) HANDLE(ompi_mpi_offset) HANDLE(ompi_mpi_op_band) \
    HANDLE(ompi_mpi_op_bor) HANDLE(ompi_mpi_op_bxor) HANDLE(ompi_mpi_op_land) HANDLE(ompi_mpi_op_lor) \
    HANDLE(ompi_mpi_op_lxor) HANDLE(ompi_mpi_op_max) HANDLE(ompi_mpi_op_maxloc) HANDLE(ompi_mpi_op_min) \
    HANDLE(ompi_mpi_op_minloc) HANDLE(ompi_mpi_op_no_op) HANDLE(ompi_mpi_op_null) HANDLE(ompi_mpi_op_prod) \
    HANDLE(ompi_mpi_op_replace) HANDLE(ompi_mpi_op_sum) HANDLE(ompi_mpi_packed) HANDLE(ompi_mpi_real) \
    HANDLE(ompi_mpi_short) HANDLE(ompi_mpi_short_int) HANDLE(ompi_mpi_signed_char) HANDLE(ompi_mpi_uint16_t) \
    HANDLE(ompi_mpi_uint32_t) HANDLE(ompi_mpi_uint64_t) HANDLE(ompi_mpi_uint8_t) HANDLE(ompi_mpi_unsigned) \
    HANDLE(ompi_mpi_unsigned_char) HANDLE(ompi_mpi_unsigned_long) HANDLE(ompi_mpi_unsigned_long_long) \
    HANDLE(ompi_mpi_unsigned_short) \
    HANDLE(ompi_request_null)

#define TOPO_HANDLE(name) void *name;
extern struct topo_handles {
    TOPO_HANDLES(TOPO_HANDLE)
} topo_handles;
#undef TOPO_HANDLE

#define TOPO_MPI_FUNCTIONS FUNCTION(Comm_c2f) FUNCTION(Comm_f2c) FUNCTION(Op_f2c) FUNCTION(Type_f2c)

#ifdef TOPO_MPI_BY_TABLE
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)topo_handles.global)
#undef MPI_COMM_NULL_COPY_FN
#define MPI_COMM_NULL_COPY_FN ((MPI_Comm_copy_attr_function *)topo_handles.OMPI_C_MPI_COMM_NULL_COPY_FN)
#define TOPO_MPI_TABLES struct topo_handles topo_handles;
#else
#define TOPO_HANDLE_LINKED(name) &name,
#define TOPO_MPI_TABLES struct topo_handles topo_handles = {TOPO_HANDLES(TOPO_HANDLE_LINKED)};
#endif

/* libmpi.so calls no function by its name: a call from there is that of a callback of the program that ends in it. */
#define TOPO_MPI_CALLERS "libmpi_mpifh", "libmpi_usempi", "mca_", "libmca_", "liboshmem"
#define TOPO_MPI_CALLS_ITSELF false
#define TOPO_MPI_RECOVERS "ompi_ftmpi_enabled" /* Open MPI 5, ompi/runtime/params.h */
#define TOPO_MPI_LOST(class) ((class) >= 75 && (class) <= 77) /* MPI_ERR_PROC_FAILED, _PENDING, MPI_ERR_REVOKED */
#define TOPO_MPI_PROGRESS "opal_progress"
#define TOPO_MPI_YIELDS "opal_progress_yield_when_idle"
#define TOPO_MPI_GROUP_SHORT 512
#define TOPO_MPI_SCANS_SAME true
#define TOPO_MPI_UNWEIGHTED MPI_UNWEIGHTED
#define TOPO_FORTRAN_77(...) __VA_ARGS__
#define TOPO_FORTRAN_HANDLE(Kind, number) topo_mpi.Kind##_f2c(number)
#define TOPO_FORTRAN_NUMBER(comm) topo_mpi.Comm_c2f(comm)
#define TOPO_FORTRAN_08(...) __VA_ARGS__
#define TOPO_FORTRAN_OWN(symbol) "p" #symbol

#endif
