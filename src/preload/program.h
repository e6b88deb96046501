/* The MPI library of the program, and the core of TopoMPI that belongs to it.
 *
 * libtopompi.so itself needs no MPI library: one that it brought along would come before any that the program opens
 * privately, and would get the calls of a program built for another MPI. It looks at the first MPI call at what the
 * program has. Where there is a core for its family (family/family.h), that is loaded, libtopompi-core-FAMILY.so beside
 * it, which defines the wrappers. Otherwise every call goes on to the program's MPI as it came: one line says so. */
#ifndef TOPO_PRELOAD_PROGRAM_H
#define TOPO_PRELOAD_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef void topo_symbol(void);

/* A symbol of ours, and what its calls are to be, which is found at the first one. */
struct topo_call {
    const char *name;
    bool last; /* of MPI_X: where a tool stands between us and MPI, it gets the call as it came, and ours is its PMPI_X
                */
    topo_symbol *counted; /* what it is where calls are counted, which goes on to: */
    topo_symbol *next;
    topo_symbol *instead; /* what it is where the MPI library lacks PMPI_X; NULL: nothing, as none is called then */
    topo_symbol *_Atomic call; /* the core's function, or what comes after us */
    topo_symbol *_Atomic own;  /* of PMPI_X with a core: what a call of MPI's own code goes on to */
};

/* Finds both. `caller` is an address in the calling object. Ends the process with a message when there is none: the
 * call could not be made. */
topo_symbol *topo_program_find(struct topo_call *known, const void *caller);

/* Does this address lie in code of the MPI library that calls MPI by PMPI_X: a Fortran layer, which a wrapper of ours
 * has called, or ROMIO? (MPICH's mpi_x_ and both libraries' C++ call MPI_X for the program; that is the program's
 * call.) */
bool topo_program_is_mpis(const void *caller);

/* What a call of this symbol is to be. */
static inline topo_symbol *topo_program_call(struct topo_call *known, const void *caller)
{
    topo_symbol *call = atomic_load_explicit(&known->call, memory_order_acquire), *own;
    if (!call)
        call = topo_program_find(known, caller);
    own = atomic_load_explicit(&known->own, memory_order_relaxed);
    return own && topo_program_is_mpis(caller) ? own : call;
}

/* The same where that is known and goes by no caller; else NULL. */
static inline topo_symbol *topo_program_found(struct topo_call *known)
{
    topo_symbol *call = atomic_load_explicit(&known->call, memory_order_acquire);
    return atomic_load_explicit(&known->own, memory_order_relaxed) ? NULL : call;
}

/* The function of this name that comes after us, whatever the core has; topo_program_look_up(): NULL where there is
 * none. */
topo_symbol *topo_program_next(const char *name, const void *caller);
topo_symbol *topo_program_look_up(const char *name);

/* A function of the core alone; NULL where there is no core, or none before the first call of MPI. */
topo_symbol *topo_program_core(const char *name);

#endif
