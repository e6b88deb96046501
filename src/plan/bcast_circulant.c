/* Broadcast of many bytes between many nodes: blocks on a circulant graph (patterns/circulant.h), in which a node
 * receives a block and sends another one in every round.
 *
 * Rounds of long vectors keep together (topo_circulant_together()). Else a rank sends a block as soon as that block is
 * there, whatever else has come, and has receives under way for rounds ahead.
 *
 * Cost: with b blocks of s bytes and n nodes, (b - 1 + ceil(log2 n)) (alpha + s beta), plus two copies inside the node
 * beside them. */
#include "patterns/circulant.h"
#include "plan/bcast.h"

/* The rounds of a phase, in which a node sends, or receives, these blocks. */
static void fill_phase(const struct topo_plan_input *in, const struct topo_circulant *circulant, bool sends,
                       struct topo_turn *turn)
{
    for (int k = 0; k < circulant->phase; k++) {
        int64_t skip = sends ? circulant->skip[k] : circulant->nodes - circulant->skip[k];
        int number = (int)((circulant->node + skip) % circulant->nodes);
        int node = topo_levels_numbered(in->levels, topo_plan_root_node(in), number);
        /* Nobody sends the root anything. */
        turn[k] = (struct topo_turn){topo_plan_driver(in, node), sends ? circulant->send[k] : circulant->receive[k],
                                     number > 0 || !sends};
    }
}

static enum topo_status add_phase(struct topo_plan *plan, struct topo_task task, const struct topo_turn *turn,
                                  int turns)
{
    enum topo_status status = topo_plan_add(plan, task);
    for (int k = 0; k < turns && status == TOPO_OK; k++)
        status = topo_plan_add_turn(plan, turn[k]);
    return status;
}

/* Between nodes. */
static enum topo_status drive(const struct topo_plan_input *in, struct topo_plan *plan,
                              const struct topo_circulant *circulant, const struct topo_turn *received)
{
    const struct topo_circulant_pace pace = topo_circulant_pace_of(in->bytes, in->oversubscribed);
    struct topo_turn sent[TOPO_CIRCULANT_ROUNDS];
    struct topo_task receive = {.kind = TOPO_TASK_RECEIVE,
                                .stride = circulant->phase,
                                .circulant = true,
                                .window = pace.ahead,
                                .after = TOPO_PLAN_NO_TASK},
                     send = receive;
    send.kind = TOPO_TASK_SEND;
    send.window = pace.behind;
    send.awaited = pace.behind < TOPO_CIRCULANT_BEHIND_MOST ? 1 : topo_circulant_awaited(circulant, plan->cut.segment);
    send.lag = pace.lag;
    enum topo_status status = TOPO_OK;
    if (circulant->node > 0) {
        send.after = plan->tasks;
        status = add_phase(plan, receive, received, circulant->phase);
    }
    fill_phase(in, circulant, true, sent);
    return status == TOPO_OK ? add_phase(plan, send, sent, circulant->phase) : status;
}

enum topo_status topo_plan_bcast_circulant(const struct topo_plan_input *in, struct topo_plan *plan)
{
    int nodes = in->levels->nodes, number = topo_levels_number(in->levels, topo_plan_root_node(in), topo_plan_node(in));
    uint64_t segment = topo_circulant_segment(in->bytes, nodes, in->oversubscribed, in->parameters.segment);
    struct topo_circulant circulant;
    struct topo_turn received[TOPO_CIRCULANT_ROUNDS];
    enum topo_status status = TOPO_OK;
    topo_plan_cut(in, plan, topo_pipeline_cut(in->bytes, (size_t)segment, 0, 1));
    topo_circulant_make(nodes, number, topo_plan_blocks(plan), &circulant);
    fill_phase(in, &circulant, false, received);
    if (topo_plan_drives(in) && nodes > 1)
        status = drive(in, plan, &circulant, received);
    if (status != TOPO_OK || number == 0)
        return status == TOPO_OK ? topo_plan_give_node(in, plan) : status;
    /* As they come. */
    const struct topo_task task = {.stride = circulant.phase, .circulant = true};
    return topo_plan_give_turns(in, plan, task, received, circulant.phase);
}
