#include "comm/allreduce_shapes.h"

#include <stdatomic.h>
#include <string.h>

#include "base/memory.h"
#include "job/channel_calls.h"
#include "job/job.h"
#include "machine/caches.h"
#include "model/packet.h"

enum { CLASSES = 64 };

struct topo_allreduce_shapes {
    struct topo_stripes stripes;
    struct topo_allreduce_shape *shape[TOPO_SHAPE_KINDS][CLASSES]; /* NULL until first needed */
};

const struct topo_stripes *topo_allreduce_shapes_stripes(const struct topo_allreduce_shapes *shapes)
{
    return &shapes->stripes;
}

void topo_allreduce_shapes_free(struct topo_allreduce_shapes *shapes)
{
    if (!shapes)
        return;
    for (int kind = 0; kind < TOPO_SHAPE_KINDS; kind++)
        for (int i = 0; i < CLASSES; i++)
            topo_free(shapes->shape[kind][i]);
    topo_stripes_free(&shapes->stripes);
    topo_free(shapes);
}

/* hwloc is asked once a process, by those that are rank 0 of some communicator. */
static size_t packet_of_this_node(void)
{
    static _Atomic size_t known; /* threads that meet here find the same value */
    size_t packet = atomic_load(&known);
    if (!packet) {
        struct topo_caches caches;
        topo_caches_read(&caches);
        packet = topo_packet_default(&caches);
        atomic_store(&known, packet);
    }
    return packet;
}

/* Rank 0: the shape of vectors of `bytes`. */
static enum topo_status work_out(const struct topo_tree *tree, const struct topo_stripes *stripes,
                                 enum topo_allreduce_shape_kind kind, size_t bytes, struct topo_allreduce_shape *shape)
{
    bool synchronous = topo_job.options.value[TOPO_OPTION_PACKET].size == 0;
    shape->packet = packet_of_this_node();
    return topo_allreduce_shape_choose(tree, &topo_job.tuning.params, stripes, kind, bytes, synchronous, shape, NULL);
}

/* TOPOMPI_CYCLIC_GRID in place of the grid that was chosen, where it has as many places as there are ranks. */
static void use_given(int ranks, struct topo_allreduce_shape *shape)
{
    const char *text = topo_job.options.value[TOPO_OPTION_CYCLIC_GRID].text;
    struct topo_grid grid;
    if (topo_grid_option(topo_option_info(TOPO_OPTION_CYCLIC_GRID)->name, text, &grid, NULL) != TOPO_OK ||
        grid.dims == 0 || !topo_grid_fits(&grid, ranks))
        return;
    shape->grid = grid;
    shape->stripes = false;
}

enum topo_status topo_allreduce_shapes_get(const struct topo_channel *channel, const struct topo_tree *tree,
                                           enum topo_allreduce_shape_kind kind, size_t bytes,
                                           struct topo_allreduce_shapes **out,
                                           const struct topo_allreduce_shape **shape)
{
    int class = bytes < 2 ? 0 : 63 - __builtin_clzll(bytes);
    struct topo_allreduce_shapes *shapes = *out;
    bool first = !shapes;
    if (shapes && shapes->shape[kind][class]) {
        *shape = shapes->shape[kind][class];
        return TOPO_OK;
    }
    struct topo_allreduce_shape sent;
    memset(&sent, 0, sizeof sent);
    enum topo_status here = TOPO_OK;
    if (first) {
        shapes = topo_calloc(1, sizeof *shapes);
        here = shapes ? topo_stripes_of(tree, &shapes->stripes) : TOPO_NOMEM;
        *out = shapes;
    }
    struct topo_allreduce_shape *made = topo_alloc(1, sizeof *made);
    if (!made)
        here = TOPO_NOMEM;
    if (channel->rank == 0 && here == TOPO_OK)
        here = work_out(tree, &shapes->stripes, kind, (size_t)1 << class, &sent);
    enum topo_status worst = topo_channel_worst(here, channel);
    if (worst == TOPO_OK && topo_channel_bcast(&sent, sizeof sent, channel) != MPI_SUCCESS)
        worst = TOPO_MPI;
    if (worst != TOPO_OK) {
        topo_free(made);
        if (first && here != TOPO_OK) { /* stripes may be missing: begin anew */
            topo_allreduce_shapes_free(shapes);
            *out = NULL;
        }
        return worst;
    }
    *made = sent;
    if (kind == TOPO_SHAPE_CYCLIC)
        use_given(tree->ranks, made);
    shapes->shape[kind][class] = made;
    *shape = made;
    return TOPO_OK;
}
