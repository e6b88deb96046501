/* Synthetic machines: "switch:2 node:4 core:4". */
#ifndef TOPO_MACHINE_SYNTHETIC_H
#define TOPO_MACHINE_SYNTHETIC_H

#include "base/status.h"
#include "machine/tree.h"

/* How ranks are placed on the leaves of a synthetic machine. */
enum topo_placement {
    TOPO_PLACEMENT_SLOT, /* fill one innermost unit after the other */
    TOPO_PLACEMENT_NODE  /* one rank a node in turn */
};

/* Reads "kind:count kind:count ..." with kinds switch node package numa l3 core
 * in this order (switch may repeat, node is required, the last level's units
 * are the slots: one rank each). A count is the number of units in each unit of
 * the level above, either one number or a comma list with one number for each
 * of these ("node:4 core:7,5,3,1"). A word "by:slot" or "by:node" at the end
 * sets the placement (default slot). `ranks` > 0 asks for exactly that many
 * ranks (TOPO_PARSE when the slots do not sum up to it); 0 takes all slots.
 * Free *tree with topo_tree_free(). Errors: TOPO_PARSE saying what is wrong and
 * what is allowed, TOPO_NOMEM. */
enum topo_status topo_synthetic_tree(const char *text, int ranks, struct topo_tree **tree, struct topo_error *error);

#endif
