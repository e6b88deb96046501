/* The recurrence of a communication table (docs/REFERENCES.md, Redistribution 3), given or found. */
#ifndef TOPO_SCHEDULE_RECURRENCE_H
#define TOPO_SCHEDULE_RECURRENCE_H

#include "schedule/matrix.h"

/* COM(i, j) = COM((i + m) mod senders, (j + n) mod receivers) for all i, j.
 * 0 <= m < senders, 0 <= n < receivers; (0, 0) says nothing. */
struct topo_shift {
    int m, n;
};

/* Is it so? O(messages * log of a row). */
bool topo_shift_holds(const struct topo_matrix *matrix, struct topo_shift shift);

/* Can CSS algorithm 1 run with it: gcd(m, senders) = 1 and receivers / gcd(n, receivers) >= senders. */
bool topo_shift_is_single(const struct topo_matrix *matrix, struct topo_shift shift);

/* Finds a shift by which the table repeats. The shifts that leave it alone are a
 * group; taken is one of its members that algorithm 1 can use if there is one,
 * else one with the longest orbit; *shift is (0, 0) when the table does not
 * repeat. O(messages + divisors(senders) * senders). Errors: TOPO_NOMEM. */
enum topo_status topo_shift_find(const struct topo_matrix *matrix, struct topo_shift *shift, struct topo_error *error);

#endif
