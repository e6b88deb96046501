#include "node/room.h"

#include <stdio.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "job/job.h"

bool topo_room_is_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

uint64_t topo_room_addresses(uint64_t mapped)
{
    enum { RESERVE = 16 << 20, PART = 8 };
    struct rlimit limit;
    unsigned long pages = 0;
    if (!topo_room_is_limited() || getrlimit(RLIMIT_AS, &limit) != 0)
        return UINT64_MAX;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + RESERVE;
    uint64_t free = pages && used < limit.rlim_cur + mapped ? limit.rlim_cur + mapped - used : 0;
    return free / PART > mapped ? free / PART - mapped : 0;
}

uint64_t topo_room_named(uint64_t charged, int ranks)
{
    enum { PART = 4 };
    struct statvfs space;
    uint64_t node_ranks = (uint64_t)topo_job.node_ranks;
    if (statvfs("/dev/shm", &space) != 0)
        return 0;
    uint64_t mine = ((uint64_t)space.f_bavail * space.f_frsize / node_ranks + charged) / PART;
    return mine > charged ? (mine - charged) * (uint64_t)ranks : 0;
}
