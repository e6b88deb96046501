/* What every operation does around one call: is it ours at all, how long did it
 * take, who hears of an error. */
#ifndef TOPO_COLL_CALL_CALL_H
#define TOPO_COLL_CALL_CALL_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "comm/comm.h"
#include "catalog/algorithm.h"

struct topo_call {
    MPI_Comm comm;
    struct topo_comm *state;          /* NULL: pass through */
    const struct topo_algorithm *ran; /* set by the operation; starts as native */
    size_t bytes;                     /* set by the operation: its message size as in select/select.h */
    double start;                     /* below 0: nobody wants to know */
};

/* Begins a call of `operation`. `valid` is false when the arguments are wrong,
 * which is the native call's to report. False with *code MPI_SUCCESS when the
 * call is to pass through; with an error code it was raised already. In an operation
 * whose ranks all wait for each other it first grants what earlier calls had to go without. */
bool topo_call_begin(struct topo_call *turn, enum topo_operation operation, MPI_Comm comm, bool valid, int *code);

/* An error of ours is raised on the application's communicator. Returns `code`. */
int topo_call_raise(const struct topo_call *turn, int code);

/* What an algorithm returned: TOPO_NOT_NOW makes it a native call. Returns an MPI error code. */
int topo_call_ran(struct topo_call *turn, int code);

/* Ends it, the native call included: counts it. */
void topo_call_end(const struct topo_call *turn);

#endif
