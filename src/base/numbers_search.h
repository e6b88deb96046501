/* A list of numbers that can only be asked which of a few numbers some of its places hold, as MPI's groups of processes
 * can. To ask each place about all numbers takes a time that grows with the square of them; lists that programs make
 * follow some rule, so the next numbers are guessed. */
#ifndef TOPO_BASE_NUMBERS_SEARCH_H
#define TOPO_BASE_NUMBERS_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

/* The list, of different numbers from 0 on. Both return 0, or a code that ends the search. */
struct topo_numbers_asked {
    void *context;
    /* For each of `count` places from `first` on: found[i] is the index in number[0 .. numbers - 1] of what the place
     * holds, or below 0 where it holds none of them. */
    int (*some)(void *context, int first, int count, const int *number, int numbers, int *found);
    /* *number is what a place holds; below 0: no number. Takes a time that grows with `end`. */
    int (*any)(void *context, int place, int *number);
};

/* Fills table[count] with numbers below `end`, those of the list. *all becomes false where a place holds no number, or
 * where the list follows no rule and any() would look at more than `most` numbers in all. What is asked follows from
 * the list alone: equal lists get equal answers. Linear in `count` and `end` for lists that go up and for those whose
 * steps repeat after any number of places; of others each place takes as long as any(). Returns 0 or what a question
 * returned.
 */
int topo_numbers_search(const struct topo_numbers_asked *list, int count, int end, uint64_t most, int *table,
                        bool *all);

#endif
