/* The ranks of a node raise a counter in shared memory; where there are several nodes, the first rank of each adds up
 * with the others that all are there, by the plan of a sum (plan/sum_leader.c, barrier_tree.c), and lets its node go.
 */
#include "coll/base/transport.h"
#include "coll/call/call.h"
#include "coll/call/operations.h"
#include "coll/engine/engine.h"
#include "comm/comm.h"
#include "node/shm_buffer.h"

/* Nothing is added: that a message came is all it says. */
static int add(const void *of, size_t at, size_t count, const char *here, char *const *landed, int number, int own)
{
    (void)of;
    (void)at;
    (void)count;
    (void)here;
    (void)landed;
    (void)number;
    (void)own;
    return MPI_SUCCESS;
}

static int meet_nodes(struct topo_comm *comm, enum topo_algorithm_id id)
{
    const struct topo_plan_input in = {.root = -1,
                                       .bytes = 1,
                                       .element = 1,
                                       .stripes = 1,
                                       .parts = 1,
                                       .parameters.radix = (size_t)topo_plan_radix_of(id)};
    const struct topo_plan *plan = topo_comm_plan(comm, topo_plan_of(id), &in);
    const struct topo_engine_sums sums = {.add = add};
    char word = 0;
    const struct topo_engine_vector vector = {.base = &word, .bytes = 1, .type = MPI_BYTE, .units = 1};
    return plan ? topo_engine_run(comm, plan, &vector, &sums) : MPI_ERR_NO_MEM;
}

/* Without shared memory the first rank of each node hears from the others and lets them go by messages. */
static int with_messages(struct topo_comm *comm, enum topo_algorithm_id id)
{
    const struct topo_node *node = comm->node;
    const struct topo_channel *channel = &comm->channel;
    int code = MPI_SUCCESS;
    if (node->local > 0) {
        code = topo_send(NULL, 0, topo_node_member(node, 0), channel);
        return code == MPI_SUCCESS ? topo_recv(NULL, 0, topo_node_member(node, 0), channel) : code;
    }
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_recv(NULL, 0, topo_node_member(node, i), channel);
    if (code == MPI_SUCCESS && comm->layout.nodes > 1)
        code = meet_nodes(comm, id);
    for (int i = 1; i < node->ranks && code == MPI_SUCCESS; i++)
        code = topo_send(NULL, 0, topo_node_member(node, i), channel);
    return code;
}

static int run(struct topo_comm *comm, enum topo_algorithm_id id)
{
    struct topo_shm_buffer buffer;
    const bool several = comm->layout.nodes > 1;
    int code = MPI_SUCCESS;
    if (!topo_comm_node(comm))
        return MPI_ERR_NO_MEM;
    if (!topo_shm_buffer_open(&buffer, comm->node, 0, several ? 1 : 0)) {
        topo_comm_lacks_shm(comm); /* found by all ranks alike: `auto` takes other forms from now on */
        return with_messages(comm, id);
    }
    topo_shm_buffer_arrive(&buffer);
    if (several && comm->node->local == 0) {
        topo_shm_buffer_wait_arrived(&buffer);
        code = meet_nodes(comm, id);
        /* Whatever went wrong here, the others must get on. */
        topo_shm_buffer_add(&buffer, 1);
    }
    topo_shm_buffer_close(&buffer);
    return code;
}

bool topo_barrier_examine(struct topo_call *call, MPI_Comm comm)
{
    (void)comm;
    call->handles = (struct topo_call_handles){MPI_BYTE, MPI_OP_NULL};
    return true;
}

int topo_barrier_run(struct topo_call *call, MPI_Comm comm)
{
    int code = MPI_SUCCESS;
    const struct topo_algorithm *algorithm = topo_call_choose(call, &(struct topo_facts){.bytes = 0}, &code);
    (void)comm;
    if (!algorithm)
        return code;
    call->ran = algorithm;
    return run(call->state, algorithm->id);
}
