/* TOPOMPI_TUNING=learn:PATH: the first calls of every size class try the
 * candidates in turn, all ranks agree on the medians, and what was learnt is
 * appended to the file at finalize. Opt-in: results of reductions may differ in
 * the last bits while different algorithms take turns. */
#ifndef TOPO_COLL_CALL_LEARN_H
#define TOPO_COLL_CALL_LEARN_H

#include <stddef.h>

#include <mpi.h>

#include "comm/comm.h"
#include "catalog/algorithm.h"

/* The algorithm for this call, collective over the communicator; NULL when
 * nothing is to be learnt here (not asked for, or the tuning file knows already). */
const struct topo_algorithm *topo_learn_pick(struct topo_comm *state, enum topo_operation operation, size_t bytes);

/* The call that topo_learn_pick() decided took `seconds`. */
void topo_learn_record(struct topo_comm *state, enum topo_operation operation, size_t bytes, double seconds);

/* True when calls are to be timed for learning. */
bool topo_learn_wanted(void);

struct topo_trials;

/* Frees what a communicator learnt; NULL is harmless. */
void topo_learn_forget(struct topo_trials *trials);

/* Collective over MPI_COMM_WORLD, at finalize: rank 0 appends what all ranks learnt to the file. */
void topo_learn_finish(void);

#endif
