/* Recurrences that a table has but for a remainder: as where an array's length is not a multiple of the period, or
 * where a program copies its own part itself. Internal to schedule/. */
#ifndef TOPO_SCHEDULE_NEAR_SHIFT_H
#define TOPO_SCHEDULE_NEAR_SHIFT_H

#include "schedule/recurrence.h"

/* A table in full, for looking it through again and again. */
struct topo_dense {
    int rows, columns;
    int64_t *cell; /* [rows * columns] */
};

/* dense->cell is NULL where the table has more than 2^22 pairs: too many to look for near recurrences. False when
 * memory is out; topo_dense_free() in every case. `transposed` exchanges senders and receivers. */
bool topo_dense_of(const struct topo_matrix *matrix, bool transposed, struct topo_dense *dense);
void topo_dense_free(struct topo_dense *dense);

/* The shift (1, n) for algorithm 1 whose steps, each as long as its longest message, are shortest together; false
 * when the table has none or memory is out. A step sends (i, j) with j - n i = step. The duration is looked at in
 * full for the n that are best on some rows. O(columns^2 * rows), less above 2^27. */
bool topo_near_single(const struct topo_dense *dense, struct topo_shift *shift, bool *memory);

/* The shift by which the table changes least, of those that change it about as little the one with the longest orbit;
 * (0, 0) when there is none. O(divisors(rows) * columns^2 * rows), less above 2^27. */
struct topo_shift topo_near_shift(const struct topo_dense *dense);

/* The table that repeats by `shift` and to which the given one is near: each pair weighs what the heaviest of its
 * orbit does, and orbits that differ by no more than the pairs of one do are of one weight. *beyond is the weight
 * that messages have above the least of their orbit, altogether: the remainder. Free with topo_matrix_free().
 * Errors: TOPO_NOMEM. */
enum topo_status topo_near_base(const struct topo_dense *dense, struct topo_shift shift, struct topo_matrix **base,
                                int64_t *beyond, struct topo_error *error);

#endif
