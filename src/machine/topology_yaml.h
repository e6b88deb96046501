/* The entries of Slurm's topology.yaml, one after the other. */
#ifndef TOPO_MACHINE_TOPOLOGY_YAML_H
#define TOPO_MACHINE_TOPOLOGY_YAML_H

#include <stddef.h>

#include "machine/topology_conf.h"

/* As topo_conf_walk(), of a file of several topologies (man topology.yaml): TOPO_CONF_TOPOLOGY begins each, and
 * TOPO_CONF_DEFAULT says that it is the cluster's. Of YAML it reads what such files are made of: mappings and lists by
 * indentation, words plain or in quotes, [a, b], comments. Topologies of other kinds than tree and block are passed
 * over. */
enum topo_status topo_yaml_walk(const char *text, size_t length, const char *origin, topo_conf_visitor *visit,
                                void *context, struct topo_error *error);

#endif
