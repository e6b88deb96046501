/* Re-entry guard and symbol look-up of the wrappers. */
#ifndef TOPO_INTERCEPT_GUARD_H
#define TOPO_INTERCEPT_GUARD_H

#include <stdbool.h>

/* Above 0 while this thread is inside a wrapper: what the MPI library, its C++
 * or Fortran layer or another tool calls from there is not the application's
 * and passes through. */
extern _Thread_local int topo_depth __attribute__((tls_model("initial-exec")));

typedef void topo_symbol(void);

/* The symbol `name` of the libraries after this one. Ends the process with a
 * message when there is none: no wrapper could do its work. */
topo_symbol *topo_next(const char *name);

/* Fills topo_native with the next library's MPI_* collectives. */
void topo_next_collectives(void);

#endif
