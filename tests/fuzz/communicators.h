/* The live communicators of a worker, the same table on all ranks; constructors; frees. */
#ifndef TOPO_TESTS_FUZZ_COMMUNICATORS_H
#define TOPO_TESTS_FUZZ_COMMUNICATORS_H

#include "fuzz/job.h"

enum fuzz_handler { FUZZ_RETURNS, FUZZ_OWN, FUZZ_JUMPS, FUZZ_HANDLERS };

/* The error handlers; call once after MPI_Init, and before MPI_Finalize. */
void fuzz_handlers_make(void);
void fuzz_handlers_free(void);
void fuzz_handler_set(struct fuzz_comm *comm, enum fuzz_handler handler);

/* What the handlers of this thread saw since the last reset. */
struct fuzz_seen {
    int calls, class;
    MPI_Comm comm;
};
extern __thread struct fuzz_seen fuzz_seen;
/* Makes a call whose error handler may leave by longjmp; −1 when it did, else the call's code. */
struct fuzz_call;
int fuzz_call_guarded(const struct fuzz_call *call, bool native);

/* Enters a communicator, whose members all ranks know; `made` is MPI_COMM_NULL on the others. Checks size, rank and
 * order. Takes `made` over. */
struct fuzz_comm *fuzz_comm_add(struct fuzz_worker *worker, const char *made_by, const int *world, int size,
                                MPI_Comm made);

/* One that lives, of `least` ranks at least; the first of the table is never freed and always good. */
struct fuzz_comm *fuzz_comm_any(struct fuzz_worker *worker, int least);

/* Frees one that may be freed, one of the table's; or all of them. */
void fuzz_comm_drop(struct fuzz_worker *worker, int index);
void fuzz_comm_drop_any(struct fuzz_worker *worker);
void fuzz_comm_drop_all(struct fuzz_worker *worker);

/* Makes one or more from one that lives; many duplicates at once. */
void fuzz_comm_construct(struct fuzz_worker *worker);
void fuzz_comm_burst(struct fuzz_worker *worker, int count);

#endif
