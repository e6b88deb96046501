/* Every symbol by which a program calls MPI and that we want to see, but MPI_Pcontrol (pcontrol.c): each goes on to
 * what topo_program_call() gives, with its arguments as they came.
 *
 * The library does not know the types of the program's MPI: its handles are pointers in Open MPI and numbers in MPICH.
 * All arguments of these functions are integers or pointers of at most 64 bits, and so is what they return, but for
 * those that are REAL. Where each such argument takes one register or one slot of the stack whatever its width, as on
 * x86-64, AArch64, POWER and RISC-V under Linux, a pointer's slot carries any of them unchanged. */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "topompi.h"

#include "catalog/arguments.h"
#include "preload/counting.h"
#include "preload/narrow.h"
#include "preload/symbols.h"

/* Of this thread's call that goes on to find_x(). */
static _Thread_local const void *calling __attribute__((tls_model("initial-exec")));

/* What is not yet known, or goes by the caller, is a function of its own, so that the way of most calls is a jump that
 * needs no register but those of the arguments. All are jumps: who calls PMPI_X is told by the return address.
 * counted_x(): what it jumps to where calls are counted, or NULL. */
#define CALL(type, last_, counted_, symbol, parameters, arguments) \
    static struct topo_call known_##symbol = {.name = #symbol, .last = last_, .counted = counted_}; \
    static __attribute__((noinline)) type find_##symbol parameters \
    { \
        topo_symbol *call = topo_program_call(&known_##symbol, calling); \
        return ((type(*) parameters)call)arguments; \
    } \
    TOPO_EXPORT type symbol parameters; \
    TOPO_EXPORT type symbol parameters \
    { \
        topo_symbol *call = topo_program_found(&known_##symbol); \
        if (__builtin_expect(call == NULL, 0)) { \
            calling = __builtin_return_address(0); \
            call = (topo_symbol *)find_##symbol; \
        } \
        return ((type(*) parameters)call)arguments; \
    }
#define COUNTED_BY(type, function, sampled, end, symbol, parameters, arguments) \
    static struct topo_call known_##symbol; \
    static type counted_##symbol parameters \
    { \
        const uint64_t begun = topo_counting_begin(TOPO_FUNCTION_##function, sampled); \
        type(*next) parameters = (type(*) parameters)known_##symbol.next; \
        if (begun == TOPO_COUNTING_NESTED) \
            return next arguments; \
        type code = next arguments; \
        end; \
        return code; \
    }
#define COUNTED(type, last, function, sampled, end, symbol, parameters, arguments) \
    COUNTED_BY(type, function, sampled, end, symbol, parameters, arguments) \
    CALL(type, last, (topo_symbol *)counted_##symbol, symbol, parameters, arguments)
#define END(function) topo_counting_end(TOPO_FUNCTION_##function, begun)
#define END_SENT(function, ...) topo_counting_end_sent(TOPO_FUNCTION_##function, begun, __VA_ARGS__)

/* mpif.h and `use mpi` arrive at mpi_x_ or at one of its other spellings, `use mpi_f08` at mpi_x_f08_. */
#define FORTRAN(CALL, CAPITALS, small, ...) \
    CALL(small##_, __VA_ARGS__) \
    CALL(small##_f08_, __VA_ARGS__) \
    FORTRAN_ALIASES(CAPITALS, small)

/* -- what is taken over -- */
#define PASSING(symbol, last, ...) CALL(void *, last, NULL, symbol, __VA_ARGS__)
#define COUNTING(symbol, Name, ...) COUNTED(void *, true, Name, false, END(Name), symbol, __VA_ARGS__)
#define TAKEN(group, Name, NAME, name, count, kinds) \
    COUNTING(MPI_##Name, Name, (TOPO_ADDRESSES(count, kinds)), (TOPO_ARGUMENTS(count, kinds))) \
    FORTRAN(COUNTING, MPI_##NAME, mpi_##name, Name, (TOPO_ADDRESSES(count, kinds), void *ierror), \
            (TOPO_ARGUMENTS(count, kinds), ierror)) \
    PASSING(PMPI_##Name, true, (TOPO_ADDRESSES(count, kinds)), (TOPO_ARGUMENTS(count, kinds))) \
    FORTRAN(PASSING, PMPI_##NAME, pmpi_##name, true, (TOPO_ADDRESSES(count, kinds), void *ierror), \
            (TOPO_ARGUMENTS(count, kinds), ierror))

/* -- all others -- */
#define ADDRESSES(count) ADDRESSES_##count
#define ADDRESSES_1 void *a1
#define ADDRESSES_2 ADDRESSES_1, void *a2
#define ADDRESSES_3 ADDRESSES_2, void *a3
#define ADDRESSES_4 ADDRESSES_3, void *a4
#define ADDRESSES_5 ADDRESSES_4, void *a5
#define ADDRESSES_6 ADDRESSES_5, void *a6
#define ADDRESSES_7 ADDRESSES_6, void *a7
#define ADDRESSES_8 ADDRESSES_7, void *a8
#define ADDRESSES_9 ADDRESSES_8, void *a9
#define ADDRESSES_10 ADDRESSES_9, void *a10
#define ADDRESSES_11 ADDRESSES_10, void *a11
#define ADDRESSES_12 ADDRESSES_11, void *a12
#define ADDRESSES_13 ADDRESSES_12, void *a13
#define ARGUMENTS(count) ARGUMENTS_##count
#define ARGUMENTS_1 a1
#define ARGUMENTS_2 ARGUMENTS_1, a2
#define ARGUMENTS_3 ARGUMENTS_2, a3
#define ARGUMENTS_4 ARGUMENTS_3, a4
#define ARGUMENTS_5 ARGUMENTS_4, a5
#define ARGUMENTS_6 ARGUMENTS_5, a6
#define ARGUMENTS_7 ARGUMENTS_6, a7
#define ARGUMENTS_8 ARGUMENTS_7, a8
#define ARGUMENTS_9 ARGUMENTS_8, a9
#define ARGUMENTS_10 ARGUMENTS_9, a10
#define ARGUMENTS_11 ARGUMENTS_10, a11
#define ARGUMENTS_12 ARGUMENTS_11, a12
#define ARGUMENTS_13 ARGUMENTS_12, a13
#define OTHER(symbol, Name, sampled, end, parameters, arguments) \
    COUNTED(void *, false, Name, sampled, end, symbol, parameters, arguments)
#define OTHERS(Name, NAME, name, sampled, count, c_end, fortran_end) \
    OTHER(MPI_##Name, Name, sampled, c_end, (ADDRESSES(count)), (ARGUMENTS(count))) \
    FORTRAN(OTHER, MPI_##NAME, mpi_##name, Name, sampled, fortran_end, (ADDRESSES(count), void *ierror), \
            (ARGUMENTS(count), ierror))
#define FUNCTION(group, Name, NAME, name, count) OTHERS(Name, NAME, name, false, count, END(Name), END(Name))
#define SAMPLED(group, Name, NAME, name, count) OTHERS(Name, NAME, name, true, count, END(Name), END(Name))
#define INT(a) ((int)(intptr_t)(a))
#define SENDING(group, Name, NAME, name, arguments, count, type) \
    OTHERS(Name, NAME, name, false, arguments, END_SENT(Name, INT(code), INT(a##count), a##type, false), \
           END_SENT(Name, ierror ? *(int *)ierror : 0, *(int *)a##count, a##type, true))
#define NUMBER(symbol, Name) COUNTED(double, false, Name, true, END(Name), symbol, (void), ())
#define REAL(group, Name, NAME, name, count) \
    NUMBER(MPI_##Name, Name) \
    FORTRAN(NUMBER, MPI_##NAME, mpi_##name, Name)
#include "catalog/functions.def"

/* MPI_X_c; MPI_X with its counts where the MPI library has none. */
#define LARGE_CALL(MPI, Name, counted_, count, kinds) \
    static int narrowed_##MPI##_##Name(TOPO_ADDRESSES(count, kinds)) \
    { \
        static struct topo_call known_ = {.name = #MPI "_" #Name, .last = true}; \
        struct topo_narrow narrow = TOPO_NARROW(Name, count, kinds); \
        topo_narrow_begin(&narrow); \
        return topo_narrow_end(&narrow, narrow.code \
                                            ? narrow.code \
                                            : ((int (*)(TOPO_ADDRESSES(count, kinds)))topo_program_call( \
                                                  &known_, NULL))(TOPO_EACH(count, TOPO_NARROWED, TOPO_BARE kinds))); \
    } \
    static struct topo_call known_##MPI##_##Name##_c = {.name = #MPI "_" #Name "_c", \
                                                        .last = true, \
                                                        .counted = counted_, \
                                                        .instead = (topo_symbol *)narrowed_##MPI##_##Name}; \
    TOPO_EXPORT int MPI##_##Name##_c(TOPO_ADDRESSES(count, kinds)); \
    TOPO_EXPORT int MPI##_##Name##_c(TOPO_ADDRESSES(count, kinds)) \
    { \
        topo_symbol *call = topo_program_call(&known_##MPI##_##Name##_c, __builtin_return_address(0)); \
        return ((int (*)(TOPO_ADDRESSES(count, kinds)))call)(TOPO_ARGUMENTS(count, kinds)); \
    }
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    TOPO_IF_COUNTS(count, COUNTED_BY(void *, Name, false, END(Name), MPI_##Name##_c, (TOPO_ADDRESSES(count, kinds)), \
                                     (TOPO_ARGUMENTS(count, kinds))) \
                              LARGE_CALL(MPI, Name, (topo_symbol *)counted_MPI_##Name##_c, count, kinds) \
                                  LARGE_CALL(PMPI, Name, NULL, count, kinds))
#include "catalog/operations.def"

#define LIFETIME(MPI, mpi) \
    PASSING(MPI##_Init, false, (void *a1, void *a2), (a1, a2)) \
    FORTRAN(PASSING, MPI##_INIT, mpi##_init, false, (void *ierror), (ierror)) \
    PASSING(MPI##_Init_thread, false, (void *a1, void *a2, void *a3, void *a4), (a1, a2, a3, a4)) \
    FORTRAN(PASSING, MPI##_INIT_THREAD, mpi##_init_thread, false, (void *a1, void *a2, void *ierror), \
            (a1, a2, ierror)) \
    PASSING(MPI##_Finalize, false, (void), ()) \
    FORTRAN(PASSING, MPI##_FINALIZE, mpi##_finalize, false, (void *ierror), (ierror))
LIFETIME(MPI, mpi)
LIFETIME(PMPI, pmpi)

/* -- the public interface, topompi.h -- */

TOPO_EXPORT const char *topompi_version(void)
{
    return TOPOMPI_VERSION;
}

TOPO_EXPORT const char *topompi_algorithm(void *comm, const char *operation, size_t bytes);
TOPO_EXPORT const char *topompi_algorithm(void *comm, const char *operation, size_t bytes)
{
    KNOWN_CORE(call, "topompi_algorithm")
    if (call)
        return ((const char *(*)(void *, const char *, size_t))call)(comm, operation, bytes);
#define OPERATION(name, ...) \
    if (!strcmp(operation, #name)) \
        return "native";
#include "catalog/operations.def"
    return NULL;
}

TOPO_EXPORT const char *topompi_machine(void)
{
    KNOWN_CORE(call, "topompi_machine")
    return call ? ((const char *(*)(void))call)() : NULL;
}

TOPO_EXPORT void topompi_interval_begin(const char *name, const char *file, int line)
{
    KNOWN_CORE(call, "topompi_interval_begin")
    if (call)
        ((void (*)(const char *, const char *, int))call)(name, file, line);
}

TOPO_EXPORT void topompi_interval_end(void)
{
    KNOWN_CORE(call, "topompi_interval_end")
    if (call)
        call();
}
