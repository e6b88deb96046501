/* A dictionary of names: each distinct one has a number, in the order of addition. */
#ifndef TOPO_MACHINE_NAMES_H
#define TOPO_MACHINE_NAMES_H

#include <stddef.h>

/* Start with {0}; free with topo_names_free(). */
struct topo_names {
    int count;
    size_t *begin;          /* [count] offset of each name in `pool` */
    char *pool;             /* the names, NUL-terminated, one after the other */
    size_t used, pool_size; /* bytes */
    int *slots;             /* hash table of 2^bits numbers, -1 = free */
    int bits;
};

/* Number of the name of `length` bytes, which is added when it is new (then the
 * number is the old `count`). -1 when out of memory or when it holds a NUL. */
int topo_names_add(struct topo_names *names, const char *name, size_t length);

/* Number of the name, -1 when it was never added. */
int topo_names_find(const struct topo_names *names, const char *name, size_t length);

/* The name of a number; valid until the next addition. */
const char *topo_names_get(const struct topo_names *names, int number);

void topo_names_free(struct topo_names *names);

#endif
