/* Counting sort by two small keys. */
#ifndef TOPO_SCHEDULE_SORT_H
#define TOPO_SCHEDULE_SORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

/* A key of an item, from 0. */
typedef int64_t topo_sort_key(const void *items, int64_t index);

/* start[key + 1] counts the items of a key; then start[key] is where they begin. */
static inline void topo_sort_starts(int64_t *start, int64_t keys)
{
    for (int64_t k = 0; k < keys; k++)
        start[k + 1] += start[k];
}

/* One stable pass; `from` NULL: the items as they are. start[keys + 1] is scratch. */
static inline void topo_sort_pass(const void *items, int64_t count, topo_sort_key *key, int64_t keys,
                                  const int64_t *from, int64_t *to, int64_t *start)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int64_t i = 0; i < count; i++)
        start[key(items, i) + 1]++;
    topo_sort_starts(start, keys);
    for (int64_t i = 0; i < count; i++) {
        int64_t item = from ? from[i] : i;
        to[start[key(items, item)]++] = item;
    }
}

/* order[] = the items by `first`, equal ones by `second`, stable; keys below `firsts` and `seconds`. False: out of
 * memory. Inline, so that the keys are read where they are. */
static inline bool topo_sort(const void *items, int64_t count, topo_sort_key *first, int64_t firsts,
                             topo_sort_key *second, int64_t seconds, int64_t *order)
{
    TOPO_SCOPED int64_t *by_second = topo_alloc((size_t)count, sizeof *by_second);
    TOPO_SCOPED int64_t *start = topo_alloc((size_t)(firsts > seconds ? firsts : seconds) + 1, sizeof *start);
    if (!by_second || !start)
        return false;
    topo_sort_pass(items, count, second, seconds, NULL, by_second, start);
    topo_sort_pass(items, count, first, firsts, by_second, order, start);
    return true;
}

#endif
