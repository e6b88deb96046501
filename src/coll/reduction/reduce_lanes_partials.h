/* The partial sums and results of one call on their way between nodes, as its plan has them (reduce_plan.h): each is
 * added up where it comes in, and goes on as soon as the order of additions allows. */
#ifndef TOPO_COLL_REDUCTION_REDUCE_LANES_PARTIALS_H
#define TOPO_COLL_REDUCTION_REDUCE_LANES_PARTIALS_H

#include "coll/reduction/reduce_lanes.h"

/* The message of a stream that goes next. */
struct topo_reduce_lanes_next {
    int iteration, index;
};

/* Those that this rank drives. */
struct topo_reduce_lanes_partials {
    const struct topo_comm *comm;
    const struct topo_vector *vector;
    const struct topo_reduce_plan *plan;
    const struct topo_reduce_lanes_layout *layout;
    bool returns; /* results go back */
    struct topo_bench bench;
    int messages;         /* of an iteration */
    MPI_Request *request; /* [windows][messages] */
    int *indices;         /* [windows * messages] */
    int *due;             /* [windows][children + tasks] what is added next to an operand, or that none is */
    int *open;            /* [windows] messages that are not through */
    bool *ready;          /* [windows][tasks + children] messages that may go, or have gone */
    struct topo_reduce_lanes_next *next; /* [tasks + children] by the first one of each stream */
    char *places;                        /* [windows][children] places for partial sums */
    char *block;                         /* all of these */
    int begun;
    int expected, arrived; /* iterations whose partial sums are received, and are all there */
    int active;            /* messages under way */
    int code;              /* the call's: an MPI error code, after which nothing starts */
};

/* For a call with comm, vector, plan, layout and `returns` set; false when memory is out. After it
 * topo_reduce_lanes_partials_close(). */
bool topo_reduce_lanes_partials_open(struct topo_reduce_lanes_partials *partials);
void topo_reduce_lanes_partials_close(struct topo_reduce_lanes_partials *partials);

/* Posts the receives of an iteration whose window is free; those before it have begun. */
void topo_reduce_lanes_partials_begin(struct topo_reduce_lanes_partials *partials, int iteration);

/* Posts those of partial sums that may be received now, where `begun` iterations have begun. */
void topo_reduce_lanes_partials_expect(struct topo_reduce_lanes_partials *partials, int begun);

/* Operand i of the sum of task `index` is there: it is added, and what it kept waiting, as far as their order allows.
 * 0: the node's own. */
void topo_reduce_lanes_partials_add(struct topo_reduce_lanes_partials *partials, int iteration, int index, int i);

/* Takes in what has arrived and drops what was sent, of iterations from `done` on. False: nothing was. */
bool topo_reduce_lanes_partials_take(struct topo_reduce_lanes_partials *partials, int done);

/* Whether all messages of an iteration that has begun are through. */
bool topo_reduce_lanes_partials_are_through(const struct topo_reduce_lanes_partials *partials, int iteration);

#endif
