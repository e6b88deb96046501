/* Makes a job JOB_AGE seconds older than it is, or an hour, to be preloaded: the library may then measure its machine
 * in the first calls (docs/MEASURING.md), and what it finds holds in most of a job that is over in a second. */
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *time)
{
    static __typeof__(&clock_gettime) next;
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    int code = next(clock, time);
    if (code == 0 && clock == CLOCK_BOOTTIME)
        time->tv_sec += getenv("JOB_AGE") ? atoi(getenv("JOB_AGE")) : 3600;
    return code;
}
