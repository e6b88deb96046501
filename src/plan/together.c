#include "plan/together.h"

#include "base/memory.h"
#include "plan/run.h"
#include "plan/scan.h"

/* A position that has begun and not met its other end. */
struct waiting {
    int task;
    int64_t position;
    int peer, tag;
    int64_t first; /* blocks */
    int count;
    size_t bytes;
};

/* One rank. */
struct part {
    struct topo_plan_run run;
    void *memory;
    bool **met;       /* by task and position % window: a position that has begun is over, or will be in its turn */
    bool *all_met;    /* the memory of met[] */
    int *got;         /* by block: how often it came */
    uint64_t *sum;    /* by block of sums: whose operands are in it, nodes' or ranks'; of a scan between(); ... */
    int *sending;     /* ... how many of its sends are under way, ... */
    bool *sent;       /* ... and whether it was sent */
    uint64_t *landed; /* by task and position % window: those of what has come; all blocks of a message have the same */
    uint64_t *operand;        /* sums in rounds: [windows][turns] those of what a turn brings */
    struct waiting *in, *out; /* in the order in which they began */
    int ins, outs;
    int first;   /* the first rank of its node, in which are, of a node's vector or windows: ... */
    bool *given; /* ... by block, whether a rank has given it, or has the total, ... */
    int givens;  /* ... and how many were */
};

struct together {
    const struct topo_tree *tree;
    const struct topo_plan *plan;
    struct part *part;
    struct topo_error *error;
    enum topo_status status;
    bool moved;
    int sums;  /* ranks that add up operands of a node, or theirs */
    int nodes; /* sums in rounds */
};

static void part_free(struct part *part)
{
    topo_free_all(part->memory, part->met, part->all_met, part->got, part->sum, part->sending, part->sent, part->landed,
                  part->in, part->out, part->given, part->operand);
}

static bool part_begin(struct part *part, const struct topo_plan *plan)
{
    size_t windows = 1;
    for (int i = 0; i < plan->tasks; i++)
        windows += (size_t)topo_plan_window(plan, &plan->task[i]);
    part->memory = topo_alloc(topo_plan_run_bytes(plan) + 1, 1);
    part->met = topo_alloc((size_t)plan->tasks + 1, sizeof *part->met);
    part->all_met = topo_calloc(windows, sizeof *part->all_met);
    part->got = topo_calloc((size_t)topo_plan_blocks(plan) + 1, sizeof *part->got);
    part->sum = topo_calloc((size_t)topo_plan_blocks(plan) + 1, sizeof *part->sum);
    part->sending = topo_calloc((size_t)topo_plan_blocks(plan) + 1, sizeof *part->sending);
    part->sent = topo_calloc((size_t)topo_plan_blocks(plan) + 1, sizeof *part->sent);
    part->landed = topo_calloc(windows, sizeof *part->landed);
    part->in = topo_alloc(windows, sizeof *part->in);
    part->out = topo_alloc(windows, sizeof *part->out);
    part->given = topo_calloc((size_t)topo_plan_blocks(plan) + 1, sizeof *part->given);
    part->operand = topo_calloc((size_t)plan->windows * (size_t)plan->turns + 1, sizeof *part->operand);
    if (!part->memory || !part->met || !part->all_met || !part->got || !part->sum || !part->sending || !part->sent ||
        !part->landed || !part->in || !part->out || !part->given || !part->operand)
        return false;
    topo_plan_run_begin(&part->run, plan, part->memory);
    windows = 0;
    for (int i = 0; i < plan->tasks; i++) {
        part->met[i] = part->all_met + windows;
        windows += (size_t)topo_plan_window(plan, &plan->task[i]);
    }
    return true;
}

static bool *met_of(const struct part *part, int task, int64_t position)
{
    return &part->met[task][position % topo_plan_window(part->run.plan, &part->run.plan->task[task])];
}

static uint64_t *landed_of(const struct part *part, int task, int64_t position)
{
    return &part->landed[met_of(part, task, position) - part->all_met];
}

static void fail(struct together *all, int rank, const char *what, int64_t number)
{
    if (all->status == TOPO_OK)
        all->status = topo_fail(all->error, TOPO_INVALID, "rank %d %s %lld", rank, what, (long long)number);
}

/* Whether a rank has a block from the start. */
static bool has(const struct topo_plan *plan, int64_t block)
{
    const int64_t blocks = plan->rounds > 0 ? plan->period : topo_plan_blocks(plan);
    if (plan->pairs && block >= plan->ranks)
        return plan->part[block - plan->ranks].block >= plan->ranks / 2;
    return plan->has_all || (plan->pairs && block == plan->self) ||
           (block % blocks - plan->own + blocks) % blocks < plan->owns;
}

/* How often it gets it. */
static int comes(const struct topo_plan *plan, int64_t block)
{
    return !has(plan, block) || (plan->again && !plan->has_all);
}

/* The blocks of a position have come to a rank. */
static void get(struct together *all, int rank, const struct topo_step *step)
{
    struct part *part = &all->part[rank];
    for (int i = 0; i < step->count; i++) {
        int64_t block = topo_plan_block(&part->run, step->first + i);
        if (topo_plan_length(part->run.plan, block, 1) > 0 && ++part->got[block] > comes(part->run.plan, block))
            fail(all, rank, "gets once more block", block);
        if (part->run.plan->windows > 0) {
            if (all->part[part->first].given[block])
                fail(all, rank, "receives what its node has, block", block);
            all->part[part->first].given[block] = true;
        }
    }
}

/* Whether operands of the one are just before those of the other. */
static bool follow(uint64_t first, uint64_t second)
{
    return (second & -second) >> 1 == UINT64_C(1) << (63 - __builtin_clzll(first));
}

/* The operands of ranks first .. end - 1; 0: of none. */
static uint64_t between(int64_t first, int64_t end)
{
    return end > first ? (uint64_t)first << 32 | (uint64_t)end : 0;
}

/* Those in two sums of a scan that follow each other; false: they do not. */
static bool join(uint64_t before, uint64_t behind, uint64_t *both)
{
    const bool follow = !before || !behind || (uint32_t)before == behind >> 32;
    *both = !before ? behind : !behind ? before : (before >> 32) << 32 | (uint32_t)behind;
    return follow;
}

/* The same of a scan, where a rank's blocks have operands of a row of ranks each. */
static void add_in_row(struct together *all, int rank, int64_t block, uint64_t ranks, bool left, bool replaces)
{
    uint64_t *sum = &all->part[rank].sum[block];
    if (replaces && *sum)
        fail(all, rank, "loses operands of block", block);
    if (!join(left ? ranks : *sum, left ? *sum : ranks, sum))
        fail(all, rank, "adds operands out of their order to block", block);
}

/* What has come is added to a rank's blocks, to the left of what is there or to its right, or takes their place. */
static void add(struct together *all, int rank, const struct topo_step *step, uint64_t nodes, bool left, bool replaces)
{
    struct part *part = &all->part[rank];
    for (int64_t block = step->first; block < step->first + step->count; block++) {
        if (topo_plan_length(part->run.plan, block, 1) == 0)
            continue;
        if (part->sending[block] > 0)
            fail(all, rank, "adds to what is being sent, block", block);
        if (part->run.plan->scans) {
            add_in_row(all, rank, block, nodes, left, replaces);
            continue;
        }
        if (!replaces && part->sum[block] & nodes)
            fail(all, rank, "adds operands twice to block", block);
        if (!replaces && part->run.plan->ordered &&
            !(left ? follow(nodes, part->sum[block]) : follow(part->sum[block], nodes)))
            fail(all, rank, "adds operands out of their order to block", block);
        if (replaces && part->sum[block] & ~nodes)
            fail(all, rank, "loses operands of block", block);
        part->sum[block] |= nodes;
    }
}

/* Adds what has come in the oldest turns of a task that bring the same blocks. False: something is missing, or comes
 * first. */
static bool add_next(struct together *all, int rank, int task)
{
    struct part *part = &all->part[rank];
    const struct topo_task_run *at = &part->run.task[task];
    const int joined = part->run.plan->task[task].joined;
    if (at->begun - at->over < joined || !topo_plan_may_add(&part->run, task))
        return false;
    const struct topo_step first = topo_plan_step(&part->run, task, at->over);
    for (int i = 0; i < joined; i++) {
        const struct topo_step step = topo_plan_step(&part->run, task, at->over + i);
        if (!*met_of(part, task, at->over + i))
            return false;
        if (step.first != first.first || step.count != first.count)
            fail(all, rank, "adds up blocks that differ in task", task);
    }
    for (int i = 0; i < joined; i++) {
        *met_of(part, task, at->over) = false;
        if (first.count > 0)
            add(all, rank, &first, *landed_of(part, task, at->over), part->run.plan->task[task].own > 0, false);
        topo_plan_over(&part->run, task);
    }
    return true;
}

/* A rank does not hand on what it has not got, nor, but for what needs nothing, what comes again. */
static void check_here(struct together *all, int rank, int task, const struct topo_step *step)
{
    const struct part *part = &all->part[rank];
    const struct topo_plan *plan = part->run.plan;
    for (int i = 0; i < step->count; i++) {
        int64_t block = topo_plan_block(&part->run, step->first + i);
        bool here = part->got[block] > 0 || (has(plan, block) && (!plan->again || plan->task[task].needs == 0)) ||
                    (plan->windows > 0 && all->part[part->first].given[block]);
        if (topo_plan_length(plan, block, 1) > 0 && !here)
            fail(all, rank, "hands on before it is here block", block);
    }
}

/* What travels in one message lies in one piece. */
static void check_piece(struct together *all, int rank, const struct waiting *message)
{
    const struct topo_plan *plan = all->part[rank].run.plan;
    int64_t blocks = topo_plan_blocks(plan);
    if ((message->first - plan->lies_first + blocks) % blocks + message->count > blocks)
        fail(all, rank, "has a message in two pieces, from block", message->first);
}

static bool overlap(const struct waiting *a, const struct waiting *b, int64_t blocks)
{
    return (b->first - a->first + blocks) % blocks < a->count || (a->first - b->first + blocks) % blocks < b->count;
}

/* Nothing is received to where something is sent from meanwhile; sums are looked at where they are added. */
static void check_apart(struct together *all, int rank, const struct waiting *message, bool sends)
{
    const struct part *part = &all->part[rank];
    const struct waiting *other = sends ? part->in : part->out;
    for (int i = 0; i < (sends ? part->ins : part->outs) && !part->run.plan->sums; i++)
        if (overlap(message, &other[i], part->run.blocks))
            fail(all, rank, "receives to where it sends from, from block", message->first);
}

/* The operands of nodes in what a turn of a sum in rounds brings. */
static uint64_t *operand_of(const struct part *part, int64_t round, int turn)
{
    const struct topo_plan *plan = part->run.plan;
    return &part->operand[round % plan->windows * plan->turns + turn];
}

/* What a sum in rounds sends: a partial sum, from the place that the plan says, or the total. */
static uint64_t sent_by(const struct part *part, int task, int64_t position)
{
    const struct topo_plan *plan = part->run.plan;
    const struct topo_at at = topo_plan_at(plan, &plan->task[task], position);
    const int into = plan->operand[at.turn].into;
    return into >= 0 ? *operand_of(part, at.round, into) : part->sum[at.round * plan->period + at.block];
}

/* Whether a node, by its first rank, has a block in its windows; one without bytes always is there. */
static bool is_given(const void *of, int64_t round, int block)
{
    const struct part *node = of;
    const int64_t number = round * node->run.plan->period + block;
    return node->given[number] || topo_plan_length(node->run.plan, number, 1) == 0;
}

/* The next message of a task begins. */
static void begin(struct together *all, int rank, int task)
{
    struct part *part = &all->part[rank];
    int64_t position = part->run.task[task].begun;
    const struct topo_step step = topo_plan_step(&part->run, task, position);
    const struct topo_plan *plan = part->run.plan;
    struct waiting waiting = {.task = task,
                              .position = position,
                              .peer = step.peer,
                              .tag = plan->task[task].tag,
                              .first = step.first,
                              .count = step.count,
                              .bytes = step.count > 0 ? topo_plan_length(plan, step.first, step.count) : 0};
    const bool sends = plan->task[task].kind == TOPO_TASK_SEND;
    all->moved = true;
    topo_plan_begun(&part->run, task);
    *met_of(part, task, position) = waiting.bytes == 0;
    *landed_of(part, task, position) = sends && plan->operand ? sent_by(part, task, position) : 0;
    for (int i = 0; i < step.count && sends; i++)
        part->sending[topo_plan_block(&part->run, step.first + i)]++;
    if (waiting.bytes == 0)
        return;
    if (step.peer < 0 || step.peer >= all->tree->ranks || step.peer == rank) {
        fail(all, rank, "has a message with rank", step.peer);
        return;
    }
    check_piece(all, rank, &waiting);
    check_apart(all, rank, &waiting, sends);
    if (sends && plan->sums) {
        for (int64_t block = step.first; block < step.first + step.count; block++)
            part->sent[block] = true;
        part->out[part->outs++] = waiting;
    } else if (sends) {
        check_here(all, rank, task, &step);
        part->out[part->outs++] = waiting;
    } else {
        part->in[part->ins++] = waiting;
    }
}

/* A rank, for what is called back. */
struct adding {
    struct together *all;
    int rank;
};

static void add_operand(void *of, int64_t round, int operand, int into)
{
    const struct adding *adding = of;
    const struct part *part = &adding->all->part[adding->rank];
    const uint64_t *from = operand_of(part, round, operand);
    uint64_t *to = operand_of(part, round, into);
    if (*from & *to)
        fail(adding->all, adding->rank, "adds operands twice in turn", operand);
    *to |= *from;
}

/* The operands of these nodes are there, as what a turn of a sum in rounds brings. */
static void operand_is_there(struct together *all, int rank, struct topo_at at, uint64_t nodes)
{
    struct part *part = &all->part[rank];
    const struct topo_plan *plan = part->run.plan;
    const int64_t block = at.round * plan->period + at.block;
    bool *given = &all->part[part->first].given[block];
    struct adding adding = {all, rank};
    *operand_of(part, at.round, at.turn) = nodes;
    const int sum = topo_plan_operand_is_there(&part->run, at.round, at.turn, add_operand, &adding);
    if (sum < 0)
        return;
    part->sum[block] = *operand_of(part, at.round, sum);
    if (plan->operand[sum].into != TOPO_PLAN_TOTAL)
        return;
    if (part->sum[block] != UINT64_MAX >> (64 - (all->nodes < 64 ? all->nodes : 64)))
        fail(all, rank, "lacks operands in block", block);
    if (*given)
        fail(all, rank, "has once more the total of block", block);
    *given = true;
}

/* The oldest position under way of a task that does not add, or adds as it comes, is over. */
static void end_oldest(struct together *all, int rank, int task)
{
    struct part *part = &all->part[rank];
    const struct topo_plan *plan = part->run.plan;
    const int64_t position = part->run.task[task].over;
    const struct topo_step step = topo_plan_step(&part->run, task, position);
    const bool sends = plan->task[task].kind == TOPO_TASK_SEND;
    *met_of(part, task, position) = false;
    for (int i = 0; i < step.count && sends; i++)
        part->sending[topo_plan_block(&part->run, step.first + i)]--;
    if (plan->operand && !sends)
        operand_is_there(all, rank, topo_plan_at(plan, &plan->task[task], position), *landed_of(part, task, position));
    topo_plan_over(&part->run, task);
}

/* In windows a rank may begin rounds where all of its node are through with what lies there. */
static void find_room(struct together *all, int rank)
{
    struct part *part = &all->part[rank];
    int64_t finished = part->run.plan->rounds;
    for (int other = part->first; other < all->tree->ranks && part->run.plan->windows > 0; other++) {
        const int64_t theirs = all->part[other].first == part->first ? all->part[other].run.finished : finished;
        finished = theirs < finished ? theirs : finished;
    }
    topo_plan_begin_rounds(&part->run, finished + part->run.plan->windows);
}

/* What has come is added before sends are over: nothing but what the plan says may keep it from what they send. */
static void advance(struct together *all, int rank)
{
    struct part *part = &all->part[rank];
    const struct topo_plan *plan = part->run.plan;
    int send;
    find_room(all, rank);
    for (int task = 0; task < plan->tasks; task++)
        while (topo_plan_adds(plan, &plan->task[task]) && !plan->operand && add_next(all, rank, task))
            all->moved = true;
    for (int task = 0; task < plan->tasks; task++) {
        const struct topo_task_run *at = &part->run.task[task];
        const bool waits = topo_plan_adds(plan, &plan->task[task]) && !plan->operand;
        for (; !waits && at->over < at->begun && *met_of(part, task, at->over); all->moved = true)
            end_oldest(all, rank, task);
        while (plan->task[task].kind == TOPO_TASK_RECEIVE && topo_plan_may_begin(&part->run, task))
            begin(all, rank, task);
    }
    while ((send = topo_plan_next_send(&part->run)) >= 0)
        begin(all, rank, send);
}

static void drop(struct waiting *list, int *count, int at)
{
    for (--*count; at < *count; at++)
        list[at] = list[at + 1];
}

/* A message of a scan arrives, from one block into any other. */
static void carry_in_row(struct together *all, int rank, const struct waiting *out, const struct waiting *in,
                         const struct topo_step *step)
{
    const uint64_t sent = all->part[rank].sum[out->first];
    struct part *to = &all->part[out->peer];
    if (topo_plan_adds(to->run.plan, &to->run.plan->task[in->task]))
        *landed_of(to, in->task, in->position) = sent;
    else
        add(all, out->peer, step, sent, false, true);
}

/* A message of partial sums arrives. What is in blocks without bytes does not matter. */
static void carry(struct together *all, int rank, int peer, const struct waiting *in, const struct topo_step *step)
{
    struct part *from = &all->part[rank], *to = &all->part[peer];
    const bool adds = topo_plan_adds(to->run.plan, &to->run.plan->task[in->task]);
    uint64_t *landed = landed_of(to, in->task, in->position);
    for (int64_t block = step->first; block < step->first + step->count; block++) {
        const struct topo_step one = {.first = block, .count = 1};
        if (topo_plan_length(to->run.plan, block, 1) == 0)
            continue;
        if (adds && *landed > 0 && from->sum[block] != *landed)
            fail(all, rank, "sends sums of different operands together, block", block);
        if (!adds)
            add(all, peer, &one, from->sum[block], false, true);
        *landed = from->sum[block];
    }
}

/* The block that a message of an exchange is, or whose part it is. */
static struct topo_plan_part part_of(const struct topo_plan *plan, int64_t block)
{
    return block < plan->ranks ? (struct topo_plan_part){.block = (int)block} : plan->part[block - plan->ranks];
}

/* Whether what is sent is what is received: the same blocks, wherever they lie. */
static bool are_same(const struct topo_plan_run *from, const struct waiting *out, const struct topo_plan_run *to,
                     const struct waiting *in)
{
    bool same = in->count == out->count;
    if (from->plan->pairs) {
        const struct topo_plan_part sent = part_of(from->plan, out->first), received = part_of(to->plan, in->first);
        return same && sent.block == from->plan->ranks / 2 + to->plan->self && received.block == from->plan->self &&
               sent.offset == received.offset && sent.bytes == received.bytes;
    }
    for (int i = 0; i < in->count && same; i++)
        same = topo_plan_number_in(from->plan, topo_plan_block(from, out->first + i)) ==
               topo_plan_number_in(to->plan, topo_plan_block(to, in->first + i));
    return same;
}

/* Sends of a rank that have a receive. */
static void meet(struct together *all, int rank)
{
    struct part *from = &all->part[rank];
    for (int i = 0; i < from->outs; i++) {
        const struct waiting out = from->out[i];
        struct part *to = &all->part[out.peer];
        int at = 0;
        while (at < to->ins && (to->in[at].peer != rank || to->in[at].tag != out.tag))
            at++;
        if (at == to->ins)
            continue;
        const struct waiting in = to->in[at];
        if (!to->run.plan->scans && !are_same(&from->run, &out, &to->run, &in))
            fail(all, rank, "sends something else than is received by rank", out.peer);
        const struct topo_step step = topo_plan_step(&to->run, in.task, in.position);
        if (to->run.plan->operand)
            *landed_of(to, in.task, in.position) = *landed_of(from, out.task, out.position);
        else if (to->run.plan->scans)
            carry_in_row(all, rank, &out, &in, &step);
        else if (to->run.plan->sums)
            carry(all, rank, out.peer, &in, &step);
        else
            get(all, out.peer, &step);
        *met_of(to, in.task, in.position) = *met_of(from, out.task, out.position) = all->moved = true;
        drop(to->in, &to->ins, at);
        drop(from->out, &from->outs, i--);
    }
}

/* The task of a kind that may begin on a rank; -1: none. */
static int ready(const struct part *part, enum topo_task_kind kind)
{
    for (int task = 0; task < part->run.plan->tasks; task++)
        if (part->run.plan->task[task].kind == kind && topo_plan_may_begin(&part->run, task))
            return task;
    return -1;
}

/* A rank gives blocks to the vector of its node. */
static bool give_one(struct together *all, int rank, int task, const struct topo_step *step)
{
    struct part *node = &all->part[all->part[rank].first];
    check_here(all, rank, task, step);
    for (int64_t block = step->first; block < step->first + step->count; block++) {
        if (node->given[block])
            fail(all, rank, "gives what the node has, block", block);
        node->given[block] = true;
        node->givens++;
        all->part[rank].got[block] = 1;
    }
    return true;
}

/* A rank takes what is there once as many blocks are given as lie up to the end of what it takes: then they must be
 * those. False: not yet. */
static bool take_one(struct together *all, int rank, const struct topo_step *step)
{
    const struct part *node = &all->part[all->part[rank].first];
    const int64_t end = step->first + step->count;
    if (node->run.plan->rounds > 0) {
        all->part[rank].got[step->first] |= node->given[step->first];
        return is_given(node, 0, (int)step->first);
    }
    for (int64_t block = 0; block < end && node->givens >= end; block++) {
        if (!node->given[block])
            fail(all, rank, "takes before it is given block", block);
        if (block >= step->first)
            all->part[rank].got[block] = 1;
    }
    return node->givens >= end;
}

/* Whether all ranks of a node have given their operands for a round. */
static bool all_have_given(const struct together *all, int first, int64_t round)
{
    bool given = true;
    for (int rank = first; rank < all->tree->ranks; rank++) {
        const struct part *part = &all->part[rank];
        for (int task = 0; task < part->run.plan->tasks && part->first == first; task++)
            if (part->run.plan->task[task].kind == TOPO_TASK_GIVE)
                given &= part->run.task[task].over / part->run.plan->task[task].turns > round;
    }
    return given;
}

/* A rank adds up the operands of its node. False: some are not there yet. */
static bool add_node(struct together *all, int rank, int task)
{
    const struct part *part = &all->part[rank];
    const struct topo_at at = topo_plan_at(part->run.plan, &part->run.plan->task[task], part->run.task[task].begun);
    if (!all_have_given(all, part->first, at.round))
        return false;
    operand_is_there(all, rank, at, UINT64_C(1) << topo_tree_node_of(all->tree, rank) % 64);
    return true;
}

/* What a rank does in node memory. False: not yet. */
static bool do_one(struct together *all, int rank, int task)
{
    const struct part *part = &all->part[rank];
    const enum topo_task_kind kind = part->run.plan->task[task].kind;
    const struct topo_step step = topo_plan_step(&part->run, task, part->run.task[task].begun);
    if (kind == TOPO_TASK_ADD)
        return add_node(all, rank, task);
    if (kind == TOPO_TASK_TAKE)
        return take_one(all, rank, &step);
    return part->run.plan->sums || give_one(all, rank, task, &step);
}

static void meet_in_node(struct together *all, int rank)
{
    struct part *part = &all->part[rank];
    for (int task = 0; task < part->run.plan->tasks; task++) {
        const enum topo_task_kind kind = part->run.plan->task[task].kind;
        while (kind != TOPO_TASK_SEND && kind != TOPO_TASK_RECEIVE && topo_plan_may_begin(&part->run, task)) {
            if (!do_one(all, rank, task))
                break;
            topo_plan_begun(&part->run, task);
            topo_plan_over(&part->run, task);
            all->moved = true;
        }
    }
}

/* A rank gives, once all others of its node take. */
static void hand_over(struct together *all, int giver)
{
    struct part *from = &all->part[giver];
    const int task = ready(from, TOPO_TASK_GIVE), node = topo_tree_node_of(all->tree, giver);
    if (task < 0)
        return;
    for (int rank = 0; rank < all->tree->ranks; rank++)
        if (rank != giver && topo_tree_node_of(all->tree, rank) == node && ready(&all->part[rank], TOPO_TASK_TAKE) < 0)
            return;
    const struct topo_step given = topo_plan_step(&from->run, task, from->run.task[task].begun);
    check_here(all, giver, task, &given);
    for (int rank = 0; rank < all->tree->ranks; rank++) {
        struct part *to = &all->part[rank];
        int take = rank == giver || topo_tree_node_of(all->tree, rank) != node ? -1 : ready(to, TOPO_TASK_TAKE);
        if (take < 0)
            continue;
        const struct topo_step taken = topo_plan_step(&to->run, take, to->run.task[take].begun);
        if (taken.first != given.first || taken.count != given.count)
            fail(all, giver, "gives something else than is taken by rank", rank);
        get(all, rank, &taken);
        topo_plan_begun(&to->run, take);
        topo_plan_over(&to->run, take);
    }
    topo_plan_begun(&from->run, task);
    topo_plan_over(&from->run, task);
    all->moved = true;
}

/* A rank has the sum of those before it and its own, or of those alone. */
static void check_scan(struct together *all, int rank)
{
    const struct part *part = &all->part[rank];
    const bool own = part->run.plan->scans == TOPO_SCANS_TO;
    uint64_t sum;
    if (!join(part->sum[TOPO_SCAN_BEFORE], part->sum[own ? TOPO_SCAN_OWN : TOPO_SCAN_SHIFTED], &sum) ||
        sum != between(0, rank + own))
        fail(all, rank, "has not the sum up to it in block", TOPO_SCAN_OWN);
}

/* Nothing moves any more. */
static void check_end(struct together *all, int rank)
{
    const struct part *part = &all->part[rank];
    const struct topo_plan *plan = part->run.plan;
    if (part->run.open > 0)
        fail(all, rank, "waits for ever; tasks that are not over:", part->run.open);
    if (plan->scans)
        check_scan(all, rank);
    for (int64_t block = 0; block < part->run.blocks; block++) {
        if (topo_plan_length(plan, block, 1) == 0)
            continue;
        if (!plan->sums && part->got[block] < comes(plan, block))
            fail(all, rank, "never gets block", block);
        if (plan->sums && !plan->scans && !plan->operand && (plan->everywhere || !part->sent[block]) &&
            part->sum[block] != (UINT64_MAX >> (64 - (all->sums < 64 ? all->sums : 64))))
            fail(all, rank, "lacks operands in block", block);
    }
}

enum topo_status topo_plans_together(const struct topo_tree *tree, const struct topo_plan *plan,
                                     struct topo_error *error)
{
    struct together all = {.tree = tree, .plan = plan, .error = error, .status = TOPO_OK, .moved = true};
    all.part = topo_calloc((size_t)tree->ranks, sizeof *all.part);
    for (int rank = 0; rank < tree->ranks; rank++) {
        const int node = topo_tree_node_of(tree, rank);
        if (!all.part || !part_begin(&all.part[rank], &plan[rank]))
            all.status = TOPO_NOMEM;
        for (int first = 0; all.status == TOPO_OK && topo_tree_node_of(tree, first) != node;)
            all.part[rank].first = ++first;
        for (int64_t block = 0; all.status == TOPO_OK && block < topo_plan_blocks(&plan[rank]); block++)
            all.part[rank].sum[block] = plan[rank].operand                    ? 0
                                        : plan[rank].scans == TOPO_SCANS_NONE ? UINT64_C(1) << all.sums % 64
                                        : block == TOPO_SCAN_OWN              ? between(rank, rank + 1)
                                                                              : 0;
        if (all.status == TOPO_OK) {
            all.part[rank].run.is_there = is_given;
            all.part[rank].run.of = &all.part[all.part[rank].first];
        }
        all.nodes = node < all.nodes ? all.nodes : node + 1;
        all.sums += plan[rank].sums;
    }
    while (all.status == TOPO_OK && all.moved) {
        all.moved = false;
        for (int rank = 0; rank < tree->ranks; rank++)
            advance(&all, rank);
        for (int rank = 0; rank < tree->ranks; rank++)
            meet(&all, rank);
        for (int rank = 0; rank < tree->ranks; rank++)
            (plan[rank].node_vector ? meet_in_node : hand_over)(&all, rank);
    }
    for (int rank = 0; rank < tree->ranks && all.part; rank++) {
        if (all.status == TOPO_OK)
            check_end(&all, rank);
        part_free(&all.part[rank]);
    }
    topo_free(all.part);
    return all.status;
}
