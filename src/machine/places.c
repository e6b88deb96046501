/* In-node places by hwloc, the only file that includes it. */
#include <hwloc.h>
#include <string.h>

#include "base/memory.h"
#include "machine/build.h"

/* The CPU set of one rank; NULL when memory is out. */
static hwloc_bitmap_t read_set(const unsigned char *bytes, size_t count)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (size_t at = 0; set && at < count; at += sizeof(unsigned long)) {
        unsigned long word = 0;
        size_t left = count - at;
        memcpy(&word, bytes + at, left < sizeof word ? left : sizeof word);
        if (hwloc_bitmap_set_ith_ulong(set, (unsigned)(at / sizeof word), word) < 0) {
            hwloc_bitmap_free(set);
            return NULL;
        }
    }
    return set;
}

/* Logical index of the object of `type` that holds the whole set, -1 if none does. */
static int find_object(hwloc_topology_t machine, hwloc_obj_type_t type, hwloc_const_bitmap_t set)
{
    /* NUMA nodes are not among the ancestors of a core in hwloc 2, so all of a type are looked at. */
    for (hwloc_obj_t object = NULL; (object = hwloc_get_next_obj_by_type(machine, type, object));)
        if (object->cpuset && hwloc_bitmap_isincluded(set, object->cpuset))
            return (int)object->logical_index;
    return -1;
}

/* Loads the machine with the four kinds of object that count. */
static enum topo_status load(hwloc_topology_t *machine, struct topo_error *error)
{
    static const hwloc_obj_type_t kept[] = {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_CORE};
    if (hwloc_topology_init(machine) < 0)
        return topo_fail(error, TOPO_UNSUPPORTED, "hwloc does not start; ranks end at their node");
    hwloc_topology_set_all_types_filter(*machine, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        hwloc_topology_set_type_filter(*machine, kept[i], HWLOC_TYPE_FILTER_KEEP_ALL);
    /* Without groups a NUMA node that is smaller than its package gets the package's CPUs (seen with 2.9). */
    hwloc_topology_set_type_filter(*machine, HWLOC_OBJ_GROUP, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    /* One rank loads for all of its node, and their control groups may differ from its own. */
    hwloc_topology_set_flags(*machine, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(*machine) < 0) {
        hwloc_topology_destroy(*machine);
        return topo_fail(error, TOPO_UNSUPPORTED, "hwloc cannot load this machine; ranks end at their node");
    }
    return TOPO_OK;
}

static enum topo_status find_place(hwloc_topology_t machine, const unsigned char *bytes, size_t count,
                                   struct topo_place *place, struct topo_error *error)
{
    hwloc_bitmap_t set = read_set(bytes, count);
    if (!set)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a CPU set");
    hwloc_bitmap_and(set, set, hwloc_topology_get_topology_cpuset(machine));
    /* Every object includes the empty set, so it would be in the first of each. */
    if (!hwloc_bitmap_iszero(set)) {
        place->package = find_object(machine, HWLOC_OBJ_PACKAGE, set);
        place->numa = find_object(machine, HWLOC_OBJ_NUMANODE, set);
        place->l3 = find_object(machine, HWLOC_OBJ_L3CACHE, set);
        place->core = find_object(machine, HWLOC_OBJ_CORE, set);
    }
    hwloc_bitmap_free(set);
    return TOPO_OK;
}

enum topo_status topo_hwloc_places(const unsigned char *cpusets, size_t mask_bytes, int count,
                                   struct topo_place *places, struct topo_error *error)
{
    hwloc_topology_t machine;
    bool equal = true;
    for (int i = 0; i < count; i++) {
        places[i].package = places[i].numa = places[i].l3 = places[i].core = -1;
        equal = equal && !memcmp(cpusets, cpusets + (size_t)i * mask_bytes, mask_bytes);
    }
    if (equal)
        return TOPO_OK;
    enum topo_status status = load(&machine, error);
    if (status != TOPO_OK)
        return status;
    for (int i = 0; status == TOPO_OK && i < count; i++)
        status = find_place(machine, cpusets + (size_t)i * mask_bytes, mask_bytes, &places[i], error);
    hwloc_topology_destroy(machine);
    if (status != TOPO_OK)
        for (int i = 0; i < count; i++)
            places[i].package = places[i].numa = places[i].l3 = places[i].core = -1;
    return status;
}
