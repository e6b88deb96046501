/* Where the hosts of a job hang in the network: the readers behind
 * topo_machine_build(). */
#ifndef TOPO_MACHINE_SWITCHES_H
#define TOPO_MACHINE_SWITCHES_H

#include "base/status.h"
#include "machine/build.h"
#include "machine/names.h"

/* The hosts of a job. */
struct topo_hosts {
    struct topo_names names; /* number = host */
    int ranks;
    const struct topo_place *places;
    int *host;       /* [ranks] host of each rank */
    int *first_rank; /* [names.count] lowest rank on each host */
};

/* The switches above each host. */
struct topo_switches {
    int depth; /* levels of switches, 0..TOPO_SWITCHES_MAX */
    int *ids;  /* [host * depth + level], outermost first: equal = same switch, given equal outer ones */
    int *node; /* [host]: equal numbers = one node, also under two names; NULL: each host is a node */
};

/* Switches from a file as slurm.h reads it: of the first topology that has all hosts. `variable` (such as
 * "TOPOMPI_MACHINE=file:x") begins messages that no line of the file explains.
 * Errors: TOPO_PARSE (malformed; a host that is missing or fits several nodes),
 * TOPO_IO, TOPO_NOMEM. */
enum topo_status topo_switches_from_file(const char *path, const char *variable, const struct topo_hosts *hosts,
                                         struct topo_switches *switches, struct topo_error *error);

/* Switches from SLURM_TOPOLOGY_ADDR of each node. Errors: TOPO_UNSUPPORTED with
 * the reason when the addresses cannot be used (missing somewhere, no switches in
 * them, the same one for several hosts, different ones on one host), TOPO_NOMEM. */
enum topo_status topo_switches_from_addresses(const struct topo_hosts *hosts, struct topo_switches *switches,
                                              struct topo_error *error);

void topo_switches_free(struct topo_switches *switches);

#endif
