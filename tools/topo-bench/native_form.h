/* native:NAME: one of the MPI library's own forms of an operation, asked for by that library's own controls.
 *
 * Open MPI: a component of its coll framework, preferred on a duplicate of the communicator
 * (ompi_comm_coll_preference); it exists where it has a variable that sets its priority.
 *
 * MPICH: an algorithm of MPIR_CVAR_<OPERATION>_INTRA_ALGORITHM. MPICH reads its environment
 * once, in MPI_Init or MPI_T_init_thread; after that the same variables are written through MPI_T (docs/REFERENCES.md,
 * MPI standard), on all ranks around the calls that are measured, with MPIR_CVAR_DEVICE_COLLECTIVES=none, since its
 * device would choose before them. */
#ifndef TOPO_BENCH_NATIVE_FORM_H
#define TOPO_BENCH_NATIVE_FORM_H

#include <stdbool.h>

#include <mpi.h>

#include "base/text.h"
#include "catalog/algorithm.h"

/* 0: there is no such form; else what bench_native_enter() takes. Any time, before MPI_Init too. */
int bench_native_find(enum topo_operation operation, const char *name);

/* What may stand behind "native:", for a complaint: " native:nb native:smp", or " native:COMPONENT" and where they are
 * shown. */
void bench_native_words(enum topo_operation operation, struct topo_text *out);

/* Collective: the communicator on which the form runs; `comm` itself, or one to be freed. */
MPI_Comm bench_native_comm(const char *name, MPI_Comm comm);

/* Calls between the two take the form; on all ranks of a call. Form 0: as MPI does by itself. */
void bench_native_enter(enum topo_operation operation, int form);
void bench_native_leave(enum topo_operation operation, int form);

#endif
