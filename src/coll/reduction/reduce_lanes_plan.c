/* Along which levels the sums that all nodes get travel, and a rank's part in them: once for a communicator. */
#include "coll/reduction/reduce_lanes.h"
#include "job/job.h"

bool topo_reduce_lanes_find_direct(const struct topo_comm *comm, size_t bytes, bool *direct)
{
    struct topo_node *node = comm->node;
    if (!node->sum_levels) {
        /* The radix of the short form: it gives the same bits. */
        if (topo_levels_new(comm->tree, TOPO_RADIX, &node->sum_levels) != TOPO_OK)
            return false;
        if (topo_reduce_cut_sent_more(node->levels, node->sum_levels, &node->sent_more) != TOPO_OK) {
            topo_levels_free(node->sum_levels);
            node->sum_levels = NULL;
            return false;
        }
    }
    *direct = topo_reduce_cut_direct(bytes, comm->layout.nodes, node->sent_more, topo_job.oversubscribed);
    return true;
}

const struct topo_reduce_plan *topo_reduce_lanes_plan(const struct topo_comm *comm, int stripes, bool direct)
{
    struct topo_node *node = comm->node;
    if (node->plan && node->plan->stripes == stripes && node->plan_direct == direct)
        return node->plan;
    topo_reduce_plan_free(node->plan);
    node->plan = NULL;
    node->plan_direct = direct;
    topo_reduce_plan_new(direct ? node->levels : node->sum_levels, node->sum_levels, node->index, node->local, stripes,
                         topo_job.oversubscribed, &node->plan);
    return node->plan;
}
