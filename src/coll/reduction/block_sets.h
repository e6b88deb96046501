/* The blocks of a vector that travel together in exchanges by halving (patterns/halving.h): where they lie, how long
 * they are, and copies of those that do not lie one after the other. */
#ifndef TOPO_COLL_REDUCTION_BLOCK_SETS_H
#define TOPO_COLL_REDUCTION_BLOCK_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "patterns/halving.h"

/* A vector in blocks. */
struct topo_block_sets {
    const struct topo_halving *plan;
    char *vector;
    size_t count, bytes; /* elements, and bytes of each */
    char *packed;        /* for sets with gaps, room for the vector; from `packed_at` on it is free */
    size_t packed_at;
};

/* Elements of a set. */
size_t topo_block_set_count(const struct topo_block_sets *sets, const struct topo_block_set *set);

/* Copies the blocks of a set out of the vector, one after the other, or back into it. */
void topo_block_set_pack(const struct topo_block_sets *sets, const struct topo_block_set *set, char *packed, bool back);

/* Where the blocks of a set lie one after the other: in the vector, or, where they have gaps between them, in memory
 * that is taken from `packed`, whose contents are the caller's to copy. */
char *topo_block_set_place(struct topo_block_sets *sets, const struct topo_block_set *set);

/* True where that is not in the vector. */
static inline bool topo_block_set_is_packed(const struct topo_block_set *set)
{
    return set->count > 1;
}

#endif
