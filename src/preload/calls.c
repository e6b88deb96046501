/* Every symbol by which a program calls MPI and that we want to see, but MPI_Pcontrol (pcontrol.c): each goes on to
 * what topo_program_call() gives, with its arguments as they came.
 *
 * The library does not know the types of the program's MPI: its handles are pointers in Open MPI and numbers in MPICH.
 * All arguments of these functions are integers or pointers of at most 64 bits, and none is returned but `int`. Where
 * each such argument takes one register or one slot of the stack whatever its width, as on x86-64, AArch64, POWER and
 * RISC-V under Linux, a pointer's slot carries any of them unchanged. */
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "topompi.h"

#include "catalog/arguments.h"
#include "catalog/passed.h"
#include "preload/narrow.h"
#include "preload/symbols.h"

/* Of this thread's call that goes on to find_x(). */
static _Thread_local const void *calling __attribute__((tls_model("initial-exec")));

/* What is not yet known, or goes by the caller, is a function of its own, so that the way of most calls is a jump that
 * needs no register but those of the arguments. All are jumps: who calls PMPI_X is told by the return address. */
#define CALL(type, result, last_, before, symbol, parameters, arguments) \
    static struct topo_call known_##symbol = {.name = #symbol, .last = last_}; \
    static __attribute__((noinline)) type find_##symbol parameters \
    { \
        topo_symbol *call = topo_program_call(&known_##symbol, calling); \
        result((type(*) parameters)call) arguments; \
    } \
    TOPO_EXPORT type symbol parameters; \
    TOPO_EXPORT type symbol parameters \
    { \
        topo_symbol *call = topo_program_found(&known_##symbol); \
        before; \
        if (__builtin_expect(call == NULL, 0)) { \
            calling = __builtin_return_address(0); \
            call = (topo_symbol *)find_##symbol; \
        } \
        result((type(*) parameters)call) arguments; \
    }
#define C_CALL(...) CALL(int, return, __VA_ARGS__)
#define FORTRAN_CALL(...) CALL(void, , __VA_ARGS__)

/* mpif.h and `use mpi` arrive at mpi_x_ or at one of its other spellings, `use mpi_f08` at mpi_x_f08_. */
#define FORTRAN_CALLS(last, before, CAPITALS, small, Name, parameters, arguments) \
    FORTRAN_CALL(last, before(Name, fortran_77), small##_, parameters, arguments) \
    FORTRAN_CALL(last, before(Name, fortran_08), small##_f08_, parameters, arguments) \
    FORTRAN_ALIASES(CAPITALS, small)

#define CALLS(last, before, MPI, mpi, Name, NAME, name, count, kinds) \
    C_CALL(last, before(Name, c), MPI##_##Name, (TOPO_ADDRESSES(count, kinds)), (TOPO_ARGUMENTS(count, kinds))) \
    FORTRAN_CALLS(last, before, MPI##_##NAME, mpi##_##name, Name, (TOPO_ADDRESSES(count, kinds), void *ierror), \
                  (TOPO_ARGUMENTS(count, kinds), ierror))

struct topo_passed_calls topo_passed_calls;
#define COUNT(Name, language) \
    atomic_fetch_add_explicit(&topo_passed_calls.language[TOPO_PASSED_##Name], 1, memory_order_relaxed)
#define NOTHING(Name, language)

#define TAKEN(...) CALLS(true, NOTHING, MPI, mpi, __VA_ARGS__) CALLS(true, NOTHING, PMPI, pmpi, __VA_ARGS__)
#define SEEN(...) CALLS(false, NOTHING, MPI, mpi, __VA_ARGS__)
#define PASSED(...) CALLS(false, COUNT, MPI, mpi, __VA_ARGS__)
#include "preload/calls.def"

/* MPI_X_c; MPI_X with its counts where the MPI library has none. */
#define LARGE_CALL(last_, before, MPI, Name, count, kinds) \
    static int narrowed_##MPI##_##Name(TOPO_ADDRESSES(count, kinds)) \
    { \
        static struct topo_call known_ = {.name = #MPI "_" #Name, .last = last_}; \
        struct topo_narrow narrow = TOPO_NARROW(Name, count, kinds); \
        topo_narrow_begin(&narrow); \
        return topo_narrow_end(&narrow, narrow.code \
                                            ? narrow.code \
                                            : ((int (*)(TOPO_ADDRESSES(count, kinds)))topo_program_call( \
                                                  &known_, NULL))(TOPO_EACH(count, TOPO_NARROWED, TOPO_BARE kinds))); \
    } \
    TOPO_EXPORT int MPI##_##Name##_c(TOPO_ADDRESSES(count, kinds)); \
    TOPO_EXPORT int MPI##_##Name##_c(TOPO_ADDRESSES(count, kinds)) \
    { \
        static struct topo_call known_ = { \
            .name = #MPI "_" #Name "_c", .last = last_, .instead = (topo_symbol *)narrowed_##MPI##_##Name}; \
        topo_symbol *call = topo_program_call(&known_, __builtin_return_address(0)); \
        before; \
        return ((int (*)(TOPO_ADDRESSES(count, kinds)))call)(TOPO_ARGUMENTS(count, kinds)); \
    }
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    TOPO_IF_COUNTS(count, LARGE_CALL(true, , MPI, Name, count, kinds) LARGE_CALL(true, , PMPI, Name, count, kinds))
#include "catalog/operations.def"

#define PASSED(...)
#define PASSED_LARGE(Name, NAME, name, count, kinds) LARGE_CALL(false, COUNT(Name##_c, c), MPI, Name, count, kinds)
#include "catalog/passed.def"

#define LIFETIME(MPI, mpi) \
    C_CALL(false, , MPI##_Init, (void *a1, void *a2), (a1, a2)) \
    FORTRAN_CALLS(false, NOTHING, MPI##_INIT, mpi##_init, , (void *ierror), (ierror)) \
    C_CALL(false, , MPI##_Init_thread, (void *a1, void *a2, void *a3, void *a4), (a1, a2, a3, a4)) \
    FORTRAN_CALLS(false, NOTHING, MPI##_INIT_THREAD, mpi##_init_thread, , (void *a1, void *a2, void *ierror), \
                  (a1, a2, ierror)) \
    C_CALL(false, , MPI##_Finalize, (void), ()) \
    FORTRAN_CALLS(false, NOTHING, MPI##_FINALIZE, mpi##_finalize, , (void *ierror), (ierror))
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
