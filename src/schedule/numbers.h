/* Whole numbers: gcd, inverse, lcm with overflow. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_NUMBERS_H
#define TOPO_SCHEDULE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

/* gcd(0, b) = b. */
static inline int64_t topo_gcd(int64_t a, int64_t b)
{
    while (a) {
        int64_t rest = b % a;
        b = a;
        a = rest;
    }
    return b;
}

/* False when it overflows. */
static inline bool topo_lcm(int64_t a, int64_t b, int64_t *lcm)
{
    return !__builtin_mul_overflow(a / topo_gcd(a, b), b, lcm);
}

/* a b mod modulus without overflow; 0 <= a, b < modulus. */
static inline int64_t topo_mul_mod(int64_t a, int64_t b, int64_t modulus)
{
    return (int64_t)((__int128)a * b % modulus);
}

/* The inverse of a modulo `modulus`; gcd(a, modulus) = 1. 0 when modulus is 1. */
static inline int64_t topo_inverse(int64_t a, int64_t modulus)
{
    int64_t r0 = modulus, r1 = a % modulus, c0 = 0, c1 = 1;
    while (r1 > 0) {
        int64_t quotient = r0 / r1, r2 = r0 - quotient * r1, c2 = c0 - quotient * c1;
        r0 = r1;
        r1 = r2;
        c0 = c1;
        c1 = c2;
    }
    return modulus == 1 ? 0 : c0 < 0 ? c0 + modulus : c0;
}

/* a mod modulus, never negative. */
static inline int64_t topo_mod(int64_t a, int64_t modulus)
{
    int64_t rest = a % modulus;
    return rest < 0 ? rest + modulus : rest;
}

#endif
