#include "comm/comm.h"

#include "base/memory.h"
#include "coll/alltoallv/exchange.h"
#include "coll/learn.h"
#include "comm/job.h"
#include "observe/stats.h"

static int comm_key = MPI_KEYVAL_INVALID;

static void free_state(struct topo_comm *state)
{
    for (int graph = 0; graph < TOPO_GRAPHS; graph++)
        topo_plan_release(state->plan[graph]);
    topo_learn_forget(state->lessons);
    topo_exchange_free(state->exchange);
    topo_shared_free(state->shared);
    topo_shapes_free(state->shapes);
    topo_tree_free(state->tree);
    topo_free(state->order);
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

/* World ranks of the communicator's members; *foreign when it holds a rank of
 * another job, which every member sees alike. Free *world_ranks with topo_free(). */
static int members(MPI_Comm comm, int ranks, int **world_ranks, bool *foreign)
{
    MPI_Group group = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int code = MPI_ERR_NO_MEM;
    int *own = topo_alloc((size_t)ranks, sizeof *own);
    *world_ranks = topo_alloc((size_t)ranks, sizeof **world_ranks);
    if (!own || !*world_ranks)
        goto out;
    for (int i = 0; i < ranks; i++)
        own[i] = i;
    if ((code = PMPI_Comm_group(comm, &group)) != MPI_SUCCESS ||
        (code = PMPI_Comm_group(MPI_COMM_WORLD, &world)) != MPI_SUCCESS ||
        (code = PMPI_Group_translate_ranks(group, ranks, own, world, *world_ranks)) != MPI_SUCCESS)
        goto out;
    for (int i = 0; i < ranks; i++)
        *foreign |= (*world_ranks)[i] == MPI_UNDEFINED;
out:
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    topo_free(own);
    return code;
}

/* A fresh state in *made. */
static int make(MPI_Comm comm, struct topo_comm **made)
{
    struct topo_comm *state = topo_calloc(1, sizeof *state);
    int inter = 0, *world_ranks = NULL, code;
    bool foreign = false;
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
    code = members(comm, state->ranks, &world_ranks, &foreign);
    state->native = foreign;
    if (code != MPI_SUCCESS || foreign)
        goto out;
    state->order = topo_alloc((size_t)state->ranks, sizeof *state->order);
    if (!state->order || topo_tree_restrict(topo_job.tree, world_ranks, state->ranks, &state->tree, NULL) != TOPO_OK ||
        topo_layout_of(state->tree, &state->layout) != TOPO_OK) {
        code = MPI_ERR_NO_MEM;
        goto out;
    }
    state->layout.shares = topo_job.options.value[TOPO_OPTION_SHARED].size > 0;
    topo_tree_order(state->tree, state->order);
    while (state->order[state->position] != state->rank)
        state->position++;
out:
    topo_free(world_ranks);
    if (code == MPI_SUCCESS)
        *made = state;
    else
        free_state(state);
    return code;
}

int topo_comm_of(MPI_Comm comm, struct topo_comm **state)
{
    int found = 0, code;
    *state = NULL;
    if (!topo_job.active)
        return MPI_SUCCESS;
    code = PMPI_Comm_get_attr(comm, comm_key, state, &found);
    if (code != MPI_SUCCESS || found)
        return code;
    code = make(comm, state);
    if (code == MPI_SUCCESS && (code = PMPI_Comm_set_attr(comm, comm_key, *state)) != MPI_SUCCESS) {
        free_state(*state);
        *state = NULL;
    }
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
