#include "comm/comm.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "comm/early.h"
#include "comm/opening.h"
#include "comm/refusals.h"
#include "job/job.h"
#include "job/recovery.h"

static int comm_key = MPI_KEYVAL_INVALID;
const struct topo_comm_user *topo_comm_user;

_Atomic unsigned long topo_comm_freed = 1;
_Thread_local struct topo_comm_last topo_comm_last __attribute__((tls_model("initial-exec")));

/* A state that was freed, for the next communicator: programs make and free them in turn, and memory for one takes as
 * long as all else that is done for it. */
static _Atomic(struct topo_comm *) spare;

static struct topo_comm *new_state(void)
{
    const size_t bytes = sizeof(struct topo_comm) + topo_comm_user->bytes;
    struct topo_comm *state = atomic_exchange(&spare, NULL);
    return state ? memset(state, 0, bytes) : topo_calloc(1, bytes);
}

static void free_state(struct topo_comm *state)
{
    if (state->lost) {
        if (state->node)
            topo_node_drop_regions(state->node);
        return;
    }
    for (int graph = 0; graph < TOPO_GRAPHS; graph++)
        for (int extent = 0; extent < TOPO_RENUMBERING_EXTENTS; extent++)
            topo_renumbering_release(state->renumbering[graph][extent]);
    topo_comm_user->release(state);
    topo_plans_free(&state->plans);
    topo_node_free(state->node);
    topo_allreduce_shapes_free(state->shapes);
    topo_comm_count_uses(state);
    topo_channel_close(&state->channel);
    topo_comm_group_release(state->comm_group);
    topo_free(atomic_exchange(&spare, state));
}

/* A communicator that this thread is freeing, and its state once no attribute has it any more. Delete callbacks of the
 * application may call collectives on it, after ours as well as before: which comes first depends on when a rank set
 * its attributes. By thread, as another may get the handle for a new communicator as soon as MPI has freed this one; on
 * the heap, as a callback may leave the call by longjmp. */
struct freeing {
    struct freeing *next;
    MPI_Comm comm;
    struct topo_comm *state;
    struct topo_early_kept early;
};
static _Atomic(struct freeing *) spare_freeing;
static _Thread_local struct freeing *freeing __attribute__((tls_model("initial-exec")));

/* What points to the entry of `comm`, or to NULL at the end. */
static struct freeing **find_freeing(MPI_Comm comm)
{
    struct freeing **link = &freeing;
    while (*link && (*link)->comm != comm)
        link = &(*link)->next;
    return link;
}

int topo_comm_free_begin(MPI_Comm comm)
{
    if (!topo_job.active || comm == MPI_COMM_NULL || *find_freeing(comm)) /* one that was left before its end */
        return MPI_SUCCESS;
    struct freeing *entry = atomic_exchange(&spare_freeing, NULL);
    if (!entry && !(entry = topo_alloc(1, sizeof *entry)))
        return MPI_ERR_NO_MEM;
    *entry = (struct freeing){freeing, comm, NULL, topo_early_remove(comm)};
    freeing = entry;
    return MPI_SUCCESS;
}

static void keep_early(MPI_Comm comm, const struct topo_early_kept *kept);

void topo_comm_free_end(MPI_Comm comm, bool freed)
{
    struct freeing **link = find_freeing(comm), *entry = *link;
    if (!entry)
        return;
    struct topo_comm *state = entry->state;
    const struct topo_early_kept early = entry->early;
    *link = entry->next;
    if (!state && !freed && early.calls >= 0)
        keep_early(comm, &early);
    topo_free(atomic_exchange(&spare_freeing, entry));
    if (!state || (!freed && PMPI_Comm_set_attr(comm, comm_key, state) == MPI_SUCCESS))
        return;
    atomic_fetch_add(&topo_comm_freed, 1);
    free_state(state);
}

/* Runs when the application frees the communicator. */
static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct freeing *entry = *find_freeing(comm);
    struct topo_comm *state = value;
    (void)keyval;
    (void)extra;
    atomic_fetch_add(&topo_comm_freed, 1);
    if (entry && !entry->state)
        entry->state = state;
    else
        free_state(state);
    return MPI_SUCCESS;
}

/* What was kept of a communicator found no room. */
static atomic_bool is_lost;

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    topo_comm_user->at_finalize();
    topo_comm_stop();
    topo_job_stop();
    PMPI_Comm_free_keyval(&comm_key);
    return MPI_SUCCESS;
}

void topo_comm_stop(void)
{
    struct topo_comm *state;
    int found = 0;
    if (comm_key != MPI_KEYVAL_INVALID && PMPI_Comm_get_attr(MPI_COMM_WORLD, comm_key, &state, &found) == MPI_SUCCESS &&
        found)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, comm_key);
    atomic_fetch_add(&topo_comm_freed, 1); /* nothing that was looked up counts any more */
    topo_comm_group_forget();
    topo_early_stop();
    topo_refusals_stop();
    is_lost = false;
    topo_free(atomic_exchange(&spare, NULL));
    topo_free(atomic_exchange(&spare_freeing, NULL));
}

void topo_comm_start(const struct topo_comm_user *given)
{
    int finalize_key;
    topo_comm_user = given;
    if (comm_key != MPI_KEYVAL_INVALID)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &comm_key, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, NULL);
    PMPI_Comm_free_keyval(&finalize_key);
}

/* What earlier communicators of these ranks say: calls that have to take one form stay native where that was refused.
 */
static void begin_by(struct topo_comm *state, unsigned known)
{
    const struct topo_refusals refusals = topo_refusals_of(state->comm_group->members, known);
    state->refusals = refusals.times;
    for (int id = 0; refusals.one_form && id < TOPO_ALGORITHM_COUNT; id++)
        state->withheld[id] = 1;
}

/* A fresh state in *made, of a communicator that made some calls before it had one. */
static int make(MPI_Comm comm, struct topo_early_kept kept, struct topo_comm **made)
{
    struct topo_comm *state = new_state();
    int inter = 0, code;
    if (!state)
        return MPI_ERR_NO_MEM;
    state->own = state + 1;
    state->comm = comm;
    state->calls = state->early = kept.calls > 0 ? (unsigned)kept.calls : 0;
    state->channel.comm = MPI_COMM_NULL;
    if ((code = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS ||
        (code = PMPI_Comm_rank(comm, &state->rank)) != MPI_SUCCESS ||
        (code = PMPI_Comm_size(comm, &state->ranks)) != MPI_SUCCESS)
        goto out;
    state->native = inter || state->ranks < 2;
    if (state->native)
        goto out;
    if ((code = topo_comm_group_of(comm, state->ranks, &state->comm_group)) != MPI_SUCCESS)
        goto out;
    state->native = !state->comm_group;
    if (state->native)
        goto out;
    state->tree = state->comm_group->tree;
    state->layout = state->comm_group->layout;
    begin_by(state, kept.known);
    while (topo_tree_rank(state->tree, state->position) != state->rank)
        state->position++;
out:
    if (code == MPI_SUCCESS)
        *made = state;
    else
        free_state(state);
    return code;
}

/* The attribute of `comm`, made where there is none, after what was kept before (NULL: comm/early.h has it, if
 * anything). While this thread frees `comm` none is set: MPI would not delete it. */
static int look_up(MPI_Comm comm, const struct topo_early_kept *kept, struct topo_comm **state)
{
    struct freeing *entry = *find_freeing(comm);
    if (entry && entry->state) {
        *state = entry->state;
        return MPI_SUCCESS;
    }
    int found = 0, code = PMPI_Comm_get_attr(comm, comm_key, state, &found);
    if (code != MPI_SUCCESS || found)
        return code;
    const struct topo_early *early = topo_early_of(comm);
    if (!entry && !early && !kept && is_lost)
        return MPI_ERR_NO_MEM;
    const struct topo_early_kept none = {.calls = -1};
    code = make(comm, entry ? entry->early : kept ? *kept : early ? early->kept : none, state);
    if (entry) {
        entry->state = *state;
        return code;
    }
    if (code == MPI_SUCCESS && (code = PMPI_Comm_set_attr(comm, comm_key, *state)) != MPI_SUCCESS) {
        free_state(*state);
        *state = NULL;
    }
    if (code == MPI_SUCCESS)
        topo_early_remove(comm);
    return code;
}

static void keep_early(MPI_Comm comm, const struct topo_early_kept *kept)
{
    struct topo_comm *state;
    if (topo_early_add(comm, *kept) || (kept->calls == 0 && kept->known == 0))
        return;
    if (look_up(comm, kept, &state) != MPI_SUCCESS)
        is_lost = true;
}

void topo_comm_made(MPI_Comm comm)
{
    if (topo_early_most > 0)
        keep_early(comm, &(struct topo_early_kept){0, (uint16_t)topo_refusals_count()});
}

int topo_comm_look_up(MPI_Comm comm, struct topo_comm **state)
{
    unsigned long now = atomic_load_explicit(&topo_comm_freed, memory_order_acquire);
    int code;
    *state = NULL;
    if (!topo_job.active)
        return MPI_SUCCESS;
    code = look_up(comm, NULL, state);
    if (code == MPI_SUCCESS)
        topo_comm_last = (struct topo_comm_last){comm, *state, now};
    return code;
}

void topo_comm_lose(MPI_Comm comm)
{
    struct topo_comm *state;
    if (topo_comm_of(comm, &state) == MPI_SUCCESS && state)
        state->native = state->lost = true;
}

void topo_comm_leavable(void (*work)(MPI_Comm comm), MPI_Comm comm)
{
    struct topo_recovery_point point;
    if (!topo_recovers) {
        work(comm);
        return;
    }
    if (topo_recovery_is_lost(comm))
        return;
    topo_recovery_begin(&point, comm);
    if (setjmp(point.left) == 0) {
        work(comm);
        topo_recovery_end(&point);
    } else {
        topo_comm_lose(comm);
    }
}
