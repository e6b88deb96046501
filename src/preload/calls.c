/* Every symbol by which a program calls MPI and that we want to see: each goes on to what topo_program_call() gave at
 * the first call, with its arguments as they came.
 *
 * The library does not know the types of the program's MPI: its handles are pointers in Open MPI and numbers in MPICH.
 * All arguments of these functions are integers or pointers of at most 64 bits, and none is returned but `int`. Where
 * each such argument takes one register or one slot of the stack whatever its width, as on x86-64, AArch64, POWER and
 * RISC-V under Linux, a pointer's slot carries any of them unchanged. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "topompi.h"

#include "base/export.h"
#include "catalog/arguments.h"
#include "preload/program.h"

/* What `symbol` is to call, kept from the first call on; looked up by several threads at once it is the same. */
#define KNOWN_CALL(call, symbol) \
    static topo_symbol *_Atomic known_; \
    topo_symbol *call = atomic_load_explicit(&known_, memory_order_acquire); \
    if (!call) { \
        call = topo_program_call(symbol, __builtin_return_address(0)); \
        atomic_store_explicit(&known_, call, memory_order_release); \
    }

#define C_CALL(symbol, parameters, arguments) \
    TOPO_EXPORT int symbol parameters; \
    TOPO_EXPORT int symbol parameters \
    { \
        KNOWN_CALL(call, #symbol) \
        return ((int(*) parameters)call)arguments; \
    }

#define FORTRAN_CALL(symbol, parameters, arguments) \
    TOPO_EXPORT void symbol parameters; \
    TOPO_EXPORT void symbol parameters \
    { \
        KNOWN_CALL(call, #symbol) \
        ((void(*) parameters)call) arguments; \
    }

/* mpif.h and `use mpi` arrive at mpi_x_ or at one of its other spellings, `use mpi_f08` at mpi_x_f08_. */
#define FORTRAN_CALLS(NAME, name, parameters, arguments) \
    FORTRAN_CALL(mpi_##name##_, parameters, arguments) \
    FORTRAN_CALL(mpi_##name##_f08_, parameters, arguments) \
    FORTRAN_ALIASES(NAME, name)
#define FORTRAN_ALIASES(NAME, name) \
    TOPO_EXPORT extern __typeof__(mpi_##name##_) mpi_##name __attribute__((alias("mpi_" #name "_"))); \
    TOPO_EXPORT extern __typeof__(mpi_##name##_) mpi_##name##__ __attribute__((alias("mpi_" #name "_"))); \
    TOPO_EXPORT extern __typeof__(mpi_##name##_) MPI_##NAME __attribute__((alias("mpi_" #name "_")));

#define CALL(Name, NAME, name, count, kinds) \
    C_CALL(MPI_##Name, (TOPO_ADDRESSES(count, kinds)), (TOPO_ARGUMENTS(count, kinds))) \
    FORTRAN_CALLS(NAME, name, (TOPO_ADDRESSES(count, kinds), void *ierror), (TOPO_ARGUMENTS(count, kinds), ierror))
#include "preload/calls.def"

C_CALL(MPI_Init, (void *a1, void *a2), (a1, a2))
FORTRAN_CALLS(INIT, init, (void *ierror), (ierror))
C_CALL(MPI_Init_thread, (void *a1, void *a2, void *a3, void *a4), (a1, a2, a3, a4))
FORTRAN_CALLS(INIT_THREAD, init_thread, (void *a1, void *a2, void *ierror), (a1, a2, ierror))
C_CALL(MPI_Finalize, (void), ())
FORTRAN_CALLS(FINALIZE, finalize, (void *ierror), (ierror))

/* The core's function `symbol`, or NULL. */
#define KNOWN_CORE(call, symbol) \
    static topo_symbol *_Atomic known_core_; \
    topo_symbol *call = atomic_load_explicit(&known_core_, memory_order_acquire); \
    if (!call) { \
        call = topo_program_core(symbol); \
        atomic_store_explicit(&known_core_, call, memory_order_release); \
    }

/* The core wants to know where a call of MPI_Pcontrol stands. What follows the level cannot be handed on; Open MPI and
 * MPICH ignore it too. */
static void control(int level, const void *caller)
{
    KNOWN_CORE(call, "topo_core_pcontrol")
    if (call)
        ((void (*)(int, const void *))call)(level, caller);
}

/* This thread is in Fortran's procedure, which calls C's function in MPICH: that is no call more. */
static _Thread_local bool in_fortran;

TOPO_EXPORT int MPI_Pcontrol(const int level, ...);
TOPO_EXPORT int MPI_Pcontrol(const int level, ...)
{
    KNOWN_CALL(call, "MPI_Pcontrol")
    if (!in_fortran)
        control(level, __builtin_return_address(0));
    return ((int (*)(const int, ...))call)(level);
}

#define FORTRAN_PCONTROL(symbol) \
    TOPO_EXPORT void symbol(const int *level); \
    TOPO_EXPORT void symbol(const int *level) \
    { \
        KNOWN_CALL(call, #symbol) \
        control(*level, __builtin_return_address(0)); \
        in_fortran = true; \
        ((void (*)(const int *))call)(level); \
        in_fortran = false; \
    }
FORTRAN_PCONTROL(mpi_pcontrol_)
FORTRAN_PCONTROL(mpi_pcontrol_f08_)
FORTRAN_ALIASES(PCONTROL, pcontrol)

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
