/* Broadcast of many bytes: segment by segment from node to node in the tree's order, so that every link carries them
 * once in and once out, and each unit of each level is entered once (where the root is not in the first one, left and
 * entered again). Among many nodes, where a link has time for two copies, the chain is divided (patterns/chain.h).
 *
 * Cost: with p segments of b bytes and n nodes, (p + n - 2) (alpha + b beta), divided (p + log2 n - 1) (alpha + 2 b
 * beta), plus two copies inside the node beside them. */
#include "patterns/chain.h"
#include "plan/forms.h"

enum topo_status topo_plan_bcast_chain(const struct topo_plan_input *in, struct topo_plan *plan)
{
    int nodes = in->levels->nodes, node = topo_plan_node(in), root = topo_plan_root_node(in), next = (node + 1) % nodes;
    bool divided = topo_chain_is_divided(in->bytes, nodes, in->oversubscribed);
    struct topo_chain_place place = {(node > 0 ? node : nodes) - 1, next != root, {next}};
    enum topo_status status = TOPO_OK;
    topo_plan_cut(
        in, plan,
        topo_pipeline_of(in->bytes, topo_chain_passed(nodes, divided), in->oversubscribed, in->parameters.segment));
    if (topo_plan_drives(in)) {
        if (divided)
            status = topo_chain_place(in->levels, root, node, true, &place);
        if (status == TOPO_OK && node != root)
            status = topo_plan_receive_all(in, plan, place.parent);
        for (int i = 0; i < place.children && status == TOPO_OK; i++)
            status = topo_plan_send_all(in, plan, place.child[i]);
    }
    return status == TOPO_OK ? topo_plan_pass_on(in, plan) : status;
}
