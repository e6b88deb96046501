/* Binary search in ascending numbers. */
#ifndef TOPO_BASE_SEARCH_H
#define TOPO_BASE_SEARCH_H

#include <stdint.h>

/* Where among values[from..to), ascending and distinct, `value` is; -1: it is not there. O(log (to - from)). */
static inline int64_t topo_search(const int *values, int64_t from, int64_t to, int value)
{
    int64_t low = from, high = to;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (values[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < to && values[low] == value ? low : -1;
}

#endif
