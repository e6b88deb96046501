/* Where every rank runs, gathered on rank 0, and the tree made of it. */
#ifndef TOPO_JOB_DISCOVER_H
#define TOPO_JOB_DISCOVER_H

#include <stdbool.h>

#include <mpi.h>

#include "base/processors.h"
#include "base/status.h"
#include "job/channel.h"
#include "job/share.h"
#include "machine/tree.h"

/* Equal on all ranks. */
struct topo_discovered {
    struct topo_tree *tree;      /* free with topo_tree_free(); NULL: none */
    struct topo_sharing sharing; /* of the processors there are */
    bool oversubscribed;         /* ranks share them, those of one node if `spec` describes the nodes */
};

/* Collective over the channel. `spec` is TOPOMPI_MACHINE and `bound` tells that some
 * rank is; both are equal on all ranks. Every rank gets the same *found, or the
 * same status with *error filled on rank 0. hwloc is loaded by one rank a node, and only where ranks are bound
 * differently. `news` come with the tree; NULL: there are none. */
enum topo_status topo_discover(const struct topo_channel *channel, const char *spec, bool bound,
                               const struct topo_news *news, struct topo_discovered *found, struct topo_error *error);

#endif
