/* Sums in rounds on every machine: the plans of all ranks end, and bring each operand once (plan/together.h); played
 * through with an operation that is neither associative nor commutative every block gives the same value, that of
 * topo_node_steps_reduce(). */
#include "unit.h"

#include <stdint.h>
#include <string.h>

#include "machines.h"
#include "patterns/limits.h"
#include "patterns/node_steps.h"
#include "patterns/reduce_cut.h"
#include "plan/together.h"

struct play {
    struct topo_tree *tree;
    struct topo_levels *levels;
    struct topo_plan *plan; /* by rank */
};

static struct play begin(struct topo_tree *tree, topo_plan_function *form, struct topo_plan_input call)
{
    struct play play = {.tree = tree};
    ck_assert_int_eq(topo_levels_new(tree, 0, &play.levels), TOPO_OK);
    ck_assert_int_eq(topo_plans_make_all(tree, form, &call, &play.plan), TOPO_OK);
    return play;
}

static void end(struct play *play)
{
    topo_plans_free_all(play->tree, play->plan);
    topo_levels_free(play->levels);
}

static uint64_t combine(uint64_t left, uint64_t right)
{
    return left * 6364136223846793005u + right * 3935559000370003845u + 1442695040888963407u;
}

static bool adds(const struct topo_plan *plan, const struct topo_task *task)
{
    return task->kind == TOPO_TASK_ADD || topo_plan_adds(plan, task);
}

static bool sends_partials(const struct topo_plan *plan, const struct topo_task *task)
{
    return task->kind == TOPO_TASK_SEND && plan->operand[task->turn].into != TOPO_PLAN_TOTAL;
}

/* The rank that drives a block on a node, which exactly one does. */
static int driver_of(const struct play *play, int node, int block)
{
    int found = -1;
    for (int at = play->levels->start[node]; at < play->levels->start[node + 1]; at++) {
        const struct topo_plan *plan = &play->plan[topo_tree_rank(play->tree, at)];
        for (int i = 0; i < plan->tasks; i++)
            for (int turn = 0; turn < plan->task[i].turns && plan->task[i].kind == TOPO_TASK_ADD; turn++)
                if (plan->turn[plan->task[i].turn + turn].block == block) {
                    ck_assert_msg(found < 0, "node %d drives block %d once", node, block);
                    found = topo_tree_rank(play->tree, at);
                }
    }
    ck_assert_msg(found >= 0, "node %d drives block %d", node, block);
    return found;
}

/* An operand and all that is added to it. */
static uint64_t add_operands(const struct topo_plan *plan, const uint64_t *value, int at)
{
    uint64_t sum = value[at];
    for (int i = plan->operand[at].first; i >= 0; i = plan->operand[i].next) {
        ck_assert_int_eq(plan->operand[i].into, at);
        sum = combine(sum, add_operands(plan, value, i));
    }
    return sum;
}

/* The sum that `parent` (-1: nobody) gets from a node. */
static uint64_t add_up(const struct play *play, int node, int block, int parent)
{
    const int rank = driver_of(play, node, block);
    const struct topo_plan *plan = &play->plan[rank];
    uint64_t *value = topo_calloc((size_t)plan->turns, sizeof *value), result;
    int sum = -1, own = -1, to = -1, sent = -1;
    for (int i = 0; i < plan->tasks; i++)
        for (int turn = plan->task[i].turn; turn < plan->task[i].turn + plan->task[i].turns; turn++) {
            if (plan->turn[turn].block != block)
                continue;
            if (sends_partials(plan, &plan->task[i])) {
                to = plan->turn[turn].peer;
                sent = plan->operand[turn].into;
            }
            if (!adds(plan, &plan->task[i]))
                continue;
            own = plan->task[i].kind == TOPO_TASK_ADD ? turn : own;
            value[turn] = plan->task[i].kind == TOPO_TASK_ADD
                              ? (uint64_t)node * 1000003u + 17
                              : add_up(play, topo_tree_node_of(play->tree, plan->turn[turn].peer), block, rank);
            sum = plan->operand[turn].into < 0 ? turn : sum;
        }
    ck_assert_int_eq(to, parent);
    ck_assert_int_eq(plan->operand[sum].into, parent < 0 ? TOPO_PLAN_TOTAL : TOPO_PLAN_PARTIAL);
    ck_assert(parent < 0 ? (sum == own) == (block < plan->in_place) : sent == sum);
    result = add_operands(plan, value, sum);
    topo_free(value);
    return result;
}

/* The same by steps: each node's sum before its steps is its own operand. */
static uint64_t sum_by_steps(const struct topo_levels *sums, int node, int from_step)
{
    struct topo_node_steps *steps;
    uint64_t sum = (uint64_t)node * 1000003u + 17;
    ck_assert_int_eq(topo_node_steps_reduce(sums, node, &steps), TOPO_OK);
    int count = from_step < 0 ? steps->count : from_step;
    for (int r = 0; r < count; r++) {
        uint64_t total = 0;
        const struct topo_node_step *step = &steps->step[r];
        for (int unit = 0, in = 0; unit < step->units; unit++) {
            uint64_t value = sum;
            if (unit != step->mine) {
                const struct topo_node_message *message = &steps->message[step->receive + in++];
                struct topo_node_steps *theirs;
                int met = 0;
                ck_assert_int_eq(topo_node_steps_reduce(sums, message->node, &theirs), TOPO_OK);
                for (int k = 0; k < theirs->count; k++)
                    for (int s = 0; s < theirs->step[k].sends; s++)
                        if (theirs->message[theirs->step[k].send + s].node == node)
                            met = k;
                topo_node_steps_free(theirs);
                value = sum_by_steps(sums, message->node, met);
            }
            total = unit == 0 ? value : combine(total, value);
        }
        sum = total;
    }
    topo_node_steps_free(steps);
    return sum;
}

START_TEST(same_sum_everywhere)
{
    static const int radix[] = {2, 3, 8, 4};
    struct topo_tree *tree = machine(_i);
    for (size_t r = 0; r < 2 * sizeof radix / sizeof *radix; r++)
        for (int stripes = 1; stripes <= 5; stripes += 2) {
            struct topo_levels *sums;
            struct play play = begin(tree, topo_plan_sum_lanes,
                                     (struct topo_plan_input){.root = -1,
                                                              .stripes = stripes,
                                                              .direct = r % 2,
                                                              .oversubscribed = (_i + stripes) % 2,
                                                              .parameters = {.radix = radix[r / 2]}});
            ck_assert_int_eq(topo_levels_new(tree, radix[r / 2], &sums), TOPO_OK);
            uint64_t expected = sum_by_steps(sums, 0, -1);
            for (int block = 0; block < play.levels->nodes * stripes; block++)
                ck_assert_msg(add_up(&play, block / stripes, block, -1) == expected,
                              "block %d is added up in the order of the levels", block);
            topo_levels_free(sums);
            end(&play);
        }
    topo_tree_free(tree);
}
END_TEST

/* So many rounds of all plans. */
static void bind(struct play *play, int rounds)
{
    for (int rank = 0; rank < play->tree->ranks; rank++)
        topo_plan_bind_rounds(&play->plan[rank], rounds, TOPO_REDUCE_WINDOWS);
}

static void prove(struct topo_tree *tree, topo_plan_function *form, struct topo_plan_input call, const char *what)
{
    struct topo_error error = {""};
    struct play play = begin(tree, form, call);
    bind(&play, call.parts);
    ck_assert_msg(topo_plans_together(tree, play.plan, &error) == TOPO_OK,
                  "%s: %d stripes, %d rounds, direct %d, scatters %d, oversubscribed %d, root %d, %d trees: %s", what,
                  call.stripes, call.parts, call.direct, call.scatters, call.oversubscribed, call.root, call.trees,
                  error.text);
    end(&play);
}

/* More rounds than are under way at a time, too. */
START_TEST(together)
{
    struct topo_tree *tree = machine(_i);
    for (int i = _i % 2; i < 24; i += 2)
        prove(tree, topo_plan_sum_lanes,
              (struct topo_plan_input){.root = -1,
                                       .stripes = i % 4 + 1,
                                       .parts = i % 3 * 3 + 1,
                                       .direct = i / 4 % 2,
                                       .scatters = i / 8 % 2,
                                       .oversubscribed = i >= 16},
              "lanes");
    for (int i = _i % 2; i < 20; i += 2)
        prove(tree, topo_plan_reduce_chain,
              (struct topo_plan_input){
                  .root = (i * 7 + _i) % tree->ranks, .stripes = i % 4 + 1, .parts = i % 3 * 5 + 1, .trees = i / 4},
              "chain");
    topo_tree_free(tree);
}
END_TEST

/* Partial sums that leave unit u of level z. */
static int left(const struct play *play, int z, int u)
{
    const struct topo_tree *tree = play->tree;
    int count = 0;
    for (int rank = 0; rank < tree->ranks; rank++) {
        const struct topo_plan *plan = &play->plan[rank];
        for (int i = 0; i < plan->tasks && topo_tree_unit(tree, z, rank) == u; i++)
            for (int turn = 0; turn < plan->task[i].turns && sends_partials(plan, &plan->task[i]); turn++)
                count += topo_tree_unit(tree, z, plan->turn[plan->task[i].turn + turn].peer) != u;
    }
    return count;
}

/* Of each block one partial sum leaves every unit of the tree that its node is not in. */
START_TEST(least_bytes)
{
    struct topo_tree *tree = machine(_i);
    struct play play = begin(tree, topo_plan_sum_lanes,
                             (struct topo_plan_input){.root = -1, .stripes = 2, .parameters = {.radix = 8}});
    for (int z = 0; z <= topo_tree_node_level(tree); z++)
        for (int u = 0; u < tree->units[z]; u++) {
            int inside = 0, leave = left(&play, z, u);
            for (int node = 0; node < play.levels->nodes; node++)
                inside += topo_tree_unit(tree, z, topo_tree_rank(tree, play.levels->start[node])) == u;
            ck_assert_msg(leave == 2 * (play.levels->nodes - inside), "unit %d of level %d sends %d partial sums", u, z,
                          leave);
        }
    end(&play);
    topo_tree_free(tree);
}
END_TEST

/* Blocks that go to other nodes come before the own ones, and are put in the order in which they are added up. */
START_TEST(order)
{
    struct topo_tree *tree = machine(_i);
    struct play play = begin(tree, topo_plan_sum_lanes,
                             (struct topo_plan_input){.root = -1, .stripes = 3, .parameters = {.radix = 2}});
    for (int rank = 0; rank < tree->ranks; rank++) {
        const struct topo_plan *plan = &play.plan[rank];
        const struct topo_turn *put = NULL;
        for (int i = 0; i < plan->tasks; i++) {
            const struct topo_turn *turn = &plan->turn[plan->task[i].turn];
            put = plan->task[i].kind == TOPO_TASK_GIVE ? turn : put;
            for (int at = 0, place = -1; at < plan->task[i].turns && plan->task[i].kind == TOPO_TASK_ADD; at++) {
                do
                    ck_assert_int_lt(++place, 3 * play.levels->nodes);
                while (put[place / 3].block + place % 3 != turn[at].block);
                ck_assert((turn[at].block / 3 == topo_tree_node_of(tree, rank)) ==
                          (place / 3 == play.levels->nodes - 1));
            }
        }
    }
    end(&play);
    topo_tree_free(tree);
}
END_TEST

/* To every root: one partial sum of a block leaves every unit that the root is not in, where trees know no levels every
 * node, none its own; on the root's node the sum ends up in place. */
static void check_collect(int number, int trees)
{
    struct topo_tree *tree = machine(number);
    for (int at = 0; at < tree->ranks; at += topo_tree_node_ranks(tree, topo_tree_rank(tree, at))) {
        const int root = topo_tree_rank(tree, at);
        struct play play =
            begin(tree, topo_plan_reduce_chain, (struct topo_plan_input){.root = root, .stripes = 3, .trees = trees});
        const int node = topo_tree_node_of(tree, root);
        for (int rank = 0; rank < tree->ranks; rank++)
            ck_assert_int_eq(play.plan[rank].in_place, topo_tree_node_of(tree, rank) == node ? 3 : 0);
        for (int block = 0; block < 3; block++)
            add_up(&play, node, block, -1);
        for (int z = trees > 1 ? topo_tree_node_level(tree) : 0; z <= topo_tree_node_level(tree); z++)
            for (int u = 0; u < tree->units[z]; u++)
                ck_assert_int_eq(left(&play, z, u), topo_tree_unit(tree, z, root) == u ? 0 : 3);
        end(&play);
    }
    topo_tree_free(tree);
}

START_TEST(collect)
{
    for (int trees = 0; trees <= 4; trees++)
        check_collect(_i, trees);
}
END_TEST

/* What a rank does: how many turns tasks of a kind have, or that add what they receive; the last peer of those. */
static int turns_of(const struct topo_plan *plan, enum topo_task_kind kind, int *peer)
{
    int turns = 0;
    for (int i = 0; i < plan->tasks; i++)
        if (plan->task[i].kind == kind && plan->task[i].turns > 0) {
            turns += plan->task[i].turns;
            *peer = plan->turn[plan->task[i].turn].peer;
        }
    return turns;
}

/* Steps from the farthest node, and the most partial sums that one node gets of a block. */
static void measure_tree(const char *text, int root, int *deepest, int *most)
{
    struct topo_tree *tree = machine_of(text);
    struct play play =
        begin(tree, topo_plan_reduce_chain,
              (struct topo_plan_input){.root = topo_tree_rank(tree, root * 2), .stripes = 1, .trees = 1});
    *deepest = *most = 0;
    for (int node = 0; node < play.levels->nodes; node++) {
        int steps = 0;
        for (int at = topo_tree_rank(tree, play.levels->start[node]), peer = -1; at >= 0; steps++) {
            const int received = turns_of(&play.plan[at], TOPO_TASK_RECEIVE, &peer);
            *most = received > *most ? received : *most;
            at = turns_of(&play.plan[at], TOPO_TASK_SEND, &peer) ? peer : -1;
        }
        *deepest = steps - 1 > *deepest ? steps - 1 : *deepest;
    }
    end(&play);
    topo_tree_free(tree);
}

START_TEST(tree_depth)
{
    const struct topo_levels sixteen = {.nodes = 16, .count = 1}, thousand = {.nodes = 1024, .count = 1};
    int deepest, most;
    for (int root = 0; root < 16; root += 5) {
        measure_tree("node:16 core:2", root, &deepest, &most);
        ck_assert(deepest == topo_reduce_cut_depth(&sixteen, 1) && most == 2);
        measure_tree("switch:4 node:4 core:2", root, &deepest, &most);
        ck_assert(deepest <= topo_reduce_cut_depth(&sixteen, 1) + 1 && most == 2);
    }
    ck_assert_int_eq(topo_reduce_cut_depth(&thousand, 1), 10);
    ck_assert_int_eq(topo_reduce_cut_depth(&thousand, 0), 1023);
}
END_TEST

/* Blocks that a rank of the second node adds up. */
static int added(const char *text, int local, int stripes, bool oversubscribed)
{
    struct topo_tree *tree = machine_of(text);
    int peer, turns;
    struct play play =
        begin(tree, topo_plan_sum_lanes,
              (struct topo_plan_input){.root = -1, .stripes = stripes, .oversubscribed = oversubscribed});
    turns = turns_of(&play.plan[topo_tree_rank(tree, play.levels->start[1] + local)], TOPO_TASK_ADD, &peer);
    end(&play);
    topo_tree_free(tree);
    return turns;
}

/* All ranks of a node drive as many segments, however few stripes a block has; where they share processors, among many
 * nodes only. */
START_TEST(across)
{
    ck_assert_int_eq(added("node:16 core:4", 0, 1, true), 16);
    ck_assert_int_eq(added("node:16 core:4", 1, 1, true), 0);
    for (int local = 0; local < 4; local++) {
        ck_assert_int_eq(added("node:16 core:4", local, 1, false), 4);
        ck_assert_int_eq(added("node:16 core:4", local, 4, false), 16);
        for (int oversubscribed = 0; oversubscribed < 2; oversubscribed++) {
            ck_assert_int_eq(added("node:20 core:4", local, 1, oversubscribed), 5);
            ck_assert_int_eq(added("node:20 core:4", local, 3, oversubscribed), 15);
            ck_assert_int_eq(added("node:20 core:4", local, 4, oversubscribed), 20);
        }
    }
}
END_TEST

/* What the proof finds. */
START_TEST(faults)
{
    struct topo_tree *tree = machine_of("node:5 core:2");
    static const char *const found[] = {"lacks operands", "waits for ever", "something else", "lacks operands"};
    for (int fault = 0; fault < 4; fault++) {
        struct play play = begin(tree, topo_plan_sum_lanes, (struct topo_plan_input){.root = -1, .stripes = 2});
        struct topo_plan *plan = &play.plan[3];
        struct topo_error error = {""};
        int first = 0, sent = 0;
        bind(&play, 6);
        while (plan->operand[first].into != TOPO_PLAN_TOTAL || plan->operand[first].first < 0)
            first++;
        while (plan->operand[sent].into != TOPO_PLAN_PARTIAL || plan->operand[sent].next < 0)
            sent++;
        if (fault == 0) /* the last operand is forgotten */
            plan->operand[plan->operand[first].first].next = TOPO_PLAN_NONE;
        if (fault == 1) /* a partial sum is not sent on */
            plan->operand[sent].next = TOPO_PLAN_NONE;
        if (fault == 2) /* another block than the receiver's */
            for (int i = 0; i < plan->tasks; i++)
                if (sends_partials(plan, &plan->task[i]))
                    plan->turn[plan->task[i].turn].block = plan->turn[plan->task[i].turn].block == 1 ? 5 : 1;
        if (fault == 3) /* an operand instead of the sum */
            for (int i = 0; i < plan->tasks; i++)
                if (sends_partials(plan, &plan->task[i]))
                    plan->operand[plan->task[i].turn].into = first;
        ck_assert_int_eq(topo_plans_together(tree, play.plan, &error), TOPO_INVALID);
        ck_assert_msg(strstr(error.text, found[fault]), "fault %d: %s", fault, error.text);
        end(&play);
    }
    topo_tree_free(tree);
}
END_TEST

/* _i: 0 all-reduces, 1 chains. */
START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine(14);
    struct topo_plan *plan = NULL;
    const struct topo_plan_input call = {.root = _i - 1, .stripes = 2, .trees = 1};
    UNIT_OUT_OF_MEMORY(topo_plans_make_all(tree, _i ? topo_plan_reduce_chain : topo_plan_sum_lanes, &call, &plan),
                       ck_assert((status == TOPO_OK) == (plan != NULL)));
    topo_plans_free_all(tree, plan);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("sum_lanes", {same_sum_everywhere, MACHINES}, {together, MACHINES}, {least_bytes, MACHINES},
          {order, MACHINES}, {collect, MACHINES}, {tree_depth}, {across}, {faults}, {out_of_memory, 2})
