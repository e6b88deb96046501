#include "topo-bench/arrival.h"

#include "topo-bench/pattern.h"

const char *bench_arrival_word(enum bench_arrival arrival)
{
    static const char *const words[BENCH_ARRIVALS] = {"together", "rank", "node", "ramp", "random"};
    return words[arrival];
}

bool bench_arrival_applies(enum bench_arrival arrival, const struct bench_place *place)
{
    return arrival != BENCH_LATE_NODE || place->nodes > 1;
}

double bench_lateness(enum bench_arrival arrival, const struct bench_place *place, uint64_t call)
{
    switch (arrival) {
    case BENCH_LATE_RANK: return place->rank == place->ranks / 2;
    case BENCH_LATE_NODE: return place->node == place->nodes / 2;
    case BENCH_LATE_RAMP: return place->ranks > 1 ? (double)place->rank / (place->ranks - 1) : 0;
    case BENCH_LATE_RANDOM: return (double)(bench_pattern_word((uint64_t)place->rank, call, 0) >> 11) * 0x1p-53;
    case BENCH_TOGETHER:
    case BENCH_ARRIVALS: break;
    }
    return 0;
}
