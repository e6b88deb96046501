/* What libtopompi.so counts of a program's calls of MPI by name, read by a core and kept in the report's sheets. */
#ifndef TOPO_CATALOG_FUNCTION_H
#define TOPO_CATALOG_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

/* TOPO_FUNCTION_Allgather, ...: operations first, in the order of enum topo_operation. */
enum topo_function {
#define FUNCTION(group, Name, ...) TOPO_FUNCTION_##Name,
#include "catalog/functions.def"
    TOPO_FUNCTION_Pcontrol,
    TOPO_FUNCTION_COUNT
};

enum topo_function_group {
    TOPO_GROUP_COLLECTIVE,
    TOPO_GROUP_NONBLOCKING,
    TOPO_GROUP_MESSAGE,
    TOPO_GROUP_WAIT,
    TOPO_GROUP_PROBE,
    TOPO_GROUP_RMA,
    TOPO_GROUP_FILE,
    TOPO_GROUP_COMM,
    TOPO_GROUP_OTHER,
    TOPO_GROUP_COUNT
};

/* Of functions that are sampled each so many-th call is timed. */
enum { TOPO_FUNCTION_EACH = 17, TOPO_FUNCTION_THREADS = 8 };

/* Ticks are those of base/ticks.h. */
struct topo_function_calls {
    uint64_t calls, ticks, bytes;
};

/* Each thread counts by itself, but for the last place, which all further threads share. */
struct topo_functions {
    bool counter;                         /* of what kind ticks are */
    double tick;                          /* s; 0: nothing is counted */
    uint64_t begun, begun_ns;             /* when ticks were first read; CLOCK_MONOTONIC then */
    uint64_t started;                     /* when MPI was: the time from which shares of the run are taken */
    uint64_t last[TOPO_FUNCTION_THREADS]; /* when a thread's last call ended */
    struct topo_function_calls of[TOPO_FUNCTION_THREADS][TOPO_FUNCTION_COUNT];
};

#endif
