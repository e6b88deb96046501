#include "family/family.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include <mpi.h>

#include "base/export.h"

void *topo_family_beside(void (*function)(void), const char *name)
{
    union {
        void (*function)(void);
        void *object;
    } known = {function};
    Dl_info info;
    void *library = dladdr(known.object, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    void *found = library ? dlsym(library, name) : NULL;
    if (library)
        dlclose(library);
    if (!found)
        dlerror(); /* or the program would find what failed in here */
    return found;
}

void *topo_family_symbol(const char *name)
{
    void *found = name ? dlsym(RTLD_DEFAULT, name) : NULL;
    /* The program may have opened the library privately. */
    return !name || found ? found : topo_family_beside((void (*)(void))PMPI_Comm_rank, name);
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
