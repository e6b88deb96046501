/* The file that keeps a machine's links from one job to the next: a tuning file (docs/TUNING.md) with level lines. */
#ifndef TOPO_MEASURE_KEPT_H
#define TOPO_MEASURE_KEPT_H

#include <stdbool.h>

#include "base/text.h"
#include "machine/tree.h"
#include "model/params.h"

/* Rank 0: its path, by TOPOMPI_CACHE, the host's name without its numbers, which tell nodes of one machine apart, and
 * how many levels of the tree links belong to. False: nothing is kept. */
bool topo_kept_path(const struct topo_tree *tree, struct topo_text *path);

/* Rank 0: what the file holds; false where there is none, none of the last 30 days, or none that can be used, which is
 * said. */
bool topo_kept_read(const char *path, struct topo_params *params);

/* Rank 0: writes it. Where that is not possible the job goes on; with TOPOMPI_VERBOSE it is said. */
void topo_kept_write(const char *path, const struct topo_params *params);

#endif
