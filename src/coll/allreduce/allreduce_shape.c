/* From a shape (grid or stripes) to this rank's steps, and running them. */
#include "coll/allreduce/allreduce.h"

#include "base/memory.h"
#include "job/job.h"
#include "model/packet.h"

/* Lists that advance at a time: one in the network, one in the node. */
enum { ACTIVE_PARTS = 2 };

static const struct topo_option_value *packet_option(void)
{
    return &topo_job.options.value[TOPO_OPTION_PACKET];
}

/* Runs `count` lists of moves as TOPOMPI_PACKET says, whole blocks where the operation wants them; frees nothing. */
static int run_lists(const struct topo_allreduce *call, const struct topo_allreduce_steps *lists, int count, int active,
                     size_t packet)
{
    struct topo_run run = {call->channel, 0};
    int code = MPI_SUCCESS;
    size_t bytes = packet_option()->size == TOPO_SIZE_AUTO ? packet : packet_option()->size;
    for (int i = 0; i < count; i++)
        if (lists[i].failed)
            return MPI_ERR_NO_MEM;
    if (bytes > 0 && !call->vector.whole) {
        run.packet = topo_packet_elements(bytes, call->vector.size);
        return topo_run_packets(&run, &call->vector, lists, count, active);
    }
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = topo_run_blocks(&run, &call->vector, &lists[i]);
    return code;
}

static void free_lists(struct topo_allreduce_steps *lists, int count)
{
    for (int i = 0; lists && i < count; i++)
        topo_allreduce_steps_free(&lists[i]);
    topo_free(lists);
}

int topo_allreduce_shape_of(const struct topo_allreduce *call, enum topo_allreduce_shape_kind kind,
                            struct topo_allreduce_shape *shape)
{
    struct topo_comm *comm = call->comm;
    const struct topo_allreduce_shape *agreed;
    enum topo_status status = topo_allreduce_shapes_get(call->channel, comm->tree, kind,
                                                        call->vector.count * call->vector.size, &comm->shapes, &agreed);
    if (status != TOPO_OK)
        return status == TOPO_NOMEM ? MPI_ERR_NO_MEM : MPI_ERR_INTERN;
    *shape = *agreed;
    return MPI_SUCCESS;
}

int topo_allreduce_by_shape(const struct topo_allreduce *call, const struct topo_allreduce_shape *shape, int parts)
{
    const struct topo_comm *comm = call->comm;
    const struct topo_block whole = {0, call->vector.count};
    const struct topo_stripes *stripes = shape->stripes ? topo_allreduce_shapes_stripes(comm->shapes) : NULL;
    const struct topo_rank_group group = topo_rank_group_of(comm->ranks, &comm->tree->order);
    int each = stripes ? stripes->stripes : 1, count = parts * each;
    struct topo_allreduce_steps *lists = topo_calloc((size_t)count, sizeof *lists);
    if (!lists)
        return MPI_ERR_NO_MEM;
    for (int part = 0; part < parts; part++) {
        struct topo_block block = topo_block_of(whole, parts, part);
        for (int stripe = 0; stripe < each; stripe++) {
            struct topo_allreduce_steps *list = &lists[part * each + stripe];
            if (stripes)
                topo_allreduce_steps_stripe(list, stripes, comm->position, stripe, block);
            else
                topo_allreduce_steps_grid(list, &group, comm->position, &shape->grid, block, false);
        }
    }
    int code = run_lists(call, lists, count, parts > 1 ? ACTIVE_PARTS * each : each, shape->packet);
    free_lists(lists, count);
    return code;
}

int topo_allreduce_run_folded(const struct topo_allreduce *call, const struct topo_numbers *rank_at, int number,
                              enum topo_dim_kind kind)
{
    const struct topo_rank_group group = topo_rank_group_folded(call->comm->ranks, rank_at);
    const struct topo_grid grid = topo_grid_of_twos(group.ranks - group.extra, kind);
    struct topo_allreduce_steps steps = {0};
    struct topo_allreduce_shape shape;
    int code = topo_allreduce_shape_of(call, TOPO_SHAPE_CYCLIC, &shape); /* for its packets */
    if (code != MPI_SUCCESS)
        return code;
    topo_allreduce_steps_grid(&steps, &group, number, &grid, (struct topo_block){0, call->vector.count},
                              !call->commutative);
    code = run_lists(call, &steps, 1, 1, shape.packet);
    topo_allreduce_steps_free(&steps);
    return code;
}
