/* What all operations share before the first message: which algorithm runs. */
#ifndef TOPO_COLL_CHOOSE_H
#define TOPO_COLL_CHOOSE_H

#include <stddef.h>

#include "base/options.h"
#include "comm/comm.h"
#include "select/algorithm.h"

/* The option that names the algorithm of `operation`. */
enum topo_option topo_option_of(enum topo_operation operation);

/* The algorithm for messages of `bytes` in `comm`, whose state is `state`: `forced` if not
 * NULL, else the user's, else the selector's. One that is asked for but does not
 * apply gives the native row, said once, or with TOPOMPI_STRICT=1 an MPI error in
 * *code. `refusal` is the operation's own reason why nothing but native can run
 * this call (NULL: none). Every argument but `state->rank` is equal on all
 * ranks, hence so is the answer. */
const struct topo_algorithm *topo_choose(enum topo_operation operation, const struct topo_algorithm *forced,
                                         MPI_Comm comm, struct topo_comm *state, size_t bytes, const char *refusal,
                                         int *code);

/* What would run for messages of `bytes` on `comm` as things are: no message is
 * sent, nothing is said. The native row in a passive job. */
const struct topo_algorithm *topo_planned(MPI_Comm comm, enum topo_operation operation, size_t bytes);

#endif
