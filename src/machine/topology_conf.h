/* The lines of Slurm's topology.conf, one after the other; those of topology_yaml.h are of the same kinds. */
#ifndef TOPO_MACHINE_TOPOLOGY_CONF_H
#define TOPO_MACHINE_TOPOLOGY_CONF_H

#include <stddef.h>

#include "base/status.h"
#include "base/text.h"

enum topo_conf_kind {
    TOPO_CONF_SWITCH,   /* of topology/tree */
    TOPO_CONF_BLOCK,    /* of topology/block: a name and nodes */
    TOPO_CONF_SIZES,    /* of topology/block: `name` has the list of BlockSizes */
    TOPO_CONF_TOPOLOGY, /* topology.yaml: another topology begins */
    TOPO_CONF_DEFAULT   /* and is the cluster's default */
};

/* One line, put together from its continuations. Lists that were not given have length 0. */
struct topo_conf_line {
    int line; /* number of its first line in the file, from 1 */
    enum topo_conf_kind kind;
    struct topo_text name, nodes, switches;
};

typedef enum topo_status topo_conf_visitor(const struct topo_conf_line *line, void *context, struct topo_error *error);

/* Calls `visit` for every line that describes something; a status other than
 * TOPO_OK ends the walk. Errors of its own: TOPO_PARSE "origin:line: ...",
 * TOPO_NOMEM. */
enum topo_status topo_conf_walk(const char *text, size_t length, const char *origin, topo_conf_visitor *visit,
                                void *context, struct topo_error *error);

#endif
