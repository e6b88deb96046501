/* From what `topo-bench levels` measured on a machine to the parameters of its levels. */
#ifndef TOPO_MODEL_FINDINGS_H
#define TOPO_MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/processors.h"
#include "machine/tree.h"
#include "model/params.h"

/* What pairs exchange when all are at it: messages of 1 byte, one and SEVERAL at a time, of MIDDLE and of LONG bytes.
 */
enum { TOPO_CROWD_SEVERAL = 4, TOPO_CROWD_MIDDLE = 8192, TOPO_CROWD_LONG = 32768 };

/* Of ranks that share exactly so many outer levels. Seconds; 0 stands for what was not measured. */
struct topo_level_findings {
    double shortest; /* one way of the shortest message between two ranks alone */
    double longest;  /* and of one that is `bytes` longer */
    double bytes;
    double both;    /* bytes a second each way through the link of one unit, both directions at work */
    double in;      /* bytes a second of all pairs within a unit, one direction */
    /* An exchange (both ways) of as many pairs as there are, all at once. */
    int pairs;
    double pairs_of_unit; /* those that share the link of a unit of the level; read outside nodes only */
    double crowd_shortest, crowd_several, crowd_middle, crowd_longest;
};

struct topo_findings {
    struct topo_level_findings level[TOPO_LEVELS_MAX + 1]; /* by shared levels; [tree->levels]: in the innermost unit */
    struct topo_sharing sharing;
    double turn;      /* of a processor for one look for messages of a rank that then gives it away */
    double copy, add; /* a byte copied; a byte of doubles added to another */
    double message;   /* of a rank's processor for a message to a rank of its own node */
};

/* The machine's parameters: latency from the shortest message, bandwidth from the links at work; what messages cost
 * processors where ranks share them. What was not measured keeps the value it has in *params. */
void topo_findings_params(const struct topo_findings *findings, const struct topo_tree *tree,
                          struct topo_params *params);

#endif
