/* A tool of the profiling interface, to be preloaded before or after the library, or linked into a program: counts
 * calls of the operations that the library takes over, from C and from Fortran, and says so on rank 0 as MPI ends, in
 * the order of catalog/operations.def. */
#include <dlfcn.h>
#include <stdio.h>

#include <mpi.h>

#include "catalog/arguments.h"

#define EXPORT __attribute__((visibility("default")))

enum {
#define OPERATION(name, Name, NAME, ...) NAME,
#include "catalog/operations.def"
    OPERATIONS
};
static int counts[OPERATIONS];

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    EXPORT void mpi_##name##_(TOPO_ADDRESSES(count, kinds), MPI_Fint *ierror); \
    int MPI_##Name(TOPO_PARAMETERS(count, kinds)) \
    { \
        counts[NAME]++; \
        return PMPI_##Name(TOPO_ARGUMENTS(count, kinds)); \
    } \
    void mpi_##name##_(TOPO_ADDRESSES(count, kinds), MPI_Fint *ierror) \
    { \
        static void (*next)(TOPO_ADDRESSES(count, kinds), MPI_Fint * ierror); \
        if (!next) /* no program in C needs it */ \
            *(void **)&next = dlsym(RTLD_DEFAULT, "pmpi_" #name "_"); \
        counts[NAME]++; \
        next(TOPO_ARGUMENTS(count, kinds), ierror); \
    }
#include "catalog/operations.def"

static void report(void)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank)
        return;
    fprintf(stderr, "counted:");
    for (int i = 0; i < OPERATIONS; i++)
        fprintf(stderr, " %d", counts[i]);
    fprintf(stderr, "\n");
}

int MPI_Finalize(void)
{
    report();
    return PMPI_Finalize();
}

EXPORT void mpi_finalize_(MPI_Fint *ierror);
void mpi_finalize_(MPI_Fint *ierror)
{
    report();
    ((void (*)(MPI_Fint *))dlsym(RTLD_DEFAULT, "pmpi_finalize_"))(ierror);
}
