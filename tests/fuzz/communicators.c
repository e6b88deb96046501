#include "fuzz/communicators.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/calls.h"

static MPI_Errhandler handlers[FUZZ_HANDLERS];
__thread struct fuzz_seen fuzz_seen;
static __thread jmp_buf out;
static __thread volatile bool may_jump;

static void see(MPI_Comm *comm, int *code, ...)
{
    fuzz_seen.calls++;
    fuzz_seen.class = fuzz_error_class(*code);
    fuzz_seen.comm = *comm;
}

static void leave(MPI_Comm *comm, int *code, ...)
{
    see(comm, code);
    if (may_jump)
        longjmp(out, 1);
}

void fuzz_handlers_make(void)
{
    handlers[FUZZ_RETURNS] = MPI_ERRORS_RETURN;
    MPI_Comm_create_errhandler(see, &handlers[FUZZ_OWN]);
    MPI_Comm_create_errhandler(leave, &handlers[FUZZ_JUMPS]);
}

void fuzz_handlers_free(void)
{
    MPI_Errhandler_free(&handlers[FUZZ_OWN]);
    MPI_Errhandler_free(&handlers[FUZZ_JUMPS]);
}

void fuzz_handler_set(struct fuzz_comm *comm, enum fuzz_handler handler)
{
    if (handler == FUZZ_JUMPS && fuzz_without("jumps"))
        handler = FUZZ_OWN;
    comm->handler = (int)handler;
    if (comm->comm != MPI_COMM_NULL)
        MPI_Comm_set_errhandler(comm->comm, handlers[handler]);
}

int fuzz_call_guarded(const struct fuzz_call *call, bool native)
{
    volatile int code = -1;
    may_jump = true;
    if (setjmp(out) == 0)
        code = fuzz_call(call, native);
    may_jump = false;
    return code;
}

/* Whether the members are those that the plan says, in its order. */
static bool as_planned(const struct fuzz_comm *comm)
{
    int size, rank, numbers[FUZZ_RANKS_MOST], world[FUZZ_RANKS_MOST];
    MPI_Group group, all;
    PMPI_Comm_size(comm->comm, &size);
    PMPI_Comm_rank(comm->comm, &rank);
    if (size != comm->size || rank != comm->rank)
        return false;
    for (int i = 0; i < size; i++)
        numbers[i] = i;
    PMPI_Comm_group(comm->comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &all);
    PMPI_Group_translate_ranks(group, size, numbers, all, world);
    PMPI_Group_free(&group);
    PMPI_Group_free(&all);
    return memcmp(world, comm->world, (size_t)size * sizeof *world) == 0;
}

struct fuzz_comm *fuzz_comm_add(struct fuzz_worker *worker, const char *made_by, const int *world, int size,
                                MPI_Comm made)
{
    struct fuzz_comm *comm = calloc(1, sizeof *comm);
    if (worker->comms >= FUZZ_COMMS_MOST || size > FUZZ_RANKS_MOST)
        abort();
    comm->id = worker->next_id++;
    comm->made_by = made_by;
    comm->size = size;
    comm->rank = -1;
    comm->comm = made;
    for (int i = 0; i < size; i++) {
        comm->world[i] = world[i];
        if (world[i] == fuzz_job.rank)
            comm->rank = i;
    }
    if ((made == MPI_COMM_NULL) != (comm->rank < 0))
        fuzz_differ(worker, "communicator %d by %s: a rank got none, or one too many", comm->id, made_by);
    else if (comm->rank >= 0 && !as_planned(comm))
        fuzz_differ(worker, "communicator %d by %s has other members than planned", comm->id, made_by);
    worker->comm[worker->comms++] = comm;
    fuzz_handler_set(comm, (enum fuzz_handler)fuzz_below(&worker->plan, FUZZ_HANDLERS));
    return comm;
}

struct fuzz_comm *fuzz_comm_any(struct fuzz_worker *worker, int least)
{
    for (int tries = 0; tries < 10; tries++) {
        struct fuzz_comm *comm = worker->comm[fuzz_below(&worker->plan, worker->comms)];
        /* Larger ones have more in them to go wrong. */
        if (comm->size >= least && (comm->size > 1 || fuzz_chance(&worker->plan, 10)))
            return comm;
    }
    return worker->comm[0];
}

void fuzz_comm_drop(struct fuzz_worker *worker, int index)
{
    struct fuzz_comm *comm = worker->comm[index];
    fuzz_does(worker, "MPI_Comm_free of communicator %d by %s", comm->id, comm->made_by);
    if (comm->comm != MPI_COMM_NULL && comm->comm != MPI_COMM_WORLD && comm->comm != MPI_COMM_SELF)
        MPI_Comm_free(&comm->comm);
    free(comm);
    worker->comm[index] = worker->comm[--worker->comms];
    fuzz_progress();
}

void fuzz_comm_drop_any(struct fuzz_worker *worker)
{
    if (worker->comms > 1)
        fuzz_comm_drop(worker, fuzz_between(&worker->plan, 1, worker->comms - 1));
}

void fuzz_comm_drop_all(struct fuzz_worker *worker)
{
    while (worker->comms > 1)
        fuzz_comm_drop_any(worker);
    fuzz_comm_drop(worker, 0);
}
