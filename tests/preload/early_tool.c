/* A tool of the profiling interface, to be preloaded after the library: says what of PMIx is there before Open MPI starts. Open MPI 5
 * cannot start where PMIx is initialized already. */
#include <stdio.h>

#include "preload/tool.h"

int MPI_Init(int *argc, char ***argv)
{
    void *pmix = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_NOLOAD);
    int (*initialized)(void) = NULL;
    if (pmix)
        *(void **)&initialized = dlsym(pmix, "PMIx_Initialized");
    fprintf(stderr, "PMIx is %sinitialized before MPI_Init\n", initialized && initialized() ? "" : "not ");
    return PMPI_Init(argc, argv);
}
