#include "schedule/links.h"

#include <string.h>

#include "base/memory.h"
#include "model/load.h"
#include "schedule/order.h"

static enum topo_status same_size(int senders, int receivers, const struct topo_tree *tree, struct topo_error *error)
{
    if (senders == tree->ranks && receivers == tree->ranks)
        return TOPO_OK;
    return topo_fail(error, TOPO_INVALID, "a matrix of %d x %d on a machine of %d ranks", senders, receivers,
                     tree->ranks);
}

enum topo_status topo_schedule_link_figures(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                            struct topo_link_figures *figures, struct topo_error *error)
{
    enum topo_status status = same_size(schedule->senders, schedule->receivers, tree, error);
    int level = topo_tree_node_level(tree), nodes = tree->units[level];
    const struct topo_numbers *node = &tree->unit[level];
    int64_t *link = NULL, *all = NULL; /* out and in of every node: of this step, of all */
    *figures = (struct topo_link_figures){0};
    if (status != TOPO_OK)
        return status;
    link = topo_calloc((size_t)nodes, 2 * sizeof *link);
    all = topo_calloc((size_t)nodes, 2 * sizeof *all);
    if (!link || !all) {
        status = topo_fail(error, TOPO_NOMEM, "out of memory for the figures of %d nodes", nodes);
        goto out;
    }
    for (int t = 0; t < schedule->steps; t++) {
        int64_t busiest = 0;
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            if (topo_numbers_at(node, piece->sender) == topo_numbers_at(node, piece->receiver))
                continue;
            link[2 * topo_numbers_at(node, piece->sender)] += piece->weight;
            link[2 * topo_numbers_at(node, piece->receiver) + 1] += piece->weight;
        }
        for (int side = 0; side < 2 * nodes; side++) {
            if (link[side] > busiest)
                busiest = link[side];
            all[side] += link[side];
            if (all[side] > figures->bound)
                figures->bound = all[side];
            link[side] = 0;
        }
        figures->duration += busiest;
    }
out:
    topo_free(link);
    topo_free(all);
    return status;
}

enum topo_status topo_schedule_seconds(const struct topo_schedule *schedule, const struct topo_tree *tree,
                                       const struct topo_params *params, double *seconds, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_load_end) struct topo_load *load = NULL;
    enum topo_status status = same_size(schedule->senders, schedule->receivers, tree, error);
    *seconds = 0;
    if (status == TOPO_OK)
        status = topo_load_new(tree, params, &load, error);
    for (int t = 0; t < schedule->steps && status == TOPO_OK; t++) {
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++)
            topo_load_message(load, schedule->piece[p].sender, schedule->piece[p].receiver,
                              (double)schedule->piece[p].weight);
        *seconds += topo_load_step(load);
    }
    return status;
}
