#include "family/family.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include <mpi.h>

#include "base/export.h"

void *topo_family_symbol(const char *name)
{
    union {
        int (*function)(MPI_Comm, int *);
        void *object;
    } known = {PMPI_Comm_rank};
    Dl_info info;
    void *found = name ? dlsym(RTLD_DEFAULT, name) : NULL;
    /* The program may have opened the library privately. */
    void *mpi = name && !found && dladdr(known.object, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (mpi) {
        found = dlsym(mpi, name);
        dlclose(mpi);
    }
    if (name && !found)
        dlerror(); /* or the program would find what failed in here */
    return found;
}

/* Does an object of this file name call MPI by PMPI_ names, as a part of the MPI library? `itself`: it is the one with
 * MPI_Init. For libtopompi.so. */
TOPO_EXPORT bool topo_core_is_mpis(const char *file, bool itself);
TOPO_EXPORT bool topo_core_is_mpis(const char *file, bool itself)
{
    static const char *const callers[] = {TOPO_MPI_CALLERS};
    for (size_t i = 0; i < sizeof callers / sizeof *callers; i++)
        if (!strncmp(file, callers[i], strlen(callers[i])))
            return true;
    return itself && TOPO_MPI_CALLS_ITSELF;
}
