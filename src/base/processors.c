#include "base/processors.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/hash.h"

int topo_processors_pretended;

static int online(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int topo_processors(void)
{
    return topo_processors_pretended ? topo_processors_pretended : online();
}

int topo_processors_usable(cpu_set_t *set)
{
    CPU_ZERO(set);
    if (sched_getaffinity(0, sizeof *set, set) != 0)
        CPU_ZERO(set);
    return CPU_COUNT(set);
}

bool topo_bound(void)
{
    cpu_set_t set;
    int usable = topo_processors_usable(&set);
    return usable > 0 && usable < online();
}

double topo_kernel(void)
{
    char boot[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, boot, sizeof boot) : -1;
    if (fd >= 0)
        close(fd);
    return length > 0 ? topo_hash_number(boot, (size_t)length) : 0;
}
