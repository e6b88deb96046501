/* The native collectives: what the application would have called without us. */
#ifndef TOPO_JOB_NATIVE_H
#define TOPO_JOB_NATIVE_H

#include <mpi.h>

#include "catalog/arguments.h"

/* One member per operation taken over and form of it: the MPI library's own function, as in job/mpi.h. NULL: it has no
 * form with large counts. */
struct topo_native {
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    int (*name)(TOPO_PARAMETERS(count, kinds)); \
    TOPO_IF_COUNTS(count, int (*name##_c)(TOPO_PARAMETERS_c(count, kinds));)
#include "catalog/operations.def"
};

extern struct topo_native topo_native;

#endif
