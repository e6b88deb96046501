/* Sizes rounded up. */
#ifndef TOPO_BASE_ALIGN_H
#define TOPO_BASE_ALIGN_H

#include <stddef.h>

enum { TOPO_CACHE_LINE = 64 };

/* The least multiple of `unit` (not 0) that is not below `bytes`. */
static inline size_t topo_align(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

#endif
