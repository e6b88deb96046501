/* Allgather between nodes in few steps: the vector of a node lies in memory that its ranks share. They put their blocks
 * there; drivers, one of them (`leader`) or all (`radix`), send what the node has to other nodes and receive theirs
 * behind it, step by step (patterns/node_steps.h), so that no message is packed; all copy the result out. Without such
 * memory the first rank of a node collects, exchanges and gives out by messages.
 *
 * Cost of leader: with k nodes in a group that splits into at most r parts a level, ceil(log_r k) (alpha + (r-1) o) +
 * (N-1) p m beta, o the processor's time for a message, plus two hand-overs and n m bytes copied inside the node. Of
 * radix, with which p ranks reach p + 1 nodes in one round (locality-aware Bruck: docs/REFERENCES.md, Node exchanges
 * 1): ceil(log_(p+1) N) alpha + (N-1) p m beta, and n m bytes copied inside the node by each rank. */
#include <limits.h>

#include "patterns/node_steps.h"
#include "plan/gather.h"

enum { STEPS, COLLECT, SPREAD }; /* tags */

/* The rank in its node, and who drives messages there. */
struct here {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    const struct topo_node_steps *steps;
    int first, ranks; /* positions of the node */
    int local;        /* this rank's number in it */
    int drivers;      /* of each node, at most */
};

/* The number in a node of so many ranks of who drives a message. */
static int driver_of(const struct here *here, int ranks, const struct topo_node_message *message)
{
    return message->pair % (here->drivers < ranks ? here->drivers : ranks);
}

static int peer_of(const struct here *here, const struct topo_node_message *message)
{
    const struct topo_levels *levels = here->in->levels;
    int local = driver_of(here, topo_node_ranks(levels, message->node), message);
    return topo_tree_rank(here->in->tree, levels->start[message->node] + local);
}

/* A task with these turns once all tasks before `after` + 1 are over. */
static enum topo_status add_after(const struct here *here, enum topo_task_kind kind, int tag, int after,
                                  struct topo_turn turn)
{
    const struct topo_task task = {.kind = kind, .tag = tag, .window = 1, .after = after, .lag = TOPO_PLAN_WHOLE};
    return topo_plan_add_one(here->plan, task, turn);
}

/* Messages of a step that this rank drives: what goes is all that the node has, what comes lies behind it, message by
 * message; GIVE: what has come is there for the node. */
static enum topo_status add_messages(const struct here *here, enum topo_task_kind kind,
                                     const struct topo_node_message *message, int messages, int held, int after)
{
    struct topo_plan *plan = here->plan;
    const int tasks = plan->tasks;
    enum topo_status status = TOPO_OK;
    for (int i = 0, at = held; i < messages && status == TOPO_OK; at += message[i++].ranks) {
        const bool sends = kind == TOPO_TASK_SEND;
        const struct topo_turn turn = {peer_of(here, &message[i]), sends ? 0 : at, sends ? held : message[i].ranks};
        if (driver_of(here, here->ranks, &message[i]) != here->local)
            continue;
        if (plan->tasks == tasks) {
            status = add_after(here, kind, STEPS, after, turn);
            continue;
        }
        plan->task[tasks].window++;
        status = topo_plan_add_turn(plan, turn);
    }
    return status;
}

/* Returns in *held what the node has after it. */
static enum topo_status add_step(const struct here *here, const struct topo_node_step *step, int *held)
{
    struct topo_plan *plan = here->plan;
    const struct topo_node_message *out = here->steps->message + step->send, *in = here->steps->message + step->receive;
    const int had = *held, before = plan->tasks - 1;
    enum topo_status status = add_messages(here, TOPO_TASK_RECEIVE, in, step->receives, had, before);
    for (int i = 0; i < step->receives; i++)
        *held += in[i].ranks;
    if (status == TOPO_OK)
        status = add_messages(here, TOPO_TASK_SEND, out, step->sends, had, before);
    if (!here->in->shares || *held == had || status != TOPO_OK)
        return status;
    status = add_messages(here, TOPO_TASK_GIVE, in, step->receives, had, plan->tasks - 1);
    return status == TOPO_OK ? add_after(here, TOPO_TASK_TAKE, 0, plan->tasks - 1,
                                         (struct topo_turn){here->in->rank, had, *held - had})
                             : status;
}

/* The node's own blocks lie first, then those of messages as they come. */
static enum topo_status lay_out(const struct here *here)
{
    const struct topo_node_steps *steps = here->steps;
    enum topo_status status = topo_plan_add_span(here->plan, (struct topo_span){here->first, here->ranks});
    for (int r = 0; r < steps->count; r++)
        for (int i = 0; i < steps->step[r].receives; i++) {
            const struct topo_node_message *message = &steps->message[steps->step[r].receive + i];
            for (int s = 0; s < message->spans && status == TOPO_OK; s++)
                status = topo_plan_add_span(here->plan, steps->span[message->span + s]);
        }
    return status;
}

/* Between the first rank of a node and the others, by messages: each one's block, or all. */
static enum topo_status add_members(const struct here *here, bool spreads)
{
    struct topo_plan *plan = here->plan;
    const struct topo_task task = {.kind = spreads ? TOPO_TASK_SEND : TOPO_TASK_RECEIVE,
                                   .tag = spreads ? SPREAD : COLLECT,
                                   .window = here->ranks - 1,
                                   .after = plan->tasks - 1,
                                   .lag = TOPO_PLAN_WHOLE};
    enum topo_status status = here->ranks > 1 ? topo_plan_add(plan, task) : TOPO_OK;
    for (int i = 1; i < here->ranks && status == TOPO_OK; i++)
        status = topo_plan_add_turn(plan, (struct topo_turn){topo_tree_rank(here->in->tree, here->first + i),
                                                             spreads ? 0 : i, spreads ? here->in->tree->ranks : 1});
    return status;
}

static enum topo_status run_steps(const struct here *here)
{
    enum topo_status status = TOPO_OK;
    for (int r = 0, held = here->ranks; r < here->steps->count && status == TOPO_OK; r++)
        status = add_step(here, &here->steps->step[r], &held);
    return status;
}

static enum topo_status by_messages(const struct here *here)
{
    const int all = here->in->tree->ranks, first = topo_tree_rank(here->in->tree, here->first);
    enum topo_status status;
    if (here->local == 0) {
        status = add_members(here, false);
        status = status == TOPO_OK ? run_steps(here) : status;
        return status == TOPO_OK ? add_members(here, true) : status;
    }
    here->plan->again = true;
    status = add_after(here, TOPO_TASK_SEND, COLLECT, TOPO_PLAN_NO_TASK, (struct topo_turn){first, here->local, 1});
    return status == TOPO_OK ? add_after(here, TOPO_TASK_RECEIVE, SPREAD, 0, (struct topo_turn){first, 0, all})
                             : status;
}

static enum topo_status in_memory(const struct here *here)
{
    const bool drives = here->local < here->drivers && here->steps->receives > 0;
    const int rank = here->in->rank;
    enum topo_status status =
        add_after(here, TOPO_TASK_GIVE, 0, TOPO_PLAN_NO_TASK, (struct topo_turn){rank, here->local, 1});
    if (status == TOPO_OK)
        status = add_after(here, TOPO_TASK_TAKE, 0, 0,
                           (struct topo_turn){rank, 0, drives ? here->ranks : here->in->tree->ranks});
    return status == TOPO_OK && drives ? run_steps(here) : status;
}

static enum topo_status gather(const struct topo_plan_input *in, struct topo_plan *plan, int drivers)
{
    const int node = topo_plan_node(in), first = in->levels->start[node];
    struct topo_node_steps *steps = NULL;
    struct here here = {.in = in, .plan = plan, .first = first, .ranks = topo_node_ranks(in->levels, node)};
    enum topo_status status = topo_node_steps_gather(in->divided, node, &steps);
    here.steps = steps;
    here.drivers = in->shares ? topo_given(in->parameters.drivers, drivers) : 1;
    while (topo_tree_rank(in->tree, first + here.local) != in->rank)
        here.local++;
    topo_plan_cut_ranks(in, plan);
    plan->own = here.local;
    plan->owns = 1;
    plan->in_order = true;
    plan->node_vector = in->shares;
    if (status == TOPO_OK)
        status = lay_out(&here);
    if (status == TOPO_OK)
        status = (in->shares ? in_memory : by_messages)(&here);
    topo_node_steps_free(steps);
    return status;
}

enum topo_status topo_plan_gather_leader(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return gather(in, plan, 1);
}

enum topo_status topo_plan_gather_radix(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return gather(in, plan, INT_MAX);
}
