/* From what each rank knows of its place and what the user says of the machine
 * (TOPOMPI_MACHINE) to the tree of the job. Runs on rank 0 alone. */
#ifndef TOPO_MACHINE_BUILD_H
#define TOPO_MACHINE_BUILD_H

#include <stdbool.h>

#include "base/status.h"
#include "machine/tree.h"

/* Where one rank runs, as far as it is bound. */
struct topo_place {
    const char *host;
    const char *slurm_address;   /* SLURM_TOPOLOGY_ADDR of its node ("core.rack.node") or "" */
    int package, numa, l3, core; /* logical index in the node; -1 = not bound that closely */
};

/* Builds the tree for `ranks` places. `spec` is the value of TOPOMPI_MACHINE:
 *   auto            host names and in-node places; switches from Slurm when it
 *                   offers them (SLURM_TOPOLOGY_ADDR, else, inside a Slurm job,
 *                   topology.conf). Never fails for what Slurm says: then *error
 *                   holds a note why its switches are not used, beside TOPO_OK.
 *   slurm           the same, but no switches from Slurm is an error
 *   file:PATH       switches from a file in Slurm's topology.conf syntax; every
 *                   host must be in it, with or without its domain (n0, n0.cluster.org)
 *   synthetic:TEXT  see machine/synthetic.h; the places are not looked at
 * `getenv_like` gives the environment (SLURM_JOB_ID, SLURM_CONF; tests pass their
 * own). topology.conf is looked for beside $SLURM_CONF, else in /etc/slurm. A
 * rank that is less closely bound than others of its node meets them at the
 * level where its binding ends. Free *tree with topo_tree_free(). Errors:
 * TOPO_PARSE naming TOPOMPI_MACHINE or file:line and what is allowed, TOPO_IO,
 * TOPO_NOMEM. *error is empty after TOPO_OK without a note. */
enum topo_status topo_machine_build(const char *spec, const struct topo_place *places, int ranks,
                                    const char *(*getenv_like)(const char *name), struct topo_tree **tree,
                                    struct topo_error *error);

/* Whether this value of TOPOMPI_MACHINE describes a machine, whatever the ranks run on. */
bool topo_machine_is_synthetic(const char *spec);

/* In-node places of `count` ranks from their CPU sets. cpusets[i] is a Linux CPU
 * mask of `mask_bytes` bytes (as sched_getaffinity() fills it). Loads hwloc once.
 * Fills package..core of places[i] (-1 where the set is wider than one object).
 * When all sets are equal nothing distinguishes the ranks: all stay -1 and hwloc
 * is not loaded. Errors: TOPO_UNSUPPORTED when hwloc cannot load (places -1). */
enum topo_status topo_hwloc_places(const unsigned char *cpusets, size_t mask_bytes, int count,
                                   struct topo_place *places, struct topo_error *error);

#endif
