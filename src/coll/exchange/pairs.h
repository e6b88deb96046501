/* Messages straight from one rank's buffer into another's, as a plan says (plan/exchange.h). A message is whole by its
 * type; of types with gaps one that is cut, into segments or by a schedule into parts, is packed. */
#ifndef TOPO_COLL_EXCHANGE_PAIRS_H
#define TOPO_COLL_EXCHANGE_PAIRS_H

#include "coll/engine/engine.h"
#include "coll/exchange/exchange.h"
#include "plan/exchange.h"

struct topo_pairs {
    const struct topo_alltoallv *call;
    const struct topo_plan *plan;
    size_t above;  /* messages of more bytes are meant */
    bool *covered; /* [2 n] by block: the parts of a schedule are all of it; NULL: there are none */
    char **packed; /* [2 n] by block; NULL: no type has gaps */
    void *memory;
    struct topo_engine_call *run;
};

/* Begins what may begin of the messages of more than `above` bytes, by a plan of all ranks, NULL where memory is out
 * for it. Returns an MPI error code; topo_pairs_end() follows in any case, does the others and returns the first error,
 * `code` being an earlier one. */
int topo_pairs_begin(const struct topo_alltoallv *call, const struct topo_plan *plan, size_t above,
                     struct topo_pairs *pairs);
int topo_pairs_end(struct topo_pairs *pairs, int code);

/* The plan of a form without steps; NULL when memory is out. */
const struct topo_plan *topo_pairs_plan(const struct topo_alltoallv *call, topo_plan_function *form);

/* All of it, and this rank's block for itself. */
int topo_pairs_run(const struct topo_alltoallv *call, const struct topo_plan *plan);

/* What the node of this rank, its first one, and the other nodes send each other, as `messages` says by number of the
 * node. */
int topo_pairs_run_firsts(const struct topo_alltoallv *call, const struct topo_engine_pairs *messages);

/* This rank's block for itself. */
int topo_pairs_copy_own(const struct topo_alltoallv *call);

#endif
