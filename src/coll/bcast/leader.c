/* Broadcast of few bytes: the root sends them to one rank of other nodes, which
 * send them on, level by level (levels/spread.h); that rank, on the root's node
 * the root, puts them into memory that its node shares, and all copy them out.
 *
 * Cost: with k nodes in a group that splits into at most r parts a level,
 * ceil(log_r k) (alpha + (r-1) (o + m beta)), o the processor's time for a message,
 * plus one hand-over and two copies inside the node.
 *
 * The root leaves when its messages are through, whether the others have come or not. */
#include "coll/bcast/bcast.h"

#include "coll/area.h"
#include "coll/scratch.h"
#include "coll/transport.h"
#include "levels/spread.h"

/* One call on this rank. */
struct run {
    const struct topo_bcast *call;
    const struct topo_shared *shared;
    const struct topo_levels *few;
    int root_node;
    int *to; /* nodes it sends to */
    MPI_Request *request;
};

/* The rank of a node that receives and sends for it. */
static int driver_of(const struct run *run, int node)
{
    return node == run->root_node ? run->call->root : run->call->comm->order[run->shared->levels->start[node]];
}

static bool is_root(const struct run *run)
{
    return run->call->comm->rank == run->call->root;
}

/* Where the bytes lie one after the other on the root: in place, or packed at `place`. */
static int source_of(const struct run *run, char *place, const char **source)
{
    const struct topo_data *data = &run->call->data;
    *source = data->contiguous ? data->base : place;
    return data->contiguous ? MPI_SUCCESS : topo_data_pack(data, 0, place, run->call->channel);
}

/* Starts to send the bytes to the nodes that get them from here; *started requests then have to be waited for. */
static int send_on(const struct run *run, const char *source, int *started)
{
    int count = topo_spread_to(run->few, run->root_node, run->shared->node, run->to), code = MPI_SUCCESS;
    for (int i = 0; i < count && code == MPI_SUCCESS; i++, *started += code == MPI_SUCCESS)
        code = topo_isend(source, run->call->data.bytes, driver_of(run, run->to[i]), run->call->channel,
                          &run->request[*started]);
    return code;
}

static int receive(const struct run *run, char *place)
{
    int from = topo_spread_from(run->few, run->root_node, run->shared->node, NULL);
    return topo_recv(place, run->call->data.bytes, driver_of(run, from), run->call->channel);
}

/* On the rank that drives this node: the bytes come into the area and go on. */
static int drive(const struct run *run, struct topo_area *area)
{
    const char *source = area->base;
    int started = 0;
    int code = is_root(run) ? source_of(run, area->base, &source) : receive(run, area->base);
    if (code == MPI_SUCCESS)
        code = send_on(run, source, &started);
    if (source != area->base && run->shared->ranks > 1)
        topo_data_pack(&run->call->data, 0, area->base, run->call->channel);
    /* Whatever went wrong here, the others must get on. */
    topo_area_add(area, 1, 1);
    int waited = PMPI_Waitall(started, run->request, MPI_STATUSES_IGNORE);
    return code != MPI_SUCCESS ? code : waited;
}

static int with_area(const struct run *run, struct topo_area *area, bool drives)
{
    int code = MPI_SUCCESS, copied = MPI_SUCCESS;
    topo_area_arrive(area);
    if (drives)
        code = drive(run, area);
    if (is_root(run)) {
        topo_area_leave(area);
    } else {
        topo_area_close(area);
        copied = topo_data_unpack(&run->call->data, 0, area->base, run->call->channel);
    }
    return code != MPI_SUCCESS ? code : copied;
}

/* Without shared memory the driver sends the bytes to the ranks of its node. */
static int with_messages(const struct run *run, bool drives)
{
    const struct topo_bcast *call = run->call;
    const int *members = call->comm->order + run->shared->levels->start[run->shared->node];
    int driver = driver_of(run, run->shared->node), started = 0, code, waited;
    char *place = topo_scratch_take(call->data.bytes);
    const char *source = place;
    if (!place)
        return MPI_ERR_NO_MEM;
    if (is_root(run))
        code = source_of(run, place, &source);
    else
        code = drives ? receive(run, place) : topo_recv(place, call->data.bytes, driver, call->channel);
    if (drives && code == MPI_SUCCESS)
        code = send_on(run, source, &started);
    for (int i = 0; drives && i < run->shared->ranks && code == MPI_SUCCESS; i++)
        if (members[i] != driver)
            code = topo_send(source, call->data.bytes, members[i], call->channel);
    waited = PMPI_Waitall(started, run->request, MPI_STATUSES_IGNORE);
    if (code == MPI_SUCCESS)
        code = waited;
    if (code == MPI_SUCCESS && !is_root(run))
        code = topo_data_unpack(&call->data, 0, place, call->channel);
    topo_scratch_give(place);
    return code;
}

int topo_bcast_leader(const struct topo_bcast *call)
{
    struct topo_comm *comm = call->comm;
    struct run run = {.call = call, .shared = topo_shared_of(comm)};
    struct topo_area area;
    char *scratch = NULL;
    if (!run.shared || !(run.few = topo_shared_few(comm)))
        return MPI_ERR_NO_MEM;
    run.root_node = topo_tree_node_of(comm->tree, call->root);
    bool drives = driver_of(&run, run.shared->node) == comm->rank;
    if (drives) {
        size_t most = (size_t)topo_spread_most(run.few);
        scratch = topo_scratch_take(most * (sizeof *run.request + sizeof *run.to));
        if (!scratch)
            return MPI_ERR_NO_MEM;
        run.request = (MPI_Request *)scratch;
        run.to = (int *)(run.request + most);
    }
    int code;
    if (topo_area_open(&area, comm, call->data.bytes, 1)) {
        code = with_area(&run, &area, drives);
    } else {
        comm->layout.shares = false; /* found by all ranks alike: `auto` takes other forms from now on */
        code = with_messages(&run, drives);
    }
    topo_scratch_give(scratch);
    return code;
}
