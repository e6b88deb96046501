/* Broadcast of many bytes between many nodes: blocks on a circulant graph (patterns/circulant.h), in which a node
 * receives a block and sends another one in every round.
 *
 * Rounds of long vectors keep together (topo_circulant_together()). Else a rank sends a block as soon as that block is
 * there, whatever else has come, and has receives under way for rounds ahead.
 *
 * Cost: with b blocks of s bytes and n nodes, (b - 1 + ceil(log2 n)) (alpha + s beta), plus two copies inside the node
 * beside them. */
#include "patterns/circulant.h"
#include "plan/forms.h"

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

/* Between nodes, the rounds of a broadcast or, backwards, of a reduction, which keep together where `bytes` says so. */
static enum topo_status drive(const struct topo_plan_input *in, struct topo_plan *plan, size_t bytes,
                              const struct topo_circulant *circulant, const struct topo_turn *received)
{
    const struct topo_circulant_pace pace = topo_circulant_pace_of(bytes, in->oversubscribed);
    struct topo_turn sent[TOPO_CIRCULANT_ROUNDS];
    struct topo_task receive = {.kind = TOPO_TASK_RECEIVE,
                                .stride = circulant->phase,
                                .circulant = true,
                                .backwards = plan->sums,
                                .window = pace.ahead,
                                .joined = plan->sums,
                                .after = TOPO_PLAN_NO_TASK},
                     send = receive;
    const bool receives = plan->sums || circulant->node > 0, sends = !plan->sums || circulant->node > 0;
    const size_t segment = plan->cut.segment * (plan->sums ? in->element : 1);
    enum topo_status status = TOPO_OK;
    send.kind = TOPO_TASK_SEND;
    send.needs = TOPO_PLAN_ALL;
    send.window = pace.behind;
    send.awaited = pace.behind < TOPO_CIRCULANT_BEHIND_MOST ? 1 : topo_circulant_awaited(circulant, segment);
    send.lag = pace.lag;
    fill_phase(in, circulant, true, sent);
    if (receives) {
        send.after = plan->tasks;
        status = topo_plan_add_turns(plan, receive, plan->sums ? sent : received, circulant->phase);
    }
    if (sends && status == TOPO_OK)
        status = topo_plan_add_turns(plan, send, plan->sums ? received : sent, circulant->phase);
    return status;
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
        status = drive(in, plan, in->bytes, &circulant, received);
    if (status != TOPO_OK || number == 0)
        return status == TOPO_OK ? topo_plan_give_node(in, plan) : status;
    /* As they come. */
    const struct topo_task task = {.stride = circulant.phase, .circulant = true};
    return topo_plan_give_turns(in, plan, task, received, circulant.phase);
}

/* The same backwards, for one stripe: where a broadcast receives a block from a node, this sends the partial sum to it,
 * and where it sends one, this receives and adds, in the order of the rounds. Where rounds keep together all stripes
 * have as much under way as one would, as the link is one. */
enum topo_status topo_plan_reduce_circulant(const struct topo_plan_input *in, struct topo_plan *plan)
{
    enum { LEAST = 2048 };
    int nodes = in->levels->nodes, number = topo_levels_number(in->levels, topo_plan_root_node(in), topo_plan_node(in));
    const size_t stripes = (size_t)in->stripes, whole = in->bytes * stripes, given = in->parameters.segment;
    uint64_t segment = topo_circulant_together(whole, in->oversubscribed) && !given
                           ? topo_circulant_segment(whole, nodes, false, 0) / stripes
                           : topo_circulant_segment(in->bytes, nodes, in->oversubscribed, given);
    struct topo_circulant circulant;
    struct topo_turn received[TOPO_CIRCULANT_ROUNDS];
    segment = segment < LEAST ? LEAST : segment;
    topo_plan_cut(
        in, plan,
        topo_pipeline_cut(in->bytes / in->element, segment / in->element > 1 ? segment / in->element : 1, 0, 1));
    topo_circulant_make(nodes, number, topo_plan_blocks(plan), &circulant);
    plan->adds_ahead = true;
    fill_phase(in, &circulant, false, received);
    return nodes > 1 ? drive(in, plan, whole, &circulant, received) : TOPO_OK;
}
