/* Where a program's time in collective operations goes: a row for each operation and length. */
#ifndef TOPO_PREDICT_CALL_TIMES_H
#define TOPO_PREDICT_CALL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

enum { TOPO_CALL_VECTORS = -1 }; /* as a class of lengths: each call has many */

struct topo_call_row {
    const char *operation; /* as in TOPOMPI_<OPERATION>, lower case; static */
    int length;            /* class k > 0: 2^(k-1) < bytes <= 2^k, class 0: 0 and 1, TOPO_CALL_VECTORS */
    long calls;            /* of communicators, not of ranks */
    double communication, synchronization; /* seconds of all ranks together */
};

/* Start with {0}. */
struct topo_call_times {
    struct topo_call_row *row;
    int count;
};

/* Class of so many bytes. */
int topo_call_length(uint64_t bytes);

/* Adds what `more` holds to its row, made when it is new. False: out of memory. */
bool topo_call_times_add(struct topo_call_times *times, const struct topo_call_row *more);

/* Most time first. */
void topo_call_times_sort(struct topo_call_times *times);

void topo_call_times_free(struct topo_call_times *times);

#endif
