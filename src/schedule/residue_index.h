/* Where an element of a repeating table stands in its orbit. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_RESIDUE_INDEX_H
#define TOPO_SCHEDULE_RESIDUE_INDEX_H

#include "schedule/numbers.h"
#include "schedule/recurrence.h"

/* A table that repeats by (m, n) falls into s x t blocks of high x wide elements;
 * a shift takes block (a, b) to (a + u, b + v), u and v prime to s and t. Block
 * (a, b) is reached from (0, h) by k shifts: k = a / u modulo s, and what b lacks
 * then is made up by further multiples of s, as far as it is a multiple of
 * gcd(s, t); the remainder is the group h of the block. */
struct topo_residue_index {
    int64_t s, t, u, v, high, wide;
    int64_t groups; /* f = gcd(s, t), of lcm(s, t) blocks each */
    int64_t inverse_u, inverse_sv;
};

struct topo_orbit_place {
    int group;        /* h */
    int64_t position; /* k, 0 .. lcm(s, t)-1 */
};

struct topo_residue_index topo_residue_index_of(const struct topo_matrix *matrix, struct topo_shift shift);

/* The block of element (i, j). */
struct topo_orbit_place topo_residue_index_locate(const struct topo_residue_index *residues, int i, int j);

#endif
