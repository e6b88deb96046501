#include "job/recovery_messages.h"

#include <string.h>

#include "base/memory.h"
#include "catalog/arguments.h"
#include "family/family.h"
#include "job/native.h"

bool topo_recovers;
struct topo_mpi topo_recovery_own;
_Thread_local struct topo_recovery_point *topo_recovery_point __attribute__((tls_model("initial-exec")));

/* mpi-ext.h of Open MPI 5, which others need not have. */
static int (*is_revoked)(MPI_Comm, int *flag);
static int (*get_failed)(MPI_Comm, MPI_Group *failed);

/* -- what MPI knows -- */

bool topo_recovery_wanted(bool *possible)
{
    const bool *enabled = topo_family_symbol(TOPO_MPI_RECOVERS);
    void *const found[] = {topo_family_symbol("PMPIX_Comm_is_revoked"), topo_family_symbol("PMPIX_Comm_get_failed")};
    memcpy(&is_revoked, &found[0], sizeof is_revoked); /* ISO C knows no cast from objects to functions */
    memcpy(&get_failed, &found[1], sizeof get_failed);
    *possible = is_revoked && get_failed;
    return enabled && *enabled;
}

bool topo_recovery_is_lost(MPI_Comm comm)
{
    MPI_Group failed = MPI_GROUP_NULL;
    int revoked = 0, ranks = 0;
    if (is_revoked(comm, &revoked) != MPI_SUCCESS || revoked)
        return true;
    if (get_failed(comm, &failed) != MPI_SUCCESS)
        return true;
    PMPI_Group_size(failed, &ranks);
    PMPI_Group_free(&failed);
    return ranks > 0;
}

/* -- calls that may be left -- */

void topo_recovery_begin(struct topo_recovery_point *begun, MPI_Comm comm)
{
    begun->comm = comm;
    begun->outer = topo_recovery_point;
    begun->messages = NULL;
    begun->count = begun->room = 0;
    begun->code = MPI_SUCCESS;
    topo_recovery_point = begun;
}

void topo_recovery_end(struct topo_recovery_point *begun)
{
    topo_free(begun->messages);
    topo_recovery_point = begun->outer;
}

void topo_recovery_leave(int code)
{
    struct topo_recovery_point *left = topo_recovery_point;
    topo_recovery_end_messages(left);
    topo_recovery_end(left);
    left->code = code;
    longjmp(left->left, 1);
}

void topo_recovery_ask(void)
{
    enum { EVERY = 32 }; /* to ask takes about as long as some ten looks at a flag */
    static _Thread_local unsigned asked __attribute__((tls_model("initial-exec")));
    if (topo_recovery_point && ++asked % EVERY == 0 && topo_recovery_is_lost(topo_recovery_point->comm))
        topo_recovery_leave(MPI_SUCCESS);
}

/* -- what may call the program's error handler -- */

/* Meanwhile this thread has no call under way: the handler may leave by itself, to a frame beyond that of the call.
 * What there was, to be put back when the handler did not. */
static struct topo_recovery_point *pause_call(void)
{
    struct topo_recovery_point *paused = topo_recovery_point;
    if (paused && paused->count == 0) {
        topo_free(paused->messages);
        paused->messages = NULL;
        paused->room = 0;
    }
    topo_recovery_point = NULL;
    return paused;
}

static int call_errhandler(MPI_Comm comm, int code)
{
    struct topo_recovery_point *paused = pause_call();
    const int called = topo_recovery_own.Comm_call_errhandler(comm, code);
    topo_recovery_point = paused;
    return called;
}

/* After a collective on a communicator of the program, which has raised its error: the call is left. */
static int resume_call(struct topo_recovery_point *paused, int code)
{
    topo_recovery_point = paused;
    if (code != MPI_SUCCESS && topo_recovery_point)
        topo_recovery_leave(code);
    return code;
}

/* Where that of job/channel.h fails it may have succeeded on others, which have taken a place that this rank offered:
 * it gives none of them back. */
#define COLLECTIVE(name, own, form, count, kinds) \
    static int name(TOPO_PARAMETERS##form(count, kinds)) \
    { \
        struct topo_recovery_point *paused = pause_call(); \
        return resume_call(paused, own(TOPO_ARGUMENTS(count, kinds))); \
    }
COLLECTIVE(allreduce, topo_recovery_own.Allreduce, , 6, (IN, OUT, INT, TYPE, OP, COMM))
COLLECTIVE(reduce, topo_recovery_own.Reduce, , 7, (IN, OUT, INT, TYPE, OP, ROOT, COMM))
COLLECTIVE(reduce_scatter, topo_recovery_own.Reduce_scatter, , 6, (IN, OUT, COUNTS, TYPE, OP, COMM))
COLLECTIVE(reduce_scatter_block, topo_recovery_own.Reduce_scatter_block, , 6, (IN, OUT, INT, TYPE, OP, COMM))
static int (*own_reduce_scatter_c)(TOPO_PARAMETERS_c(6, (IN, OUT, COUNTS, TYPE, OP, COMM)));
COLLECTIVE(reduce_scatter_c, own_reduce_scatter_c, _c, 6, (IN, OUT, COUNTS, TYPE, OP, COMM))

void topo_recovery_start(void)
{
    if (topo_recovers)
        return;
    topo_recovery_own = topo_mpi;
    topo_mpi.Allreduce = allreduce;
    topo_mpi.Comm_call_errhandler = call_errhandler;
    topo_mpi.Reduce = reduce;
    topo_mpi.Reduce_scatter = reduce_scatter;
    topo_mpi.Reduce_scatter_block = reduce_scatter_block;
    topo_recovery_replace_messages();
    own_reduce_scatter_c = topo_native.reduce_scatter_c;
    topo_native.reduce_scatter_c = own_reduce_scatter_c ? reduce_scatter_c : NULL;
    topo_recovers = true;
}

void topo_recovery_stop(void)
{
    if (topo_recovers) {
        topo_mpi = topo_recovery_own;
        topo_native.reduce_scatter_c = own_reduce_scatter_c;
    }
    topo_recovers = false;
}
