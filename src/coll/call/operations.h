/* The functions of each row of catalog/operations.def. */
#ifndef TOPO_COLL_CALL_OPERATIONS_H
#define TOPO_COLL_CALL_OPERATIONS_H

#include <stdbool.h>

#include <mpi.h>

#include "base/counts.h"
#include "catalog/algorithm.h"
#include "catalog/arguments.h"

struct topo_call;

/* topo_<operation>(): MPI_<Operation> with the algorithm that the options or the selector name; `forced` (may be NULL)
 * overrides both. Then MPI's own arguments. Errors are raised on the communicator. topo_auto_<operation>() is the same
 * without `forced`. topo_<operation>_c() and topo_auto_<operation>_c() are the same of MPI_<Operation>_c. operations.c
 * defines them, by the two that an operation defines itself, which take the counts of either:
 *
 * topo_<operation>_examine() says whether the arguments are such that the native call has nothing to report, as far as
 * can be told from them alone; it may set call->handles, and sets of call->root, ->is_roots and ->counts what it has.
 *
 * topo_<operation>_run() sets call->bytes, chooses by topo_call_choose() and, unless that is native, sets call->ran and
 * runs. Returns an MPI error code, which is raised, or what an algorithm returned; with call->ran native and
 * MPI_SUCCESS the native call follows. */
#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    int topo_auto_##name(TOPO_PARAMETERS(count, kinds)); \
    int topo_##name(const struct topo_algorithm *forced, TOPO_PARAMETERS(count, kinds)); \
    TOPO_IF_COUNTS(count, int topo_auto_##name##_c(TOPO_PARAMETERS_c(count, kinds)); \
                   int topo_##name##_c(const struct topo_algorithm *forced, TOPO_PARAMETERS_c(count, kinds));) \
    bool topo_##name##_examine(struct topo_call *call, TOPO_ANY_PARAMETERS(count, kinds)); \
    int topo_##name##_run(struct topo_call *call, TOPO_ANY_PARAMETERS(count, kinds));
#include "catalog/operations.def"

#endif
