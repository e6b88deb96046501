/* Sizes of the data caches one core has, as hwloc reports them. */
#ifndef TOPO_MACHINE_CACHES_H
#define TOPO_MACHINE_CACHES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

struct topo_caches {
    size_t l1, l2, l3; /* bytes of the first one of each level; 0: none, or unknown */
};

/* Asks hwloc (some milliseconds). What it does not know stays 0; never fails. */
void topo_caches_read(struct topo_caches *caches);

/* Of the library that is loaded, appended to `out`: "hwloc 2.9.0" with `release`, for which hwloc starts and looks for
 * its plugins; else "hwloc API 2.8.0", which costs nothing. */
void topo_hwloc_about(bool release, struct topo_text *out);

#endif
