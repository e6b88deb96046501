/* METIS, loaded at first need and kept away from the application (the only code
 * that knows METIS; Karypis and Kumar 1999, multilevel recursive bisection). */
#ifndef TOPO_RENUMBER_METIS_H
#define TOPO_RENUMBER_METIS_H

#include <stdbool.h>

#include "base/status.h"
#include "base/text.h"
#include "renumber/graph.h"

/* How METIS is there. */
enum topo_metis_state {
    TOPO_METIS_OWN,    /* in a linker namespace of its own, with its own C library (dlmopen) */
    TOPO_METIS_LOCAL,  /* in the process, its symbols hidden from the application (dlopen) */
    TOPO_METIS_MISSING /* not at all */
};

/* Loads METIS unless that has been tried, and says how it went. *why (may be
 * NULL) becomes a static text: the file loaded, or why none could be. */
enum topo_metis_state topo_metis_state(const char **why);

/* "METIS 5.1.0 (/usr/lib/libmetis.so.5.1.0)" appended to `out`: the version of the header that this was built with,
 * which what is loaded has to fit, and the file, since METIS itself does not say its version. Loads nothing: before
 * topo_metis_state() it is "METIS 5.1.0 (not loaded)". */
void topo_metis_about(struct topo_text *out);

/* METIS_PartGraphRecursive with METIS's defaults and `seed` (-1: its own default):
 * part[v] in 0..parts-1, part p meant to hold sizes[p] vertices, which METIS
 * meets only nearly. Deterministic. rand() and signal handlers of the process
 * are as before when it returns, stdout is not written. Thread-safe.
 * Errors: TOPO_UNSUPPORTED (METIS missing, graph too large for its indices, or
 * METIS failed), TOPO_NOMEM. */
enum topo_status topo_metis_partition(const struct topo_graph *graph, int parts, const int *sizes, int seed, int *part,
                                      struct topo_error *error);

/* Tests only: which ways may be used from now on. OWN (the initial state) allows
 * both, LOCAL leaves the own namespace out, MISSING leaves METIS out. */
void topo_metis_allow(enum topo_metis_state best);

#endif
