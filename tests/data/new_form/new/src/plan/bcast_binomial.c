/* Broadcast of few bytes: a binomial tree of nodes, numbered from the root's. A node gets the vector from the one whose
 * number lacks its lowest bit, and sends it to those whose numbers have one of the lower bits more.
 *
 * Cost: with n nodes ceil(log2 n) (alpha + m beta), plus one hand-over and two copies inside the node. */
#include "plan/forms.h"

static int node_of(const struct topo_plan_input *in, int number)
{
    return (number + topo_plan_root_node(in)) % in->levels->nodes;
}

enum topo_status topo_plan_bcast_binomial(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int nodes = in->levels->nodes, number = (topo_plan_node(in) - topo_plan_root_node(in) + nodes) % nodes;
    enum topo_status status = TOPO_OK;
    int bit = 1;
    topo_plan_cut(in, plan, topo_pipeline_of(in->bytes, 0, in->oversubscribed, 0));
    while (bit < nodes && !(number & bit))
        bit *= 2;
    if (topo_plan_drives(in) && number > 0)
        status = topo_plan_receive_all(in, plan, node_of(in, number - bit));
    for (bit /= 2; topo_plan_drives(in) && bit > 0 && status == TOPO_OK; bit /= 2)
        if (number + bit < nodes)
            status = topo_plan_send_all(in, plan, node_of(in, number + bit));
    return status == TOPO_OK ? topo_plan_pass_on(in, plan) : status;
}
