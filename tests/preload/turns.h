/* What the program turns.c tells the tool turns_tool.c, and hears from it. */
#ifndef TOPO_TESTS_PRELOAD_TURNS_H
#define TOPO_TESTS_PRELOAD_TURNS_H

struct turns_tool {
    enum { TURNS_NOTHING, TURNS_NATIVE, TURNS_OURS } slow;
    int natives; /* calls of the native MPI_Allgather */
};

#endif
