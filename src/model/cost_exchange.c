/* Costs of exchanges by their plans (plan/exchange.h): all that these send is under way together, as windows are as
 * long as a latency at least. */
#include "plan/exchange.h"

#include "model/cost_parts.h"
#include "patterns/limits.h"
#include "plan/run.h"

double topo_cost_bytes(const struct topo_cost_input *in, int from, int to)
{
    const int64_t *matrix = in->call->matrix;
    return matrix ? (double)matrix[(size_t)from * (size_t)in->tree->ranks + (size_t)to] : (double)in->call->bytes;
}

double topo_cost_long_share(int ranks, const int64_t *matrix)
{
    double all = 0, longer = 0;
    for (size_t i = 0; i < (size_t)ranks * (size_t)ranks; i++) {
        all += (double)matrix[i];
        longer += matrix[i] > TOPO_AGGREGATED_MOST ? (double)matrix[i] : 0;
    }
    return all > 0 ? longer / all : 0;
}

/* A block that travels with others, else nothing. */
static double short_bytes(double bytes)
{
    return bytes <= TOPO_AGGREGATED_MOST ? bytes : 0;
}

/* Bytes of the short blocks between two nodes. */
static double aggregate(const struct topo_cost_input *in, const struct topo_levels *levels, int from, int to)
{
    double together = 0;
    for (int i = levels->start[from]; i < levels->start[from + 1]; i++)
        for (int k = levels->start[to]; k < levels->start[to + 1]; k++)
            together += short_bytes(topo_cost_bytes(in, topo_tree_rank(in->tree, i), topo_tree_rank(in->tree, k)));
    return together;
}

/* What the plan of a rank sends: aggregates, or blocks of more than `above` bytes. False: memory is out. */
static bool add_sends(const struct topo_cost_input *in, const struct topo_levels *levels, topo_plan_function *form,
                      int rank, double above)
{
    const struct topo_plan_input call = {.tree = in->tree, .levels = levels, .rank = rank, .bytes = 1};
    struct topo_plan plan = {0};
    const bool good = form(&call, &plan) == TOPO_OK;
    for (const struct topo_task *task = plan.task; good && task < plan.task + plan.tasks; task++)
        for (int i = 0; i < topo_plan_positions(&plan, task) && task->kind == TOPO_TASK_SEND; i++) {
            const struct topo_step step = topo_plan_step_of_round(&plan, task, i);
            if (step.count == 0)
                continue;
            const double bytes = plan.round.firsts
                                     ? aggregate(in, levels, plan.round.node, topo_tree_node_of(in->tree, step.peer))
                                     : topo_cost_bytes(in, rank, step.peer);
            if (plan.round.firsts || bytes > above)
                topo_load_message(in->load, rank, step.peer, bytes);
        }
    topo_plan_free(&plan);
    return good;
}

/* The same of all ranks; of equal blocks those of one kind together. */
static bool add_all(const struct topo_cost_input *in, const struct topo_levels *levels, topo_plan_function *form,
                    double above)
{
    const double bytes = (double)in->call->bytes;
    if (!in->call->matrix && form == topo_plan_exchange_firsts)
        return topo_load_all_firsts(in->load, levels, short_bytes(bytes));
    if (!in->call->matrix)
        return bytes <= above || topo_load_all_pairs(in->load, bytes);
    for (int rank = 0; rank < in->tree->ranks; rank++)
        if (!add_sends(in, levels, form, rank, above))
            return false;
    return true;
}

/* Every rank copies the short blocks that it sends, or receives, into or out of its node's memory. */
static double hand_over(const struct topo_cost_input *in, const struct topo_levels *levels, bool sent)
{
    const int n = in->tree->ranks;
    topo_cost_shm_copy(in, levels, sent);
    for (int rank = 0; rank < n; rank++) {
        double bytes = in->call->matrix ? 0 : short_bytes((double)in->call->bytes) * n;
        for (int other = 0; in->call->matrix && other < n; other++)
            bytes += short_bytes(topo_cost_bytes(in, sent ? rank : other, sent ? other : rank));
        topo_load_memory(in->load, rank, bytes * in->params->copy, bytes, false);
    }
    return topo_load_step(in->load);
}

double topo_cost_exchange(const struct topo_cost_input *in, topo_plan_function *form)
{
    TOPO_SCOPED_BY(topo_levels_end) struct topo_levels *levels = NULL;
    const bool firsts = form == topo_plan_exchange_firsts;
    double seconds = 0;
    if (topo_levels_new(in->tree, 0, &levels) != TOPO_OK)
        return -1;
    if (firsts)
        seconds += hand_over(in, levels, true);
    for (int rank = 0; rank < in->tree->ranks; rank++)
        topo_load_message(in->load, rank, rank, topo_cost_bytes(in, rank, rank));
    if (!add_all(in, levels, topo_plan_exchange, firsts ? TOPO_AGGREGATED_MOST : 0) ||
        (firsts && !add_all(in, levels, form, 0)))
        return -1;
    seconds += topo_load_step(in->load);
    return firsts ? seconds + hand_over(in, levels, false) : seconds;
}
