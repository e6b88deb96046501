/* Exchanges (docs/ALLTOALLV.md).
 *
 * Cost: the bytes of the busiest link times beta, and alpha + o for each of a rank's messages; in steps the sum over
 * the steps of alpha + the longest message times beta, where they do not overlap. */
#include "plan/exchange.h"

#include "plan/run.h"

/* So many messages at once, or more as long as they are so few bytes, keep the links busy. More long ones at once wait
 * for one another. */
enum { WINDOW = 4, WINDOW_BYTES = 64 << 10 };

/* Segments are eager messages of Open MPI over TCP (up to btl_tcp_eager_limit, 64 KiB with the header). A longer
 * message is a rendezvous, whose handshake waits behind all bytes that are queued on the links. Shorter
 * segments than that limit are faster (docs/measurements/alltoall.md). Messages of more than SEGMENTS_MAX segments go
 * whole: segments may come before they are expected, and shall not fill the receiver's memory. */
enum { SEGMENT = 38 << 10, SEGMENTS_MAX = 13 };

/* Tags: messages of both kinds are under way in one call. */
enum { TAG_RANKS, TAG_FIRSTS };

static void begin(const struct topo_plan_input *in, struct topo_plan *plan, bool firsts)
{
    const int node = topo_plan_node(in), number = firsts ? in->levels->nodes : in->tree->ranks;
    plan->cut.bytes = in->bytes;
    plan->ranks = 2 * number;
    plan->pairs = plan->in_order = true;
    plan->own = plan->owns = number;
    plan->self = firsts ? node : in->rank;
    plan->segment = SEGMENT;
    plan->whole = firsts ? 0 : (size_t)SEGMENT * SEGMENTS_MAX;
    plan->round =
        (struct topo_round){.tree = in->tree, .levels = in->levels, .node = node, .local = 0, .firsts = firsts};
    while (topo_tree_rank(in->tree, in->levels->start[node] + plan->round.local) != in->rank)
        plan->round.local++;
}

/* A message to, or from, each in the round. */
static enum topo_status add_round(struct topo_plan *plan, struct topo_task task)
{
    const int all = topo_plan_positions(plan, &(const struct topo_task){.round = true});
    task.round = true;
    task.window = task.window > 0 && task.window < all ? task.window : all;
    return topo_plan_add_one(plan, task,
                             (struct topo_turn){.block = task.kind == TOPO_TASK_SEND ? plan->ranks / 2 : 0});
}

static enum topo_status add_rest(struct topo_plan *plan, enum topo_task_kind kind, int after)
{
    return add_round(plan, (struct topo_task){.kind = kind, .tag = TAG_RANKS, .after = after});
}

enum topo_status topo_plan_exchange(const struct topo_plan_input *in, struct topo_plan *plan)
{
    begin(in, plan, false);
    enum topo_status status = add_round(plan, (struct topo_task){.kind = TOPO_TASK_SEND,
                                                                 .tag = TAG_RANKS,
                                                                 .flows = true,
                                                                 .window = WINDOW,
                                                                 .few_bytes = WINDOW_BYTES,
                                                                 .after = TOPO_PLAN_NO_TASK});
    return status == TOPO_OK ? add_rest(plan, TOPO_TASK_RECEIVE, TOPO_PLAN_NO_TASK) : status;
}

/* As many segments at once as there are nodes. How long a message is its receiver learns from the first one. */
enum topo_status topo_plan_exchange_firsts(const struct topo_plan_input *in, struct topo_plan *plan)
{
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE, .tag = TAG_FIRSTS, .flows = true, .after = TOPO_PLAN_NO_TASK};
    begin(in, plan, true);
    if (plan->round.local > 0) {
        topo_plan_clear(plan);
        return TOPO_OK;
    }
    enum topo_status status = add_round(plan, task);
    task.kind = TOPO_TASK_SEND;
    return status == TOPO_OK ? add_round(plan, task) : status;
}

/* All messages of a kind in list[first .. end - 1]; none: no task. */
static enum topo_status add_steps(struct topo_plan *plan, const struct topo_step_task *list, int first, int end,
                                  enum topo_task_kind kind, int after)
{
    enum topo_status status = TOPO_OK;
    bool begun = false;
    for (int i = first; i < end && status == TOPO_OK; i++) {
        if ((kind == TOPO_TASK_SEND) != (list[i].send == 1))
            continue;
        if (!begun)
            status = topo_plan_add(plan, (struct topo_task){.kind = kind, .tag = TAG_RANKS, .after = after});
        begun = true;
        if (status == TOPO_OK)
            status = topo_plan_add_turn(plan, (struct topo_turn){(int)list[i].peer, plan->ranks + i, 1});
        if (status == TOPO_OK)
            plan->task[plan->tasks - 1].window++;
    }
    return status;
}

/* Whether a rank waits after an entry of its list. */
static bool waits_after(const struct topo_step_task *list, int count, int i, enum topo_steps_sync sync)
{
    return sync != TOPO_SYNC_NONE && (i + 1 == count || list[i + 1].step != list[i].step) &&
           (sync != TOPO_SYNC_UNEVEN || list[i].uneven);
}

enum topo_status topo_plan_exchange_steps(const struct topo_plan_input *in, const struct topo_step_task *list,
                                          int count, enum topo_steps_sync sync, struct topo_plan *plan)
{
    const bool both = sync == TOPO_SYNC_SENDRECV || sync == TOPO_SYNC_UNEVEN; /* receives begin step by step, too */
    enum topo_status status = TOPO_OK;
    int after = TOPO_PLAN_NO_TASK;
    begin(in, plan, false);
    plan->cut.bytes = 0;
    for (int i = 0; i < count && status == TOPO_OK; i++) {
        const int block = (int)list[i].peer + (list[i].send ? in->tree->ranks : 0);
        const struct topo_plan_part part = {list[i].offset, list[i].bytes, list[i].whole, .block = block};
        status = topo_plan_add_part(plan, part);
    }
    for (int first = 0, end; first < count && status == TOPO_OK; first = end) {
        for (end = first + 1; end < count && !waits_after(list, count, end - 1, sync);)
            end++;
        if (both)
            status = add_steps(plan, list, first, end, TOPO_TASK_RECEIVE, after);
        if (status == TOPO_OK)
            status = add_steps(plan, list, first, end, TOPO_TASK_SEND, after);
        if (waits_after(list, count, end - 1, sync) && plan->tasks > 0)
            after = plan->tasks - 1;
    }
    if (both && status == TOPO_OK)
        status = add_rest(plan, TOPO_TASK_RECEIVE, after);
    if (status == TOPO_OK)
        status = add_rest(plan, TOPO_TASK_SEND, after);
    if (!both && status == TOPO_OK)
        status = add_steps(plan, list, 0, count, TOPO_TASK_RECEIVE, TOPO_PLAN_NO_TASK);
    if (!both && status == TOPO_OK)
        status = add_rest(plan, TOPO_TASK_RECEIVE, TOPO_PLAN_NO_TASK);
    return status;
}
