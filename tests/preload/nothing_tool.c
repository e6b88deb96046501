/* Stands in place of MPI's collectives, in the object whose PMPI_Init the program gets, and does nothing once the
 * program has said so: a native call takes no time, so that the guard finds it the fastest, and what is counted is the
 * library's work alone (tests/preload/short_way.c). */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>

#include "catalog/arguments.h"

static bool does_nothing;

__attribute__((visibility("default"))) void nothing_begins(void);
void nothing_begins(void)
{
    int begun; /* of MPI's own library, which the linker leaves out where nothing asks for it: then there is no core */
    does_nothing = PMPI_Initialized(&begun) == MPI_SUCCESS && begun;
}

#define CALL(Name, parameters, arguments) \
    int PMPI_##Name parameters \
    { \
        int(*mpis) parameters = does_nothing ? NULL : (int(*) parameters)dlsym(RTLD_NEXT, "PMPI_" #Name); \
        return mpis ? mpis arguments : MPI_SUCCESS; \
    } \
    int MPI_##Name parameters \
    { \
        return PMPI_##Name arguments; \
    }
CALL(Init, (int *argc, char ***argv), (argc, argv))
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    CALL(Name, (TOPO_PARAMETERS(count, kinds)), (TOPO_ARGUMENTS(count, kinds)))
#include "catalog/operations.def"
