/* Bruck's allgather and recursive doubling (docs/REFERENCES.md, Mapping 4), and both on renumbered ranks (Mapping 5):
 * `reorder` begins with the rank's own block, so that blocks have virtual numbers, and are put in order at the end;
 * `exch` with the block of the rank with this very number, received in an exchange before all else, so that the blocks
 * are those of the ranks with their numbers.
 *
 * Short blocks of a step travel together; long ones by themselves, each on as soon as it is there, so that the links of
 * all levels work at the same time.
 *
 * Cost: ceil(log2 n) alpha + (n-1) m beta, and exch one message of m bytes. Blind to the machine many of the bytes are
 * on the nodes' links; the mappings keep most off them. */
#include "plan/gather.h"

enum {
    WINDOW = 32,  /* long blocks of a task under way at a time */
    EXCHANGED = 1 /* the task that sends the own block to who has its number */
};

/* Tags: of the blocks that came in a step; of those of later ones; of the exchange. */
enum { LAST_STEP = TOPO_PLAN_TAGS - 2, EXCHANGE };

/* Bruck's numbers count from one to the next, those of recursive doubling by `xor`. */
static int number_at(const struct topo_plan_input *in, bool doubles, int number, int distance)
{
    return doubles ? number ^ distance : (number + distance) % in->tree->ranks;
}

/* `count` blocks that the rank with number `from` holds, between the rank with number `peer` and this one: short ones
 * together, long ones one by one, with a task for those that came to it in each step. What comes again, of these, is
 * not received to where it is sent from. */
static enum topo_status add(const struct topo_plan_input *in, struct topo_plan *plan, enum topo_task_kind kind,
                            bool doubles, int peer, int from, int count, int before)
{
    const int n = in->tree->ranks;
    const bool apart = in->bytes / (size_t)n >= TOPO_PLAN_APART_BYTES;
    struct topo_task task = {.kind = kind,
                             .stride = apart,
                             .xors = apart && doubles,
                             .needs = kind == TOPO_TASK_SEND && apart ? TOPO_PLAN_ALL : 0,
                             .after = before,
                             .lag = TOPO_PLAN_WHOLE};
    const bool again = plan->again && apart && kind == TOPO_TASK_RECEIVE;
    const int own = doubles ? plan->own ^ from : (plan->own - from + n) % n; /* at */
    enum topo_status status = TOPO_OK;
    for (int at = 0, blocks; at < count && status == TOPO_OK; at += blocks) {
        blocks = !apart ? count : at == 0 ? 1 : at < count - at ? at : count - at;
        task.periods = apart ? blocks : 1;
        task.window = task.periods < WINDOW ? task.periods : WINDOW;
        const int first = !apart && doubles ? from & ~(count - 1) : number_at(in, doubles, from, at);
        const struct topo_turn turn = {topo_plan_rank_at(in, peer), first, apart ? 1 : count};
        /* Tasks of the last tag follow one another. */
        if (again && own >= at && own < (task.tag < LAST_STEP ? at + blocks : count) && task.after < 0)
            task.after = EXCHANGED;
        status = topo_plan_add_one(plan, task, turn);
        task.after = before;
        if (task.tag < LAST_STEP)
            task.tag++;
        else
            task.after = plan->tasks - 1;
    }
    return status;
}

/* Rank i's block to who has number i; this number's from the rank with it. */
static enum topo_status exchange(const struct topo_plan_input *in, struct topo_plan *plan, int number)
{
    struct topo_task task = {.kind = TOPO_TASK_RECEIVE, .tag = EXCHANGE, .window = 1, .after = TOPO_PLAN_NO_TASK};
    enum topo_status status = topo_plan_add_one(plan, task, (struct topo_turn){number, number, 1});
    task.kind = TOPO_TASK_SEND;
    return status == TOPO_OK
               ? topo_plan_add_one(plan, task, (struct topo_turn){topo_plan_rank_at(in, in->rank), in->rank, 1})
               : status;
}

static enum topo_status begin(const struct topo_plan_input *in, struct topo_plan *plan, bool exch)
{
    const int number = topo_plan_number(in);
    topo_plan_cut_ranks(in, plan);
    plan->own = exch ? in->rank : number;
    plan->owns = 1;
    plan->again = plan->own != number;
    return plan->again ? exchange(in, plan, number) : TOPO_OK;
}

static enum topo_status run_steps(const struct topo_plan_input *in, struct topo_plan *plan, bool doubles, bool exch)
{
    const int n = in->tree->ranks, number = topo_plan_number(in);
    enum topo_status status = begin(in, plan, exch);
    plan->in_order = in->bytes / (size_t)n < TOPO_PLAN_APART_BYTES;
    plan->lies_first = doubles ? 0 : number;
    for (int held = 1; held < n && status == TOPO_OK; held *= 2) {
        const int count = held < n - held ? held : n - held; /* the last step: what is left */
        const int from = number_at(in, doubles, number, held),
                  to = number_at(in, doubles, number, doubles ? held : n - held);
        const int before = plan->in_order ? plan->tasks - 1 : TOPO_PLAN_NO_TASK;
        status = add(in, plan, TOPO_TASK_RECEIVE, doubles, from, from, count, before);
        if (status == TOPO_OK)
            status = add(in, plan, TOPO_TASK_SEND, doubles, to, number, count, before);
    }
    return status;
}

enum topo_status topo_plan_gather_bruck(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_steps(in, plan, false, false);
}

enum topo_status topo_plan_gather_bruck_exch(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_steps(in, plan, false, true);
}

enum topo_status topo_plan_gather_doubling(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_steps(in, plan, true, false);
}

enum topo_status topo_plan_gather_doubling_exch(const struct topo_plan_input *in, struct topo_plan *plan)
{
    return run_steps(in, plan, true, true);
}
