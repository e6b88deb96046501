/* The time in ticks, as cheap as it can be had: the processor's counter where it runs at one rate on all cores and
 * while they sleep, else ns of CLOCK_MONOTONIC. */
#ifndef TOPO_BASE_TICKS_H
#define TOPO_BASE_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "base/clock.h"

/* Is there such a counter? (AMD64 Architecture Programmer's Manual 3, Fn8000_0007; Arm's generic timer always is.) */
static inline bool topo_ticks_have_counter(void)
{
#if defined __x86_64__
    enum { POWER = 0x80000007, INVARIANT = 1 << 8 };
    unsigned a, b, c, d;
    return __get_cpuid(POWER, &a, &b, &c, &d) && (d & INVARIANT);
#elif defined __aarch64__
    return true;
#else
    return false;
#endif
}

static inline uint64_t topo_ticks(bool counter)
{
#if defined __x86_64__
    if (counter)
        return __builtin_ia32_rdtsc();
#elif defined __aarch64__
    if (counter) {
        uint64_t now;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(now));
        return now;
    }
#endif
    (void)counter;
    return topo_clock_ns();
}

#endif
