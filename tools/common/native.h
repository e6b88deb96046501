/* The MPI library's own functions, for programs that run with libtopompi.so loaded and compare. No name reaches them: a
 * preloaded library may define MPI_X and PMPI_X. NATIVE(Allreduce)(...) calls MPI's, looked up once in each place. */
#ifndef TOPO_TOOLS_COMMON_NATIVE_H
#define TOPO_TOOLS_COMMON_NATIVE_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

/* `symbol` of the object that has PMPI_Get_version, which nobody takes over. Ends the process where there is none. */
static inline void *native_symbol(const char *symbol)
{
    Dl_info info = {0};
    void *version = dlsym(RTLD_DEFAULT, "PMPI_Get_version"), *object = NULL, *function = NULL;
    if (version && dladdr(version, &info))
        object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (object) {
        function = dlsym(object, symbol);
        dlclose(object); /* it stays: the program needs it */
    }
    if (!function) {
        fprintf(stderr, "no %s in %s\n", symbol, info.dli_fname ? info.dli_fname : "this program");
        abort();
    }
    return function;
}

#define NATIVE(name) \
    (__extension__({ \
        static _Atomic(__typeof__(&PMPI_##name)) known_; \
        if (!known_) \
            known_ = (__typeof__(&PMPI_##name))native_symbol("PMPI_" #name); \
        known_; \
    }))

#endif
