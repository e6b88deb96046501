/* topo_<operation>(), one for each row of catalog/operations.def: MPI_<Operation> with the algorithm that the options
 * or the selector name; `forced` (may be NULL) overrides both. Then MPI's own arguments. Errors are raised on the
 * communicator. */
#ifndef TOPO_COLL_OPERATIONS_H
#define TOPO_COLL_OPERATIONS_H

#include <mpi.h>

#include "catalog/algorithm.h"
#include "catalog/arguments.h"

#define OPERATION(name, Name, NAME, option, number, communication, count, kinds, record) \
    int topo_##name(const struct topo_algorithm *forced, TOPO_PARAMETERS(count, kinds));
#include "catalog/operations.def"

#endif
