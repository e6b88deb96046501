/* What is running here, in words: for TOPOMPI_VERBOSE and the head of TOPOMPI_STATS. */
#ifndef TOPO_JOB_ABOUT_H
#define TOPO_JOB_ABOUT_H

#include <stdbool.h>

#include "base/text.h"
#include "machine/tree.h"

/* The machine's levels, "2 x node, 8 x core"; static, NULL in a passive job and before there is a tree. */
const char *topo_job_machine(void);

/* The same of any tree. A tree has levels: the text is never empty. */
enum { TOPO_ABOUT_MACHINE = 256 };
void topo_about_machine(const struct topo_tree *tree, char text[TOPO_ABOUT_MACHINE]);

/* Rank 0: the start of the name of a file that is kept for later jobs on this machine, by TOPOMPI_CACHE: the host's
 * name without its numbers, which tell nodes of one machine apart, stands behind `kind`. False: nothing is kept. */
bool topo_job_cache_path(const char *kind, struct topo_text *path);

/* "Open MPI 4.1.4", of the library that is loaded, appended to `out`. */
void topo_about_mpi(struct topo_text *out);

/* "TopoMPI 1.0.0 (/usr/lib/libtopompi-core-ompi.so), Open MPI 4.1.4, hwloc API 2.8.0, METIS 5.1.0 (not loaded)",
 * appended to `out`: METIS is loaded at need. */
void topo_about_library(struct topo_text *out);

/* "./program, 8 ranks on 2 nodes: 2 x node, 8 x core", appended to `out`. Only in an active job. */
void topo_about_job(struct topo_text *out);

#endif
