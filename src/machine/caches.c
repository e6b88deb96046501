#include "machine/caches.h"

#include <hwloc.h>

static size_t size_of(hwloc_topology_t topology, hwloc_obj_type_t type)
{
    hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    return cache && cache->attr ? (size_t)cache->attr->cache.size : 0;
}

void topo_caches_read(struct topo_caches *caches)
{
    hwloc_topology_t topology;
    *caches = (struct topo_caches){0, 0, 0};
    if (hwloc_topology_init(&topology) != 0)
        return;
    hwloc_topology_set_all_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L1CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L2CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    hwloc_topology_set_type_filter(topology, HWLOC_OBJ_L3CACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (hwloc_topology_load(topology) == 0) {
        caches->l1 = size_of(topology, HWLOC_OBJ_L1CACHE);
        caches->l2 = size_of(topology, HWLOC_OBJ_L2CACHE);
        caches->l3 = size_of(topology, HWLOC_OBJ_L3CACHE);
    }
    hwloc_topology_destroy(topology);
}
