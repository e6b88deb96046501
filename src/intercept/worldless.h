/* Calls of operations where there is no MPI_COMM_WORLD: a program that starts MPI by sessions alone (MPI-4.1, 11.3), or
 * its calls before MPI_Init and after MPI_Finalize. They are native (docs/SEMANTICS.md, Start). */
#ifndef TOPO_INTERCEPT_WORLDLESS_H
#define TOPO_INTERCEPT_WORLDLESS_H

#include <stdatomic.h>
#include <stdbool.h>

/* True while neither MPI_Init was seen nor anything else that shows that it was called, and after MPI_Finalize. */
extern atomic_bool topo_is_worldless;

/* Counts a native call, which is told as the process ends: in rank 0, and where TOPOMPI_STATS or TOPOMPI_VERBOSE asks
 * for it. */
void topo_worldless_count(void);

/* Were there such calls? */
bool topo_worldless_was_called(void);

static inline void topo_worldless_call(void)
{
    if (atomic_load_explicit(&topo_is_worldless, memory_order_relaxed))
        topo_worldless_count();
}

#endif
