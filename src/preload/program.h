/* The MPI library of the program, and the core of TopoMPI that belongs to it.
 *
 * libtopompi.so itself needs no MPI library: one that it brought along would come before any that the program opens
 * privately, and would get the calls of a program built for another MPI. It looks at the first MPI call at what the
 * program has. Where that is the one that TopoMPI was built with, Open MPI or MPICH, the core is loaded, libtopompi-core.so beside
 * it, which defines the wrappers. Otherwise every call goes on to the program's MPI as it came: one line says so. */
#ifndef TOPO_PRELOAD_PROGRAM_H
#define TOPO_PRELOAD_PROGRAM_H

typedef void topo_symbol(void);

/* What a call of `name` is to be: the core's function, or the program's MPI library's where there is no core. `caller`
 * is an address in the calling object. Ends the process with a message when there is none: the call could not be made.
 */
topo_symbol *topo_program_call(const char *name, const void *caller);

/* The function of this name that comes after us, whatever the core has. */
topo_symbol *topo_program_next(const char *name, const void *caller);

/* A function of the core alone; NULL where there is no core, or none before the first call of MPI. */
topo_symbol *topo_program_core(const char *name);

#endif
