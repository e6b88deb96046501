#include "topo-bench/irregular.h"

#include "topo-bench/pattern.h"

size_t bench_irregular_bytes(int from, int to, size_t mean)
{
    /* The seed is a round that no message has. */
    return (size_t)(bench_pattern_word((uint64_t)from, UINT64_MAX, (size_t)to) % (2 * (uint64_t)mean + 1));
}
