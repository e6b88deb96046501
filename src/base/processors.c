#include "base/processors.h"

#include <fcntl.h>
#include <string.h>
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

/* A number of the kernel that runs this process; 0: not known. */
static uint64_t kernel(void)
{
    char boot[64];
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd >= 0 ? read(fd, boot, sizeof boot) : -1;
    if (fd >= 0)
        close(fd);
    return length > 0 ? topo_hash_bytes(TOPO_HASH_START, boot, (size_t)length) : 0;
}

/* Words of one kernel are its number and the complement; of several, or of one that is not known, they have bits in
 * common. */
enum { KERNEL, COMPLEMENT, USABLE };

void topo_processors_say(uint64_t words[TOPO_PROCESSORS_WORDS])
{
    cpu_set_t set;
    words[KERNEL] = kernel();
    words[COMPLEMENT] = ~words[KERNEL];
    if (words[KERNEL] == 0)
        words[KERNEL] = UINT64_MAX;
    if (topo_processors_pretended || topo_processors_usable(&set) == 0) {
        CPU_ZERO(&set);
        for (int i = 0; i < topo_processors() && i < CPU_SETSIZE; i++)
            CPU_SET(i, &set);
    }
    memcpy(&words[USABLE], &set, sizeof set);
}

struct topo_sharing topo_sharing_of(const uint64_t together[TOPO_PROCESSORS_WORDS], int ranks, int node_ranks)
{
    cpu_set_t usable;
    memcpy(&usable, &together[USABLE], sizeof usable);
    bool one_kernel = !(together[KERNEL] & together[COMPLEMENT]);
    int processors = CPU_COUNT(&usable), sharers = one_kernel ? ranks : node_ranks;
    /* A full set may stand for more. */
    return (struct topo_sharing){processors < CPU_SETSIZE && processors < sharers ? processors : 0, !one_kernel};
}
