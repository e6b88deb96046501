/* How often ranks refused to open channels, for later communicators of the same ranks in the same order: these ask as
 * late as the last one would have asked again, and so, where such communicators do not live that long, not at all.
 *
 * All ranks of a communicator must know the same before it sends any message. What is here was agreed on in a call of a
 * communicator of these very ranks, in which all of them waited for each other, and a communicator knows what was here
 * as its constructor returned, which does on no rank before all have come (tests/mpi/test_constructors). Had one rank
 * kept something before it and another after it, each would have waited for the other. So each rank made them in the
 * same order, as long as it has one thread that calls MPI; where some rank may have more, or no room, nothing is kept.
 * MPI_Comm_idup() waits for nobody: what it makes knows nothing, on all ranks (comm/early.h). */
#ifndef TOPO_COMM_REFUSALS_H
#define TOPO_COMM_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

/* Of the latest communicator. */
struct topo_refusals {
    unsigned char times;
    bool one_form; /* it was a call that has to take one form that was refused */
};

/* So many are kept. */
unsigned topo_refusals_count(void);

/* The latest of the first `known` of these ranks (struct topo_comm_group). */
struct topo_refusals topo_refusals_of(uint64_t members, unsigned known);

/* Whether one more may be kept, as far as this rank is concerned. */
bool topo_refusals_have_room(void);

/* Keeps it, if it is another one than the latest. */
void topo_refusals_add(uint64_t members, struct topo_refusals refusals);

/* None are. */
void topo_refusals_stop(void);

#endif
