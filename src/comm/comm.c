#include "comm/comm.h"

#include "base/memory.h"
#include "coll/alltoallv/exchange.h"
#include "coll/learn.h"
#include "comm/job.h"
#include "observe/stats.h"

static int comm_key = MPI_KEYVAL_INVALID;

_Atomic unsigned long topo_comm_freed = 1;
_Thread_local struct topo_comm_last topo_comm_last __attribute__((tls_model("initial-exec")));

static void free_state(struct topo_comm *state)
{
    for (int graph = 0; graph < TOPO_GRAPHS; graph++)
        topo_plan_release(state->plan[graph]);
    topo_learn_forget(state->lessons);
    topo_exchange_free(state->exchange);
    topo_shared_free(state->shared);
    topo_shapes_free(state->shapes);
    topo_members_release(state->members);
    topo_free(state);
}

/* Runs when the application frees the communicator, which is collective, so
 * freeing the private one here is too. */
static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct topo_comm *state = value;
    (void)comm;
    (void)keyval;
    (void)extra;
    atomic_fetch_add(&topo_comm_freed, 1);
    if (state->private_comm != MPI_COMM_NULL)
        PMPI_Comm_free(&state->private_comm);
    free_state(state);
    return MPI_SUCCESS;
}

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *extra)
{
    struct topo_comm *state;
    int found = 0;
    (void)comm;
    (void)keyval;
    (void)value;
    (void)extra;
    topo_learn_finish();
    topo_stats_print();
    if (PMPI_Comm_get_attr(MPI_COMM_WORLD, comm_key, &state, &found) == MPI_SUCCESS && found)
        PMPI_Comm_delete_attr(MPI_COMM_WORLD, comm_key);
    topo_job_stop();
    return MPI_SUCCESS;
}

void topo_comm_start(void)
{
    int finalize_key;
    if (comm_key != MPI_KEYVAL_INVALID)
        return;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &comm_key, NULL);
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &finalize_key, NULL);
    PMPI_Comm_set_attr(MPI_COMM_SELF, finalize_key, NULL);
    PMPI_Comm_free_keyval(&finalize_key);
}

/* A fresh state in *made. */
static int make(MPI_Comm comm, struct topo_comm **made)
{
    struct topo_comm *state = topo_calloc(1, sizeof *state);
    int inter = 0, code;
    if (!state)
        return MPI_ERR_NO_MEM;
    state->private_comm = MPI_COMM_NULL;
    if ((code = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS ||
        (code = PMPI_Comm_rank(comm, &state->rank)) != MPI_SUCCESS ||
        (code = PMPI_Comm_size(comm, &state->ranks)) != MPI_SUCCESS)
        goto out;
    state->native = inter || state->ranks < 2;
    if (state->native)
        goto out;
    if ((code = topo_members_of(comm, state->ranks, &state->members)) != MPI_SUCCESS)
        goto out;
    state->native = !state->members;
    if (state->native)
        goto out;
    state->tree = state->members->tree;
    state->layout = state->members->layout;
    state->order = state->members->order;
    while (state->order[state->position] != state->rank)
        state->position++;
out:
    if (code == MPI_SUCCESS)
        *made = state;
    else
        free_state(state);
    return code;
}

/* The attribute of `comm`, made where there is none. */
static int look_up(MPI_Comm comm, struct topo_comm **state)
{
    int found = 0, code = PMPI_Comm_get_attr(comm, comm_key, state, &found);
    if (code != MPI_SUCCESS || found)
        return code;
    code = make(comm, state);
    if (code == MPI_SUCCESS && (code = PMPI_Comm_set_attr(comm, comm_key, *state)) != MPI_SUCCESS) {
        free_state(*state);
        *state = NULL;
    }
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

/* Splits without telling the application: its error handler must not see a failure we can live with. */
static int quiet_split(MPI_Comm comm, int rank, MPI_Comm *made)
{
    MPI_Errhandler handler;
    int code;
    PMPI_Comm_get_errhandler(comm, &handler);
    PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    code = PMPI_Comm_split(comm, 0, rank, made);
    PMPI_Comm_set_errhandler(comm, handler);
    PMPI_Errhandler_free(&handler);
    if (code == MPI_SUCCESS)
        PMPI_Comm_set_errhandler(*made, MPI_ERRORS_RETURN);
    else
        *made = MPI_COMM_NULL;
    return code;
}

bool topo_comm_prepare(MPI_Comm comm, struct topo_comm *state, enum topo_graph_kind graph)
{
    if (state->private_comm == MPI_COMM_NULL && quiet_split(comm, state->rank, &state->private_comm) != MPI_SUCCESS) {
        state->native = true; /* identifiers are agreed on, so every rank failed */
        return false;
    }
    if (graph == TOPO_GRAPH_NONE || state->plan[graph])
        return true;
    return topo_plan_get(state->private_comm, state->tree, graph, &state->plan[graph]) == TOPO_OK;
}
