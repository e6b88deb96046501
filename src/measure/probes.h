/* The probes of a measurement (select/measuring.h) as messages. All functions are collective over the job. */
#ifndef TOPO_MEASURE_PROBES_H
#define TOPO_MEASURE_PROBES_H

#include "select/measuring.h"

/* Bytes of the memory that a rank needs for the longest probe. */
enum { TOPO_PROBE_MEMORY = (TOPO_PROBE_MESSAGES + 1) * TOPO_CROWD_LONG };

/* What this rank finds in the probe, 0 for what others do; `memory` has TOPO_PROBE_MEMORY bytes. */
void topo_probe_run(const struct topo_probe *probe, const struct topo_tree *tree, int rank, char *memory,
                    double values[TOPO_PROBE_VALUES]);

/* The largest of all ranks' values in each place, on all of them; beside them rank 0's *word becomes everybody's. `say`
 * is called on rank 0 in between, with the values, and returns that word. `quietly`: ranks that wait sleep, as they
 * would take shared processors from those that are measured. */
void topo_probe_agree(double values[TOPO_PROBE_VALUES], int rank, int ranks, bool quietly,
                      double (*say)(const double *values, void *context), void *context, double *word);

#endif
