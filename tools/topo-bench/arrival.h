/* How late ranks come to a call. No MPI here. */
#ifndef TOPO_BENCH_ARRIVAL_H
#define TOPO_BENCH_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

enum bench_arrival {
    BENCH_TOGETHER,    /* nobody */
    BENCH_LATE_RANK,   /* one rank, the middle one */
    BENCH_LATE_NODE,   /* all ranks of one node, the middle one */
    BENCH_LATE_RAMP,   /* each later than the rank before it */
    BENCH_LATE_RANDOM, /* each at random, in every call anew */
    BENCH_ARRIVALS
};

/* Where a rank is among the others; nodes are numbered from 0. */
struct bench_place {
    int rank, ranks, node, nodes;
};

/* "together", "rank", "node", "ramp", "random". */
const char *bench_arrival_word(enum bench_arrival arrival);

/* One late node says something only where there are others. */
bool bench_arrival_applies(enum bench_arrival arrival, const struct bench_place *place);

/* 0 to 1, of the most that any rank is late. The same for the same call, so that what is compared meets the same. */
double bench_lateness(enum bench_arrival arrival, const struct bench_place *place, uint64_t call);

#endif
