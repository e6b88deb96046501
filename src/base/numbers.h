/* A list of numbers from 0 on, kept short where it follows a rule: the ranks of a communicator, the units of ranks.
 *
 * Placements are regular. By slot, p ranks a node, rank i is on node i / p; by node, on n nodes, on node i mod n, and
 * place i of the tree order is rank (i mod p) n + i / p. So a list is tried as
 *
 *   digits   a number plus, for each digit of i, so many times the digit, in a notation of mixed radix; by node 2
 *            digits, a package in it 3
 *   runs     as many numbers as there are in a row with one step from each to the next; by slot on uneven nodes one a
 *            node
 *   table    all numbers, where the two take more than half of it, or it is short: a table is what is read fastest. */
#ifndef TOPO_BASE_NUMBERS_H
#define TOPO_BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { TOPO_NUMBERS_DIGITS = 4 };

struct topo_numbers {
    int count;
    int *table; /* [count]; NULL: one of the others */
    bool lent;  /* the table is another's, who outlives the list */
    int digits; /* 0: runs */
    int first;  /* the number at 0 */
    struct topo_numbers_digit {
        int radix, step;
    } digit[TOPO_NUMBERS_DIGITS]; /* that of the ones first; the radix of the last is what it comes to */
    int runs;
    struct topo_numbers_run {
        int at, first, step;
    } * run; /* [runs] */
};

/* Lists of at most so many numbers stay tables. Tests set it. */
extern int topo_numbers_short;

/* table[count], which becomes part of *numbers. Free with topo_numbers_free(). */
void topo_numbers_take(struct topo_numbers *numbers, int *table, int count);

/* table[count] as such a list, which does not own it. */
static inline struct topo_numbers topo_numbers_view(const int *table, int count)
{
    return (struct topo_numbers){.count = count, .table = (int *)(size_t)table, .lent = true};
}

/* True for a table that is the list's own and not short: one worth having in one place for several processes. */
static inline bool topo_numbers_is_long_table(const struct topo_numbers *numbers)
{
    return numbers->table && !numbers->lent && numbers->count > topo_numbers_short;
}

/* The same numbers from now on in table[count], which is the caller's and outlives the list. */
void topo_numbers_lend(struct topo_numbers *numbers, int *table);

/* Keeps them by a rule if there is one; else, and where memory is out, as they are. */
void topo_numbers_shorten(struct topo_numbers *numbers);

void topo_numbers_free(struct topo_numbers *numbers);

/* topo_numbers_at() of one without a table. */
int topo_numbers_by_rule(const struct topo_numbers *numbers, int i);

/* Number i, 0 <= i < count. */
static inline int topo_numbers_at(const struct topo_numbers *numbers, int i)
{
    return numbers->table ? numbers->table[i] : topo_numbers_by_rule(numbers, i);
}

/* The same numbers, however they are kept. */
bool topo_numbers_equal(const struct topo_numbers *a, const struct topo_numbers *b);

/* Bytes beside the struct. */
static inline size_t topo_numbers_bytes(const struct topo_numbers *numbers)
{
    return numbers->table ? (size_t)numbers->count * sizeof *numbers->table
                          : (size_t)numbers->runs * sizeof *numbers->run;
}

/* As integers, for sending: topo_numbers_pack() writes topo_numbers_packed() of them. topo_numbers_unpack() reads as
 * many of ints[most] as belong to one list, of `count` numbers below `end`; how many, 0 where they do not hold such a
 * list or, with *out_of_memory, memory is out. */
size_t topo_numbers_packed(const struct topo_numbers *numbers);
void topo_numbers_pack(const struct topo_numbers *numbers, int *ints);
size_t topo_numbers_unpack(const int *ints, size_t most, int count, int end, struct topo_numbers *numbers,
                           bool *out_of_memory);

#endif
