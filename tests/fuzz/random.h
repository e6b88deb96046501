/* Random numbers that follow from the seed alone: the same on every rank that asks with the same words. */
#ifndef TOPO_TESTS_FUZZ_RANDOM_H
#define TOPO_TESTS_FUZZ_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fuzz_random {
    uint64_t state;
};

/* splitmix64 */
static inline uint64_t fuzz_next(struct fuzz_random *random)
{
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* The stream that belongs to four numbers. */
static inline struct fuzz_random fuzz_stream(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    struct fuzz_random random = {a};
    random.state = fuzz_next(&random) + b;
    random.state = fuzz_next(&random) + c;
    random.state = fuzz_next(&random) + d;
    fuzz_next(&random);
    return random;
}

/* 0 … n − 1; 0 for n < 1. */
static inline int fuzz_below(struct fuzz_random *random, int n)
{
    uint64_t next = fuzz_next(random) >> 16;
    return n < 1 ? 0 : (int)(next % (uint64_t)n);
}

/* low … high */
static inline int fuzz_between(struct fuzz_random *random, int low, int high)
{
    return low + fuzz_below(random, high - low + 1);
}

static inline bool fuzz_chance(struct fuzz_random *random, int percent)
{
    return fuzz_below(random, 100) < percent;
}

/* Fills `bytes` bytes. */
void fuzz_random_bytes(struct fuzz_random *random, void *block, size_t bytes);

/* Puts 0 … n − 1 in a random order. */
void fuzz_random_order(struct fuzz_random *random, int *order, int n);

#endif
