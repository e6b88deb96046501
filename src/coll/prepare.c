#include "coll/prepare.h"

#include "node/shm_buffer.h"
#include "coll/call/choose.h"
#include "node/shm_fifo.h"
#include "coll/call/first_call.h"
#include "comm/comm.h"
#include "job/job.h"
#include "observe/waiting.h"
#include "select/select.h"

/* Marks the algorithms that `operation` may take in this communicator. */
static void mark_wanted(enum topo_operation operation, const struct topo_comm *state, bool wanted[TOPO_ALGORITHM_COUNT])
{
    const struct topo_option_value *option = &topo_job.options.value[topo_option_of(operation)];
    if (option->choice > 0) {
        const struct topo_algorithm *algorithm = topo_algorithm_find(operation, option->text);
        wanted[algorithm->id] |= topo_algorithm_applies(algorithm, state->ranks, NULL);
        return;
    }
    /* auto: whatever it takes at some size */
    for (size_t bytes = 1; bytes <= (size_t)1 << 24; bytes *= 2)
        wanted[topo_select(&topo_job.tuning, operation, &state->layout, bytes)->id] = true;
}

static bool as_created(void)
{
    return topo_job.options.value[TOPO_OPTION_PREPARE].choice == 0;
}

/* The channel, and the renumberings of what any operation may take; the same on all ranks. */
static void prepare(struct topo_comm *state)
{
    bool wanted[TOPO_ALGORITHM_COUNT] = {false};
    state->consent.may_wait = true;
    if (!topo_comm_prepare(state))
        return;
    for (int operation = 0; operation < TOPO_OPERATION_COUNT; operation++)
        mark_wanted(operation, state, wanted);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        if (wanted[id] && topo_algorithm((enum topo_algorithm_id)id)->graph != TOPO_GRAPH_NONE &&
            !topo_comm_prepare_for(state, topo_algorithm((enum topo_algorithm_id)id)))
            return;
}

static void prepare_created(MPI_Comm comm)
{
    struct topo_comm *state;
    int inter, ranks;
    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS ||
        ranks < 2)
        return;
    /* A failure here is not the constructor's: the first collective meets it again and raises it. A rank whose memory
     * is out does not know whether the others' states are native, so they take part, too. */
    if (topo_comm_of(comm, &state) != MPI_SUCCESS || state->native) {
        topo_comm_withhold(comm);
        return;
    }
    prepare(state);
}

void topo_comm_created(MPI_Comm comm)
{
    if (!topo_job.active || comm == MPI_COMM_NULL)
        return;
    if (as_created())
        topo_comm_leavable(prepare_created, comm);
    else
        topo_comm_made(comm);
}

static void reserve(struct topo_node *node)
{
    topo_shm_buffer_reserve(node, TOPO_SHM_BUFFER_SHORT);
    topo_shm_fifo_open(node, 1);
    topo_waiting_reserve(node);
    topo_node_lend_tree(node);
}

static void prepare_world(MPI_Comm world)
{
    struct topo_comm *state;
    if (topo_comm_of(world, &state) != MPI_SUCCESS || !topo_comm_node(state)) {
        topo_comm_withhold(world);
        return;
    }
    state->call = (struct topo_comm_call){0};
    state->consent.may_wait = true;
    topo_first_calls_start(state);
    if (!topo_comm_prepare(state))
        return;
    topo_node_reserve_at_once(state->node, reserve);
    if (as_created() && !state->native)
        prepare(state);
}

void topo_world_created(void)
{
    if (!topo_job.active)
        return;
    if (topo_job.options.value[TOPO_OPTION_SHARED].size > 0)
        topo_comm_leavable(prepare_world, MPI_COMM_WORLD);
    else if (as_created())
        topo_comm_created(MPI_COMM_WORLD);
}
