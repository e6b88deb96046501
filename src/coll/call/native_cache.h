/* Calls that the rules left to the native algorithm, remembered for calls alike. Some take no more than 0.1 us (a
 * broadcast of a number inside a node, which nobody waits for); to find that out again would cost half of that. */
#ifndef TOPO_COLL_CALL_NATIVE_CACHE_H
#define TOPO_COLL_CALL_NATIVE_CACHE_H

#include <stdbool.h>

#include <mpi.h>

#include "coll/call/call.h"
#include "coll/call/state.h"
#include "catalog/algorithm.h"

/* Where such a call is remembered. */
static inline struct topo_native_cache_row *topo_native_cache_place(struct topo_comm *state,
                                                                    enum topo_operation operation, int count)
{
    return &topo_coll_of(state)->native_cache[((unsigned)count * 2 + (unsigned)operation) % TOPO_NATIVE_CACHE_ROWS];
}

/* True when a call of `operation` with this count, type and op (MPI_OP_NULL: it has none) in `comm` was remembered. */
static inline bool topo_native_cache_has(enum topo_operation operation, MPI_Comm comm, int count, MPI_Datatype type,
                                         MPI_Op op)
{
    struct topo_comm *state;
    if (comm == MPI_COMM_NULL || topo_comm_of(comm, &state) != MPI_SUCCESS || !state || state->native)
        return false;
    const struct topo_native_cache_row *known = topo_native_cache_place(state, operation, count);
    return known->type == type && known->count == count && known->op == op && known->operation == operation &&
           known->has_shm == state->layout.has_shm;
}

/* Remembers one that just ran natively, if that was by the rules for its bytes. Nothing is kept for types and
 * operations that are not MPI's own, whose handles may come to mean others, nor while somebody hears of every call.
 * Each rank remembers what its own arguments are; the choice is equal on all of them with or without that. */
void topo_native_cache_add(const struct topo_call *turn, int count, MPI_Datatype type, MPI_Op op);

#endif
