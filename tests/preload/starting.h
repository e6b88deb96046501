/* What starting_tool.c counts for the program starting.c: calls and messages that the library makes. */
#ifndef TOPO_TESTS_PRELOAD_STARTING_H
#define TOPO_TESTS_PRELOAD_STARTING_H

#include <stdbool.h>
#include <time.h>

#include <mpi.h>

/* CALL(name, parameters, arguments) */
#define CALLS(CALL) \
    CALL(Allgather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g), \
         (a, b, c, d, e, f, g)) \
    CALL(Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f)) \
    CALL(Barrier, (MPI_Comm a), (a)) \
    CALL(Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e)) \
    CALL(Comm_dup, (MPI_Comm a, MPI_Comm * b), (a, b)) \
    CALL(Comm_split, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d)) \
    CALL(Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm *e), (a, b, c, d, e)) \
    CALL(Gather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h), \
         (a, b, c, d, e, f, g, h)) \
    CALL(Reduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g), (a, b, c, d, e, f, g)) \
    CALL(Scatter, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h), \
         (a, b, c, d, e, f, g, h))

#define NUMBER(name, parameters, arguments) name,
enum { CALLS(NUMBER) KINDS };

struct starting_counts {
    int calls[KINDS + 1]; /* the last: all of them */
    long messages, bytes;
    bool counting;
    double begun; /* the first call */
};
__attribute__((visibility("default"))) extern struct starting_counts starting_counts;

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
