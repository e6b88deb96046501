/* Time that goes by. */
#ifndef TOPO_BASE_CLOCK_H
#define TOPO_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* In ns, from some moment on; the clock is this machine's alone. */
static inline uint64_t topo_clock_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

#endif
