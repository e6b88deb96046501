/* Sums of all ranks up to each one, in the order of the ranks.
 *
 * Ranks that follow each other on one node are a run. In step k a rank of a run sends the sum that it has to the one
 * 2^k further, which adds it on the left of its own (Hillis 1986), so the last one has that of the run. So do
 * these last ones among each other, and have the sums of all ranks up to them. Each sends it to the first rank of the
 * next run, which gives it to the others along a binomial tree; they add it on the left. In an exclusive scan a rank
 * also sends what it has of its run to the next one.
 *
 * A rank receives from lower ones alone, so none waits for a higher one but where MPI does, until it has taken what was
 * sent to it.
 *
 * Cost: with runs of p ranks on R nodes, (2 ceil(log_2 p) alpha_node + (ceil(log_2 R) + 1) alpha) and as often m beta;
 * (ceil(log_2 p) + ceil(log_2 R) + 1) m gamma. */
#include "plan/scan.h"

#include "base/memory.h"

enum { SUM, SHIFT, BEFORE }; /* tags */

/* One rank. */
struct scan {
    const struct topo_plan_input *in;
    struct topo_plan *plan;
    enum topo_status status;
    bool exclusive;
    int first, end; /* its run */
    int done;       /* positions on its own block so far, ... */
    int settled;    /* ... and those before the last addition, it included */
    int added;      /* the last task that adds, in steps */
};

static void add_one(struct scan *scan, struct topo_task task, int peer, int block)
{
    task.window = 1;
    if (scan->plan->in_order)
        task.needs = 0;
    if (scan->status == TOPO_OK)
        scan->status = topo_plan_add_one(scan->plan, task, (struct topo_turn){peer, block, 1});
}

/* What the rank has of its own block goes to another one. */
static void send_own(struct scan *scan, int peer, int tag)
{
    add_one(scan, (struct topo_task){.kind = TOPO_TASK_SEND, .tag = tag, .needs = scan->settled, .after = scan->added},
            peer, TOPO_SCAN_OWN);
    scan->done++;
}

static void add_from(struct scan *scan, int peer)
{
    add_one(scan,
            (struct topo_task){.kind = TOPO_TASK_RECEIVE,
                               .tag = SUM,
                               .needs = scan->done,
                               .joined = 1,
                               .own = 1,
                               .after = TOPO_PLAN_NO_TASK},
            peer, TOPO_SCAN_OWN);
    scan->settled = ++scan->done;
    scan->added = scan->plan->in_order ? scan->plan->tasks - 1 : TOPO_PLAN_NO_TASK;
}

/* Another block comes as it is. */
static void receive(struct scan *scan, int peer, int block, int tag)
{
    add_one(scan, (struct topo_task){.kind = TOPO_TASK_RECEIVE, .tag = tag, .after = TOPO_PLAN_NO_TASK}, peer, block);
}

/* Adds up among `count` members, of which this rank is number `own`. */
static void add_up(struct scan *scan, const int *member, int own, int count)
{
    for (int distance = 1; distance < count; distance *= 2) {
        if (own + distance < count)
            send_own(scan, member ? member[own + distance] : scan->first + own + distance, SUM);
        if (own >= distance)
            add_from(scan, member ? member[own - distance] : scan->first + own - distance);
    }
}

/* What is before the run reaches those of its ranks that need it: `count` from the first one on. */
static void give_before(struct scan *scan, int count)
{
    const int own = scan->in->rank - scan->first;
    int received = TOPO_PLAN_NO_TASK;
    if (scan->first == 0 || own >= count)
        return;
    if (own == 0) {
        receive(scan, scan->first - 1, TOPO_SCAN_BEFORE, BEFORE);
        received = scan->plan->tasks - 1;
    }
    for (int distance = 1; distance < count; distance *= 2)
        if (own >= distance && own < 2 * distance) {
            receive(scan, scan->in->rank - distance, TOPO_SCAN_BEFORE, BEFORE);
            received = scan->plan->tasks - 1;
        } else if (own < distance && own + distance < count) {
            add_one(
                scan,
                (struct topo_task){.kind = TOPO_TASK_SEND, .tag = BEFORE, .after = received, .lag = TOPO_PLAN_WHOLE},
                scan->in->rank + distance, TOPO_SCAN_BEFORE);
        }
}

/* How many ranks of a run need to hear of those before: not the last one, unless it wants no more than that. */
static int wants(const struct scan *scan, int first, int end)
{
    return end - first - !scan->exclusive;
}

static int end_of_run(const struct topo_tree *tree, int first)
{
    int end = first + 1;
    while (end < tree->ranks && topo_tree_node_of(tree, end) == topo_tree_node_of(tree, first))
        end++;
    return end;
}

static enum topo_status add_runs(struct scan *scan)
{
    const struct topo_tree *tree = scan->in->tree;
    TOPO_SCOPED int *last = topo_alloc((size_t)tree->ranks, sizeof *last);
    int runs = 0, own = 0, next = scan->end;
    if (!last)
        return TOPO_NOMEM;
    for (int first = 0; first < tree->ranks; first = last[runs++] + 1) {
        last[runs] = end_of_run(tree, first) - 1;
        own = first == scan->first ? runs : own;
    }
    add_up(scan, last, own, runs);
    if (next < tree->ranks && wants(scan, next, end_of_run(tree, next)) > 0)
        send_own(scan, next, BEFORE);
    return scan->status;
}

static enum topo_status scan(const struct topo_plan_input *in, struct topo_plan *plan, bool exclusive)
{
    const struct topo_tree *tree = in->tree;
    struct scan scan = {.in = in, .plan = plan, .exclusive = exclusive, .added = TOPO_PLAN_NO_TASK};
    scan.first = in->rank;
    while (scan.first > 0 && topo_tree_node_of(tree, scan.first - 1) == topo_tree_node_of(tree, in->rank))
        scan.first--;
    scan.end = end_of_run(tree, in->rank);
    topo_plan_cut_sum(in, plan);
    plan->scans = exclusive ? TOPO_SCANS_BEFORE : TOPO_SCANS_TO;
    plan->in_order = in->bytes < TOPO_SCAN_LONG;
    topo_plan_cut_again(plan, exclusive ? TOPO_SCAN_SHIFTED + 1 : TOPO_SCAN_BEFORE + 1);
    plan->cut.bytes *= plan->cut.segments;
    add_up(&scan, NULL, in->rank - scan.first, scan.end - scan.first);
    if (exclusive && in->rank + 1 < scan.end)
        send_own(&scan, in->rank + 1, SHIFT);
    if (in->rank + 1 == scan.end && scan.status == TOPO_OK)
        scan.status = add_runs(&scan);
    if (exclusive && in->rank > scan.first)
        receive(&scan, in->rank - 1, TOPO_SCAN_SHIFTED, SHIFT);
    give_before(&scan, wants(&scan, scan.first, scan.end));
    return scan.status;
}

enum topo_status topo_plan_scan(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return scan(in, plan, false);
}

enum topo_status topo_plan_exscan(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return scan(in, plan, true);
}

bool topo_plan_scan_gets(const struct topo_plan *plan, int block)
{
    bool gets = false;
    for (int i = 0; i < plan->tasks; i++)
        gets |= plan->task[i].kind == TOPO_TASK_RECEIVE && plan->task[i].joined == 0 &&
                plan->turn[plan->task[i].turn].block == block;
    return gets;
}
