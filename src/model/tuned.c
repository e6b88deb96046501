/* The decisions of Open MPI 4.1's tuned component as data: which algorithm it
 * takes by number of ranks and bytes (its coll_tuned_decision_fixed.c, version
 * 4.1.4; docs/REFERENCES.md, Node exchanges 3). Placement plays no part. */
#include "model/cost_parts.h"

/* The first row with more ranks than the call has decides, and in it the first entry with more bytes. */
struct rule {
    int ranks;
    struct {
        size_t bytes;
        enum topo_tuned algorithm;
    } below[8];
};

#define ANY_RANKS INT32_MAX
#define ANY_BYTES SIZE_MAX
#define B TOPO_TUNED_BRUCK
#define D TOPO_TUNED_RECURSIVE_DOUBLING
#define R TOPO_TUNED_RING
#define N TOPO_TUNED_NEIGHBOUR
#define F TOPO_TUNED_RABENSEIFNER
#define L TOPO_TUNED_LINEAR
#define P TOPO_TUNED_PAIRWISE

static const struct rule allgather[] = {
    {32, {{ANY_BYTES, D}}},
    {64, {{1024, D}, {65536, N}, {ANY_BYTES, R}}},
    {128, {{512, D}, {65536, N}, {ANY_BYTES, R}}},
    {256, {{512, D}, {131072, N}, {524288, R}, {1048576, N}, {ANY_BYTES, R}}},
    {512, {{32, D}, {128, B}, {1024, D}, {131072, N}, {524288, R}, {1048576, N}, {ANY_BYTES, R}}},
    {1024, {{64, D}, {256, B}, {2048, D}, {ANY_BYTES, N}}},
    {2048, {{4, D}, {8, B}, {16, D}, {32, B}, {256, D}, {512, B}, {4096, D}, {ANY_BYTES, N}}},
    {4096, {{32, B}, {128, D}, {512, B}, {4096, D}, {ANY_BYTES, N}}},
    {ANY_RANKS, {{2, D}, {8, B}, {16, D}, {512, B}, {4096, D}, {ANY_BYTES, N}}},
};

/* Segmented rings count as rings. */
static const struct rule allreduce[] = {
    {4, {{8, R}, {4096, D}, {8192, R}, {16384, D}, {262144, R}, {ANY_BYTES, F}}},
    {8, {{16, R}, {8192, D}, {ANY_BYTES, F}}},
    {16, {{8192, D}, {ANY_BYTES, F}}},
    {32, {{64, R}, {4096, D}, {ANY_BYTES, F}}},
    {64, {{128, R}, {ANY_BYTES, F}}},
    {128, {{262144, D}, {ANY_BYTES, F}}},
    {256, {{131072, L}, {262144, D}, {ANY_BYTES, F}}},
    {512, {{4096, L}, {ANY_BYTES, F}}},
    {2048, {{2048, L}, {16384, D}, {ANY_BYTES, F}}},
    {4096, {{2048, L}, {4096, R}, {16384, D}, {ANY_BYTES, F}}},
    {ANY_RANKS, {{2048, L}, {16384, R}, {32768, D}, {ANY_BYTES, F}}},
};

/* "Linear with sync", which has some messages less under way at once, counts as linear; what two ranks do is one
 * exchange whatever its name. */
static const struct rule alltoall[] = {
    {3, {{ANY_BYTES, P}}},
    {8, {{524288, L}, {1048576, P}, {ANY_BYTES, L}}},
    {16, {{ANY_BYTES, L}}},
    {32, {{4, L}, {512, B}, {ANY_BYTES, L}}},
    {64, {{512, B}, {ANY_BYTES, L}}},
    {256, {{1024, B}, {262144, L}, {ANY_BYTES, P}}},
    {512, {{1024, B}, {32768, L}, {ANY_BYTES, P}}},
    {1024, {{512, B}, {262144, L}, {ANY_BYTES, P}}},
    {2048, {{512, B}, {ANY_BYTES, L}}},
    {4096, {{1024, B}, {ANY_BYTES, L}}},
    {ANY_RANKS, {{2048, B}, {ANY_BYTES, L}}},
};

static enum topo_tuned decide(const struct rule *rule, int ranks, size_t bytes)
{
    int i = 0;
    while (ranks >= rule->ranks)
        rule++;
    while (bytes >= rule->below[i].bytes && rule->below[i].bytes != ANY_BYTES)
        i++;
    return rule->below[i].algorithm;
}

enum topo_tuned topo_tuned_allgather(int ranks, size_t bytes)
{
    enum topo_tuned algorithm = decide(allgather, ranks, bytes);
    /* Both hand over to another themselves where they do not work. */
    if (algorithm == D && (ranks & (ranks - 1)) != 0)
        return B;
    if (algorithm == N && ranks % 2 != 0)
        return R;
    return algorithm;
}

enum topo_tuned topo_tuned_allreduce(int ranks, size_t bytes)
{
    enum topo_tuned algorithm = decide(allreduce, ranks, bytes);
    /* With fewer elements than ranks a ring hands over to doubling, halving to the linear form. */
    if (bytes / 8 >= (size_t)ranks)
        return algorithm;
    return algorithm == R ? D : algorithm == F ? L : algorithm;
}

enum topo_tuned topo_tuned_alltoall(int ranks, size_t bytes)
{
    return decide(alltoall, ranks, bytes);
}

enum topo_tuned topo_tuned_alltoallv(int ranks)
{
    bool pairwise = ranks < 4 || (ranks >= 64 && ranks < 128) || (ranks >= 256 && ranks < 1024);
    return pairwise ? TOPO_TUNED_PAIRWISE : TOPO_TUNED_LINEAR;
}
