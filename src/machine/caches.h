/* Sizes of the data caches one core has, as hwloc reports them. */
#ifndef TOPO_MACHINE_CACHES_H
#define TOPO_MACHINE_CACHES_H

#include <stddef.h>

struct topo_caches {
    size_t l1, l2, l3; /* bytes of the first one of each level; 0: none, or unknown */
};

/* Asks hwloc (some milliseconds). What it does not know stays 0; never fails. */
void topo_caches_read(struct topo_caches *caches);

#endif
