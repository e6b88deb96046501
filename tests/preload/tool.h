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

static inline void tool_wait(double seconds)
{
    for (double start = PMPI_Wtime(); PMPI_Wtime() - start < seconds;)
        ;
}

#endif
