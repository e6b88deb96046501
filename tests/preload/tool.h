/* For tools of the profiling interface that are preloaded after the library. */
#ifndef TOPO_TESTS_PRELOAD_TOOL_H
#define TOPO_TESTS_PRELOAD_TOOL_H

#include <dlfcn.h>

#include <mpi.h>

/* `next`: a static pointer to the function of that name that comes after this tool's. */
#define TOOL_NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) \
    *(void **)&next = dlsym(RTLD_NEXT, #name)

/* Of a tool that stands between the library and MPI, preloaded after the library, which takes the object that has
 * PMPI_Init for MPI's: what the tool defines of PMPI_X the library calls. TOOL_BOTH_NAMES: and of MPI_X, as in MPI. */
#define TOOL_BOTH_NAMES(Name) extern __typeof__(MPI_##Name) MPI_##Name __attribute__((alias("PMPI_" #Name)));
#define TOOL_BELOW_LIBRARY \
    int PMPI_Init(int *argc, char ***argv) \
    { \
        TOOL_NEXT(PMPI_Init); \
        return next(argc, argv); \
    }

static inline void tool_wait(double seconds)
{
    for (double start = PMPI_Wtime(); PMPI_Wtime() - start < seconds;)
        ;
}

#endif
