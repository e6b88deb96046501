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

void topo_hwloc_about(bool release, struct topo_text *out)
{
    /* Three bytes, 0x00020900 in 2.9.0; releases that change nothing in it keep the older one's. */
    unsigned interface = hwloc_get_api_version();
    hwloc_topology_t topology;
    const char *version = NULL;
    bool made = release && hwloc_topology_init(&topology) == 0;
    /* Each machine that hwloc makes says who made it: the smallest one. */
    if (made && hwloc_topology_set_synthetic(topology, "pu:1") == 0 && hwloc_topology_load(topology) == 0)
        version = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion");
    if (version)
        topo_text_addf(out, "hwloc %s", version);
    else
        topo_text_addf(out, "hwloc API %u.%u.%u", interface >> 16, interface >> 8 & 0xff, interface & 0xff);
    if (made)
        hwloc_topology_destroy(topology);
}
