/* Block-cyclic array redistribution (docs/REFERENCES.md, Redistribution 1 and 2). */
#ifndef TOPO_SCHEDULE_REDISTRIBUTE_H
#define TOPO_SCHEDULE_REDISTRIBUTE_H

#include "schedule/matrix.h"
#include "schedule/recurrence.h"

/* B is cyclic(y) on nq senders, A is cyclic(x) on np receivers, and the loop
 * A(a1 i + b1) = F(B(a2 i + b2)) runs for i = 0 .. length-1. Element e of a
 * cyclic(x) array on n processes belongs to floor(e / x) mod n. A plain
 * redistribution has a1 = a2 = 1, b1 = b2 = 0. */
struct topo_redistribution {
    int64_t x, y;           /* >= 1 */
    int np, nq;             /* >= 1 */
    int64_t a1, b1, a2, b2; /* a >= 1; an element before the first belongs to whom the pattern gives it backwards */
    int64_t length;         /* n_s >= 0; 0 = one period */
};

/* The numbers of docs/REFERENCES.md, Redistribution 2 and 3. */
struct topo_redistribution_facts {
    int64_t period_a;   /* iterations after which the owners of A repeat */
    int64_t period_s;   /* addresses of B after which both repeat */
    int64_t iterations; /* period_s / a2 */
    int64_t address;    /* M: smallest shift of B's addresses that moves whole blocks of both arrays */
    int64_t m, n;       /* whole blocks of B and of A that the shift moves, not reduced */
    int s, t;           /* nq / gcd(m, nq), np / gcd(n, np) */
};

/* (Both in array.c.) Reads "cyclic(3)@5 -> cyclic(4)@5": from the senders' B to the receivers' A;
 * the other members become those of a plain redistribution of one period.
 * Errors: TOPO_PARSE saying what is wrong and allowed. */
enum topo_status topo_redistribution_parse(const char *text, struct topo_redistribution *redistribution,
                                           struct topo_error *error);

/* Reads the access function "a1,b1,a2,b2" into *redistribution. Errors: TOPO_PARSE. */
enum topo_status topo_redistribution_access(const char *text, struct topo_redistribution *redistribution,
                                            struct topo_error *error);

/* Errors: TOPO_INVALID (a member outside what is said above, numbers that overflow 63 bits). */
enum topo_status topo_redistribution_facts(const struct topo_redistribution *redistribution,
                                           struct topo_redistribution_facts *facts, struct topo_error *error);

/* The shift (m mod nq, n mod np), by which COM repeats when `length` is whole periods. */
struct topo_shift topo_redistribution_shift(const struct topo_redistribution *redistribution,
                                            const struct topo_redistribution_facts *facts);

/* COM: the elements that each sender has for each receiver, counted block by
 * block over one period at most. Free with topo_matrix_free(). Errors:
 * TOPO_INVALID, TOPO_UNSUPPORTED (more than 2^26 pieces of blocks in a period,
 * more than 2^24 pairs of processes), TOPO_NOMEM. */
enum topo_status topo_redistribution_matrix(const struct topo_redistribution *redistribution,
                                            struct topo_matrix **matrix, struct topo_error *error);

#endif
