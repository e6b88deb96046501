/* For programs that are linked with MPI: without job/mpi_calls.h these are the names. */
#include "job/mpi.h"
#include "job/native.h"

struct topo_mpi topo_mpi = {
#define FUNCTION(Name) .Name = PMPI_##Name,
#include "job/mpi.def"
};

TOPO_MPI_TABLES
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    TOPO_IF_COUNTS(count, __attribute__((weak)) int PMPI_##Name##_c(TOPO_PARAMETERS_c(count, kinds));)
#include "catalog/operations.def"

struct topo_native topo_native = {
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    .name = PMPI_##Name, TOPO_IF_COUNTS(count, .name##_c = PMPI_##Name##_c, )
#include "catalog/operations.def"
};
