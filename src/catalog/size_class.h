/* Classes of message lengths: calls of one class are alike to whoever chooses, compares or reports. */
#ifndef TOPO_CATALOG_SIZE_CLASS_H
#define TOPO_CATALOG_SIZE_CLASS_H

#include <stddef.h>

enum { TOPO_SIZE_CLASSES = 65 };

/* Class k > 0 holds 2^(k-1) < bytes <= 2^k, class 0 holds 0 and 1. */
static inline int topo_size_class(size_t bytes)
{
    return bytes < 2 ? 0 : 64 - __builtin_clzll((unsigned long long)bytes - 1);
}

/* The length in the middle of a class; 1 of classes 0 and 1. */
static inline size_t topo_size_middle(int size_class)
{
    return size_class < 2 ? 1 : (size_t)3 << (size_class - 2);
}

#endif
