/* A level's latency and rate, by messages. */
#ifndef TOPO_MEASURE_PROBE_H
#define TOPO_MEASURE_PROBE_H

#include "machine/tree.h"

struct topo_probed {
    double latency; /* seconds of the shortest message, one way; 0: not known */
    double rate;    /* bytes a second each way, both at work, all pairs together */
};

/* Between rank 0's unit of `level`, its node or one around it, and another one: up to 8 ranks of each exchange messages
 * for some ms, those of several nodes where the units have some. Every rank of the job calls it; rank 0 gets the
 * answer.
 */
struct topo_probed topo_probe(const struct topo_tree *tree, int level, int rank);

#endif
