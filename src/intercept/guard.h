/* Re-entry guard and symbol look-up of the wrappers. */
#ifndef TOPO_INTERCEPT_GUARD_H
#define TOPO_INTERCEPT_GUARD_H

#include <stdbool.h>

/* Above 0 while this thread starts MPI: what another tool calls from there passes through. It is raised nowhere
 * else: an error handler, an attribute callback or an operation of the application may leave any other call by
 * longjmp or an exception, and a count that stays raised would make this rank native for ever, and it alone. Nor is
 * it needed: what runs inside a wrapper calls PMPI_* only, as does Open MPI's Fortran layer. */
extern _Thread_local int topo_depth __attribute__((tls_model("initial-exec")));

typedef void topo_symbol(void);

/* The symbol `name` of the libraries after libtopompi.so. Ends the process with a
 * message when there is none: no wrapper could do its work. */
topo_symbol *topo_next(const char *name);

/* What `name` is for a loaded object, global or opened privately: each one's after the other, in the order in which
 * they were loaded, from number *at on, which starts as 0. NULL after the last. Leaves an error of dlsym(). */
void *topo_further(int *at, const char *name);

#endif
