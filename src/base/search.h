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

/* The interval that holds `value`: the highest i < count with first[i] <= value, where first[0 .. count] ascends from
 * first[0] <= value < first[count]. At once where intervals are of one length, else O(log count). */
static inline int topo_search_interval(const int *first, int count, int value)
{
    int low = 0, high = count - 1;
    int even = (int)((int64_t)(value - first[0]) * count / (first[count] - first[0]));
    if (first[even] <= value && value < first[even + 1])
        return even;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (first[middle] <= value)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

#endif
