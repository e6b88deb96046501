/* Arrays with a count, or a displacement, for each rank: of int as MPI_X gets them, or of MPI_Count or MPI_Aint as
 * MPI_X_c does. They are looked at before anything else in short calls: many int four at a time, half an instruction
 * for each. */
#ifndef TOPO_BASE_COUNTS_H
#define TOPO_BASE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Such an array, which is the caller's. */
struct topo_counts {
    const void *at; /* NULL: there is none */
    size_t each;    /* bytes of each: those of an int or of an int64_t */
};

/* Of a pointer to one of these types. */
#define TOPO_COUNTS(array) ((struct topo_counts){(array), sizeof *(array)})

static inline bool topo_counts_are_int(struct topo_counts counts)
{
    return counts.each == sizeof(int);
}

static inline int64_t topo_counts_of(struct topo_counts counts, int rank)
{
    int64_t count;
    if (topo_counts_are_int(counts))
        return ((const int *)counts.at)[rank];
    memcpy(&count, (const char *)counts.at + (size_t)rank * sizeof count,
           sizeof count); /* MPI's type has another name */
    return count;
}

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

/* The same of counts of either type; bits above the 31st say no more than that there are some. */
static inline uint32_t topo_counts_any(struct topo_counts counts, int ranks, uint32_t *sum)
{
    uint64_t bits = 0;
    if (topo_counts_are_int(counts))
        return topo_counts_bits(counts.at, ranks, sum);
    *sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
        bits |= (uint64_t)topo_counts_of(counts, rank);
        *sum += (uint32_t)topo_counts_of(counts, rank);
    }
    return bits > INT32_MAX ? UINT32_MAX : (uint32_t)bits;
}

/* The sum. TOPO_COUNTS_UNKNOWN where there are none, one of them is negative, or some are so large that the sum may
 * have more than 31 bits. */
static inline uint64_t topo_counts_total(struct topo_counts counts, int ranks)
{
    uint32_t sum = 0, most = counts.at ? topo_counts_any(counts, ranks, &sum) : UINT32_MAX;
    return (uint64_t)most * (uint64_t)ranks <= INT32_MAX ? sum : TOPO_COUNTS_UNKNOWN; /* no count has more bits */
}

/* There are some, and none is negative. */
static inline bool topo_counts_are_valid(struct topo_counts counts, int ranks)
{
    uint32_t sum;
    bool valid = counts.at;
    if (valid && topo_counts_are_int(counts))
        return topo_counts_bits(counts.at, ranks, &sum) <= INT32_MAX;
    for (int rank = 0; valid && rank < ranks; rank++)
        valid = topo_counts_of(counts, rank) >= 0;
    return valid;
}

#endif
