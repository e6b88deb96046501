#include "intercept/guard.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/log.h"
#include "comm/native.h"

_Thread_local int topo_depth __attribute__((tls_model("initial-exec")));

topo_symbol *topo_next(const char *name)
{
    union {
        void *object;
        topo_symbol *function;
    } symbol;
    symbol.object = dlsym(RTLD_NEXT, name);
    if (!symbol.object) {
        topo_say("no %s in the libraries loaded after libtopompi.so; was it preloaded into a program of another MPI?",
                 name);
        abort();
    }
    return symbol.function;
}

void topo_next_collectives(void)
{
    topo_native.allgather =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))topo_next("MPI_Allgather");
    topo_native.allreduce =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Allreduce");
    topo_native.alltoall =
        (int (*)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm))topo_next("MPI_Alltoall");
    topo_native.alltoallv = (int (*)(const void *, const int *, const int *, MPI_Datatype, void *, const int *,
                                     const int *, MPI_Datatype, MPI_Comm))topo_next("MPI_Alltoallv");
    topo_native.bcast = (int (*)(void *, int, MPI_Datatype, int, MPI_Comm))topo_next("MPI_Bcast");
    topo_native.allgatherv = (int (*)(const void *, int, MPI_Datatype, void *, const int *, const int *, MPI_Datatype,
                                      MPI_Comm))topo_next("MPI_Allgatherv");
    topo_native.reduce =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm))topo_next("MPI_Reduce");
    topo_native.reduce_scatter =
        (int (*)(const void *, void *, const int *, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Reduce_scatter");
    topo_native.reduce_scatter_block =
        (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))topo_next("MPI_Reduce_scatter_block");
    topo_native.barrier = (int (*)(MPI_Comm))topo_next("MPI_Barrier");
}
