/* Ring allgather (docs/REFERENCES.md, Mapping 4) along the ranks by number, or in tree order, which is a renumbering. A
 * block is passed on as soon as it is there, whatever the links of other levels are at.
 *
 * Cost: (n-1)(alpha + m beta). In tree order each step puts one message of m bytes on
 * each node's link in each direction, whatever the placement. */
#include "plan/gather.h"

/* Receives and sends under way at a time: at any number of ranks only so many requests are looked at. */
enum { WINDOW = 32 };

enum topo_status topo_plan_gather_ring(const struct topo_plan_input *in, struct topo_plan *plan)
{
    const int n = in->tree->ranks, at = topo_plan_number(in), left = (at + n - 1) % n;
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE,
                             .stride = n - 1,
                             .periods = n - 1,
                             .window = n - 1 < WINDOW ? n - 1 : WINDOW,
                             .after = TOPO_PLAN_NO_TASK};
    topo_plan_cut_ranks(in, plan);
    plan->own = at;
    plan->owns = 1;
    if (n == 1)
        return TOPO_OK;
    enum topo_status status = topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_rank_at(in, left), left, 1});
    task.kind = TOPO_TASK_SEND;
    task.needs = TOPO_PLAN_ALL;
    return status == TOPO_OK
               ? topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_rank_at(in, (at + 1) % n), at, 1})
               : status;
}
