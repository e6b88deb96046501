/* Ranks that share cores, where each core has as many of them but nothing says which. */
#ifndef TOPO_MODEL_SHARED_CORES_H
#define TOPO_MODEL_SHARED_CORES_H

#include <stdbool.h>

#include "machine/tree.h"
#include "model/params.h"

enum { TOPO_CORES_ALL = -1, TOPO_CORES_ENOUGH = -2 };

/* The level each unit of which has params->cores, or as above: all ranks share them, as in a level that splits nothing,
 * which is not in the tree; each rank has its own. */
int topo_cores_level(const struct topo_tree *tree, const struct topo_params *params);

/* Whether the ranks in places i - 1 and i of the tree's order share cores of such a level. A unit's ranks follow one
 * another there. */
bool topo_cores_are_shared(const struct topo_tree *tree, int level, int i);

/* Seconds until a rank has its turn, where cores are short. */
double topo_cores_turn(const struct topo_tree *tree, const struct topo_params *params);

/* Seconds of a processor that the ranks take; all zero at first. */
struct topo_shared_cores {
    int ranks;
    double sum, squares, largest, packets;
};

/* One more rank: its own seconds, and those of its packets, which any of the cores may take. */
void topo_shared_cores_add(struct topo_shared_cores *shared, double seconds, double packets);

/* Seconds of the busiest of `cores` cores. Where few ranks do the work, as the first ones of the nodes, some cores have
 * more of them: the expected largest of the sums over ranks drawn at random, or the busiest rank alone. Packets go
 * where there is time: they come by soft interrupts. */
double topo_shared_cores_busiest(const struct topo_shared_cores *shared, int cores);

#endif
