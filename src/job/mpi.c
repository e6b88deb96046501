/* For programs that are linked with MPI: without job/mpi_calls.h these are the names. */
#include "job/mpi.h"
#include "job/native.h"

struct topo_mpi topo_mpi = {
#define FUNCTION(Name) .Name = PMPI_##Name,
#include "job/mpi.def"
};

TOPO_MPI_TABLES

struct topo_native topo_native = {
#define OPERATION(name, Name, ...) .name = PMPI_##Name,
#include "catalog/operations.def"
};
