/* SLURM_TOPOLOGY_ADDR: the switches above a node and the node, "core.rack.n0". */
#ifndef TOPO_MACHINE_ADDRESS_H
#define TOPO_MACHINE_ADDRESS_H

#include <stddef.h>

/* Finds where the parts of `address` that name switches end: first[i] and
 * length[i], i below the returned number of switches, outermost first, at most
 * `most` of them are stored. Parts are separated by periods outside brackets
 * (man srun, SLURM_TOPOLOGY_ADDR). The name of the node, which ends the address,
 * may itself hold periods: it begins where `host` or its first label does, else
 * it is the last part. */
int topo_address_switches(const char *address, const char *host, int most, size_t *first, size_t *length);

#endif
