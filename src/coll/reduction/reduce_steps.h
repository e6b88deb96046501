/* Runs the steps of an all-reduce (patterns/allreduce_steps.h): messages and local reduction. */
#ifndef TOPO_COLL_REDUCTION_REDUCE_STEPS_H
#define TOPO_COLL_REDUCTION_REDUCE_STEPS_H

#include "coll/reduction/vector.h"
#include "patterns/allreduce_steps.h"

/* Where and how the messages of one call travel. */
struct topo_run {
    const struct topo_channel *channel;
    size_t packet; /* elements a packet; 0: whole blocks, each with one MPI_Sendrecv */
};

/* The synchronous variant (docs/REFERENCES.md, Reduction 5): one move after the other, whole
 * blocks, then the addition. Returns an MPI error code. */
int topo_run_blocks(const struct topo_run *run, const struct topo_vector *vector,
                    const struct topo_allreduce_steps *steps);

/* Asynchronous packets: the receive of the next packet is posted before this one
 * is added, sends are MPI_Isend, and a packet goes on as soon as it is added.
 * lists[i], i < count, are independent (disjoint segments of the vector); up to
 * `active` of them advance at a time, in this order on every rank, so that while
 * one waits for the network another one moves inside the node. */
int topo_run_packets(const struct topo_run *run, const struct topo_vector *vector,
                     const struct topo_allreduce_steps *lists, int count, int active);

#endif
