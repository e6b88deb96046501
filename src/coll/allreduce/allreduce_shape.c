/* From a shape (grid or strips) to this rank's moves, and running them. */
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

/* Runs `count` lists of moves as TOPOMPI_PACKET says; frees nothing. */
static int run_lists(const struct topo_allreduce *call, const struct topo_moves *lists, int count, int active,
                     size_t packet)
{
    struct topo_run run = {call->channel, 0};
    int code = MPI_SUCCESS;
    size_t bytes = packet_option()->size == TOPO_SIZE_AUTO ? packet : packet_option()->size;
    for (int i = 0; i < count; i++)
        if (lists[i].failed)
            return MPI_ERR_NO_MEM;
    if (bytes > 0) {
        run.packet = topo_packet_elements(bytes, call->vector.size);
        return topo_run_packets(&run, &call->vector, lists, count, active);
    }
    for (int i = 0; i < count && code == MPI_SUCCESS; i++)
        code = topo_run_blocks(&run, &call->vector, &lists[i]);
    return code;
}

static void free_lists(struct topo_moves *lists, int count)
{
    for (int i = 0; lists && i < count; i++)
        topo_moves_free(&lists[i]);
    topo_free(lists);
}

int topo_allreduce_shape(const struct topo_allreduce *call, enum topo_shape_kind kind, struct topo_shape *shape)
{
    struct topo_comm *comm = call->comm;
    const struct topo_shape *agreed;
    enum topo_status status = topo_shape_get(call->channel->user, comm->tree, kind,
                                             call->vector.count * call->vector.size, &comm->shapes, &agreed);
    if (status != TOPO_OK)
        return status == TOPO_NOMEM ? MPI_ERR_NO_MEM : MPI_ERR_INTERN;
    *shape = *agreed;
    return MPI_SUCCESS;
}

int topo_allreduce_run(const struct topo_allreduce *call, const struct topo_shape *shape, int parts)
{
    const struct topo_comm *comm = call->comm;
    const struct topo_block whole = {0, call->vector.count};
    const struct topo_strips *strips = shape->strips ? topo_shape_strips(comm->shapes) : NULL;
    const struct topo_crew crew = topo_crew_of(comm->ranks, comm->order);
    int each = strips ? strips->strips : 1, count = parts * each;
    struct topo_moves *lists = topo_calloc((size_t)count, sizeof *lists);
    if (!lists)
        return MPI_ERR_NO_MEM;
    for (int part = 0; part < parts; part++) {
        struct topo_block block = topo_block_of(whole, parts, part);
        for (int strip = 0; strip < each; strip++) {
            struct topo_moves *list = &lists[part * each + strip];
            if (strips)
                topo_moves_strip(list, strips, comm->position, strip, block);
            else
                topo_moves_grid(list, &crew, comm->position, &shape->grid, block, false);
        }
    }
    int code = run_lists(call, lists, count, parts > 1 ? ACTIVE_PARTS * each : each, shape->packet);
    free_lists(lists, count);
    return code;
}

int topo_allreduce_run_folded(const struct topo_allreduce *call, const int *player, int number, enum topo_dim_kind kind)
{
    const struct topo_crew crew = topo_crew_folded(call->comm->ranks, player);
    const struct topo_grid grid = topo_grid_of_twos(crew.ranks - crew.extra, kind);
    struct topo_moves moves = {0};
    struct topo_shape shape;
    int code = topo_allreduce_shape(call, TOPO_SHAPE_CYCLIC, &shape); /* for its packets */
    if (code != MPI_SUCCESS)
        return code;
    topo_moves_grid(&moves, &crew, number, &grid, (struct topo_block){0, call->vector.count}, !call->commutative);
    code = run_lists(call, &moves, 1, 1, shape.packet);
    topo_moves_free(&moves);
    return code;
}
