/* Switches as Slurm describes them: topology.conf (man topology.conf, tree
 * and block plugins), topology.yaml. The machine file of TOPOMPI_MACHINE=file:PATH has the same syntax. */
#ifndef TOPO_MACHINE_SLURM_H
#define TOPO_MACHINE_SLURM_H

#include <stddef.h>

#include "base/status.h"
#include "machine/tree.h"

/* Levels of switches that fit above the levels of a node. */
enum { TOPO_SWITCHES_MAX = TOPO_LEVELS_MAX - (TOPO_LEVEL_KINDS - 1) };

/* Nodes below a forest of switches: a topology. */
struct topo_slurm;

/* Reads `length` bytes of topology.conf: lines "SwitchName=s0 Nodes=n[0-3]" or
 * "SwitchName=s2 Switches=s[0-1]" (both lists together are allowed too), keys in
 * any case, LinkSpeed ignored, '#' starts a comment, '\' at the end of a line
 * continues it; or those of topology/block: "BlockName=b0 Nodes=n[0-3]", and
 * "BlockSizes=4,16", whose larger sizes are levels of neighbouring blocks above
 * them. Blocks are switches below. `origin` stands before the line number in messages; where it ends with .yaml or .yml
 * the text is that of topology.yaml (topology_yaml.h): *slurm is the cluster's default topology, or the first, and
 * those behind it are topo_slurm_next(). Free *slurm with topo_slurm_free(). Errors: TOPO_PARSE "origin:line: ..." with
 * what is allowed (unknown key; a node or switch below two switches; a switch named but never described, described
 * twice, or inside itself; more than TOPO_SWITCHES_MAX levels; more than TOPO_HOSTLIST_MAX nodes or switches),
 * TOPO_NOMEM. */
enum topo_status topo_slurm_parse(const char *text, size_t length, const char *origin, struct topo_slurm **slurm,
                                  struct topo_error *error);

/* The same for a file; TOPO_IO when it cannot be read. */
enum topo_status topo_slurm_read(const char *path, struct topo_slurm **slurm, struct topo_error *error);

/* The next topology of the file; NULL behind the last. */
const struct topo_slurm *topo_slurm_next(const struct topo_slurm *slurm);

/* With those behind it; NULL is harmless. */
void topo_slurm_free(struct topo_slurm *slurm);

/* Largest number of switches above a node, 1..TOPO_SWITCHES_MAX. */
int topo_slurm_depth(const struct topo_slurm *slurm);

/* How many nodes there are, and the name of one, in the order of the file. */
int topo_slurm_nodes(const struct topo_slurm *slurm);
const char *topo_slurm_node_name(const struct topo_slurm *slurm, int node);

enum { TOPO_SLURM_MISSING = -1, TOPO_SLURM_AMBIGUOUS = -2 };

/* Number of the node that is `host`, 0..: the node of exactly this name, else the
 * one whose name is the host's without trailing domains (file n0, host
 * n0.cluster.org) or the other way round. MISSING when there is none, AMBIGUOUS
 * when the host is the short form of several nodes. */
int topo_slurm_find(const struct topo_slurm *slurm, const char *host);

/* The switches above a node, outermost first: ids[] gets topo_slurm_depth()
 * numbers. A node with fewer switches above it repeats its own switch: it shares
 * these levels with the nodes at the same switch alone. */
void topo_slurm_switches(const struct topo_slurm *slurm, int node, int *ids);

#endif
