/* To be preloaded: ranks may use 64 processors, as far as they are told, so that none shares one with another rank. */
#include <sched.h>
#include <string.h>
#include <sys/types.h>

__attribute__((visibility("default"))) int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
    (void)process;
    memset(set, 0, size);
    memset(set, 255, size < 8 ? size : 8);
    return 0;
}
