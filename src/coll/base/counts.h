/* Arrays with a count for each rank, looked at before anything else in short calls: many four at a time, half an
 * instruction for each count. */
#ifndef TOPO_COLL_BASE_COUNTS_H
#define TOPO_COLL_BASE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What topo_counts_total() returns of counts that it does not add up. */
#define TOPO_COUNTS_UNKNOWN UINT64_MAX

/* All bits that are set in some of the counts; *sum: of them, modulo 2^32. */
static inline uint32_t topo_counts_bits(const int *counts, int ranks, uint32_t *sum)
{
    enum { MANY = 16 };
    typedef uint32_t four __attribute__((vector_size(16)));
    four added = {0}, any = {0}, next;
    uint32_t bits = 0;
    int rank = 0;
    *sum = 0;
    if (ranks >= MANY) {
        for (; rank + 4 <= ranks; rank += 4) {
            memcpy(&next, counts + rank, sizeof next);
            added += next;
            any |= next;
        }
        *sum = added[0] + added[1] + added[2] + added[3];
        bits = any[0] | any[1] | any[2] | any[3];
    }
    for (; rank < ranks; rank++) {
        *sum += (uint32_t)counts[rank];
        bits |= (uint32_t)counts[rank];
    }
    return bits;
}

/* The sum. TOPO_COUNTS_UNKNOWN where counts is NULL, one of them is negative, or some are so large that the sum may
 * have more than 31 bits. */
static inline uint64_t topo_counts_total(const int *counts, int ranks)
{
    uint32_t sum = 0, most = counts ? topo_counts_bits(counts, ranks, &sum) : UINT32_MAX;
    return (uint64_t)most * (uint64_t)ranks <= INT32_MAX ? sum : TOPO_COUNTS_UNKNOWN; /* no count has more bits */
}

static inline bool topo_counts_are_valid(const int *counts, int ranks)
{
    uint32_t sum;
    return counts && topo_counts_bits(counts, ranks, &sum) <= INT32_MAX;
}

#endif
