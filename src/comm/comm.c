#include "comm/comm.h"

#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "comm/early.h"
#include "job/job.h"

static int comm_key = MPI_KEYVAL_INVALID;
static const struct topo_comm_user *user;

_Atomic unsigned long topo_comm_freed = 1;
_Thread_local struct topo_comm_last topo_comm_last __attribute__((tls_model("initial-exec")));

size_t topo_comm_calls_to_pay(const struct topo_comm *state)
{
    enum { CALLS = 16, CALLS_ON_ONE_NODE = 128 };
    return state->layout.nodes > 1 ? CALLS : CALLS_ON_ONE_NODE;
}

size_t topo_comm_calls_to_ask(const struct topo_comm *state)
{
    enum { EIGHT_TIMES = 3 };
    return topo_comm_calls_to_pay(state) << EIGHT_TIMES * state->refusals;
}

/* Communicators that were freed after calls that paid for the channel and the memory they got, and too early. */
static _Atomic size_t repaid, in_vain;

static void count_uses(const struct topo_comm *state)
{
    if (state->channel.comm != MPI_COMM_NULL)
        atomic_fetch_add(state->uses > topo_comm_calls_to_pay(state) ? &repaid : &in_vain, 1);
}

/* A state that was freed, for the next communicator: programs make and free them in turn, and memory for one takes as
 * long as all else that is done for it. */
static _Atomic(struct topo_comm *) spare;

static struct topo_comm *new_state(void)
{
    const size_t bytes = sizeof(struct topo_comm) + user->bytes;
    struct topo_comm *state = atomic_exchange(&spare, NULL);
    return state ? memset(state, 0, bytes) : topo_calloc(1, bytes);
}

static void free_state(struct topo_comm *state)
{
    for (int graph = 0; graph < TOPO_GRAPHS; graph++)
        for (int extent = 0; extent < TOPO_RENUMBERING_EXTENTS; extent++)
            topo_renumbering_release(state->renumbering[graph][extent]);
    user->release(state);
    topo_node_free(state->node);
    topo_allreduce_shapes_free(state->shapes);
    count_uses(state);
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
    int early; /* calls that comm/early.h counted; -1: it was not there */
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

void topo_comm_free_end(MPI_Comm comm, bool freed)
{
    struct freeing **link = find_freeing(comm), *entry = *link;
    if (!entry)
        return;
    struct topo_comm *state = entry->state;
    if (!state && !freed && entry->early >= 0)
        topo_early_add(comm, (unsigned)entry->early);
    *link = entry->next;
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

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    user->at_finalize();
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
    topo_free(atomic_exchange(&spare, NULL));
    topo_free(atomic_exchange(&spare_freeing, NULL));
}

void topo_comm_start(const struct topo_comm_user *given)
{
    int finalize_key;
    user = given;
    if (comm_key != MPI_KEYVAL_INVALID)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &comm_key, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, NULL);
    PMPI_Comm_free_keyval(&finalize_key);
}

/* A fresh state in *made, of a communicator that made so many calls before it had one; below 0: none. */
static int make(MPI_Comm comm, int calls, struct topo_comm **made)
{
    struct topo_comm *state = new_state();
    int inter = 0, code;
    if (!state)
        return MPI_ERR_NO_MEM;
    state->own = state + 1;
    state->comm = comm;
    state->calls = state->early = calls > 0 ? (unsigned)calls : 0;
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
    while (topo_tree_rank(state->tree, state->position) != state->rank)
        state->position++;
out:
    if (code == MPI_SUCCESS)
        *made = state;
    else
        free_state(state);
    return code;
}

/* The attribute of `comm`, made where there is none. While this thread frees `comm` none is set: MPI would not delete
 * it. */
static int look_up(MPI_Comm comm, struct topo_comm **state)
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
    code = make(comm, entry ? entry->early : early ? (int)early->calls : -1, state);
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

int topo_comm_look_up(MPI_Comm comm, struct topo_comm **state)
{
    unsigned long now = atomic_load_explicit(&topo_comm_freed, memory_order_acquire);
    int code;
    *state = NULL;
    if (!topo_job.active)
        return MPI_SUCCESS;
    code = look_up(comm, state);
    if (code == MPI_SUCCESS)
        topo_comm_last = (struct topo_comm_last){comm, *state, now};
    return code;
}

/* The call that coll/call/choose.c decided on cannot run as there is no channel: it is native. */
static void postpone(struct topo_comm *state)
{
    size_t *withheld = &state->withheld[state->call.id];
    if (state->call.one_form && (*withheld == 0 || state->call.bytes < *withheld))
        *withheld = state->call.bytes;
    state->consent.postponed = false;
}

struct topo_node *topo_comm_node(struct topo_comm *state)
{
    if (!state->node)
        state->node = topo_node_new(
            &(struct topo_node_place){state->tree, state->rank, state->position, &state->channel, &state->consent});
    return state->node;
}

bool topo_comm_declines(struct topo_comm *state)
{
    if (state->consent.postponed || state->call.one_form || state->call.is_tried) {
        state->consent.postponed = false;
        return true;
    }
    state->layout.has_shm = false;
    return false;
}

/* Calls that have to take one form cannot wait until it is likely that ours pays (coll/call/choose.c). Where most
 * communicators of this process were freed too early, new ones stay native. */
static bool is_reluctant(const struct topo_comm *state)
{
    enum { SOME = 8 };
    size_t lost = atomic_load(&in_vain);
    return state->call.one_form && lost >= SOME && lost > 2 * atomic_load(&repaid);
}

/* What is agreed on as the channel is opened: the room for a region that the nodes share, as the call that opens it is
 * likely to make one, and what the user brings. */
enum { ROOM, BROUGHT };

/* From then on the user does not object any more. */
enum { REFUSALS_MOST = 4 };

/* Equal on all ranks: calls are native from here on. */
static void refuse(struct topo_comm *state, bool untagged)
{
    static atomic_bool said;
    state->unable = true;
    state->native = !topo_job.options.value[TOPO_OPTION_STATS].flag;
    if (untagged && state->rank == 0 && !atomic_exchange(&said, true))
        topo_say(
            "no tags are left: %d communicators can have some at a time (MPI_TAG_UB), %d tags each; those that come "
            "until others are freed run natively",
            topo_channels_most(), TOPO_TAGS);
}

static bool open_channel(struct topo_comm *state)
{
    if (state->unable)
        return false;
    uint64_t least[TOPO_CHANNEL_LEASTS] = {0};
    const bool objects = !user->bring(state, least + BROUGHT);
    if (!objects && state->layout.has_shm && topo_comm_node(state))
        least[ROOM] = topo_node_room(state->node);
    const enum topo_opening opening =
        topo_channel_open(&state->channel, state->comm, topo_comm_group_numbers(state->comm_group),
                          objects || is_reluctant(state), least);
    user->opened(state, opening == TOPO_OPENED ? least + BROUGHT : NULL);
    switch (opening) {
    case TOPO_OPENED: state->consent.room = least[ROOM]; return true;
    case TOPO_UNWANTED:
        state->refusals += state->refusals < REFUSALS_MOST;
        postpone(state);
        break;
    case TOPO_UNTAGGED: refuse(state, true); break;
    case TOPO_UNABLE: refuse(state, false); break;
    }
    return false;
}

void topo_comm_withhold(MPI_Comm comm)
{
    struct topo_channel channel = {.comm = MPI_COMM_NULL};
    topo_channel_open(&channel, comm, NULL, true, (uint64_t[TOPO_CHANNEL_LEASTS]){0});
}

bool topo_comm_prepare(struct topo_comm *state)
{
    if (state->channel.comm != MPI_COMM_NULL)
        return true;
    if (!state->consent.may_wait) {
        state->consent.wishes = true;
        postpone(state);
        return false;
    }
    return open_channel(state);
}

bool topo_comm_prepare_for(struct topo_comm *state, const struct topo_algorithm *algorithm)
{
    enum topo_graph_kind graph = algorithm->graph;
    enum topo_renumbering_extent extent =
        algorithm->traits & TOPO_TRAIT_NEIGHBOURS ? TOPO_RENUMBERING_NEIGHBOURS : TOPO_RENUMBERING_WHOLE;
    if (!topo_comm_prepare(state))
        return false;
    if (graph == TOPO_GRAPH_NONE || state->renumbering[graph][extent])
        return true;
    return topo_renumbering_get(&state->channel, state->tree, graph, extent, &state->renumbering[graph][extent]) ==
           TOPO_OK;
}

void topo_comm_grant(struct topo_comm *state)
{
    state->consent.wishes = false;
    if (state->channel.comm == MPI_COMM_NULL && !open_channel(state))
        return;
    if (state->node)
        topo_node_grant(state->node);
}
