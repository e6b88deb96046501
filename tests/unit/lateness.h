/* How late ranks come to a call, in tests of what the guard makes of calls. */
#ifndef TOPO_TESTS_UNIT_LATENESS_H
#define TOPO_TESTS_UNIT_LATENESS_H

enum { RANKS = 16, CALLS = 2000 };
enum lateness_pattern { NOBODY, ONE_RANK, ONE_NODE, RAMP, RANDOM };

/* Of uniform(); a test that repeats a row of numbers sets it to LATENESS_SEED. */
#define LATENESS_SEED 88172645463325252UL
static unsigned long lateness_state = LATENESS_SEED;

/* 0 to 1. */
static inline double uniform(void)
{
    lateness_state ^= lateness_state << 13;
    lateness_state ^= lateness_state >> 7;
    lateness_state ^= lateness_state << 17;
    return (double)(lateness_state >> 11) / (double)(1UL << 53);
}

/* 0 to 1, of the most that any rank is late. */
static inline double lateness(enum lateness_pattern pattern, int rank)
{
    switch (pattern) {
    case NOBODY: return 0;
    case ONE_RANK: return rank == 3;
    case ONE_NODE: return rank / 4 == 2;
    case RAMP: return (double)rank / (RANKS - 1);
    case RANDOM: return uniform();
    }
    return 0;
}

#endif
