/* What the program found.c hears from the tool found_tool.c. */
#ifndef TOPO_TESTS_PRELOAD_FOUND_H
#define TOPO_TESTS_PRELOAD_FOUND_H

struct found_tool {
    int gathers; /* native calls of MPI_Allgather */
    int sums;    /* and of MPI_Allreduce, those of doubles */
};

#endif
