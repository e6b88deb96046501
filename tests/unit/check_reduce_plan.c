/* Sums are played through on every machine with an operation that is neither
 * associative nor commutative: every block must give the same value, that of
 * topo_node_steps_reduce(). */
#include "unit.h"

#include <stdint.h>

#include "patterns/limits.h"
#include "patterns/node_steps.h"
#include "patterns/reduce_cut.h"
#include "patterns/reduce_plan.h"
#include "machines.h"

struct play {
    struct topo_tree *tree;
    struct topo_levels *levels, *sums; /* along which segments travel, and are added up */
    struct topo_reduce_plan **plan;    /* by position */
    int stripes;
};

static struct play begin(int index, int radix, int radix_of_sums, int stripes)
{
    struct play play = {.tree = machine(index), .stripes = stripes};
    ck_assert_int_eq(topo_levels_new(play.tree, radix, &play.levels), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(play.tree, radix_of_sums, &play.sums), TOPO_OK);
    play.plan = topo_calloc((size_t)play.tree->ranks, sizeof(struct topo_reduce_plan *));
    for (int at = 0; at < play.tree->ranks; at++) {
        int node = topo_levels_node(play.levels, at);
        ck_assert_int_eq(topo_reduce_plan_new(play.levels, play.sums, node, at - play.levels->start[node], stripes,
                                              (index + stripes) % 2, &play.plan[at]),
                         TOPO_OK);
        ck_assert_int_eq(play.plan[at]->segments, play.levels->nodes * stripes);
    }
    return play;
}

static void end(struct play *play)
{
    for (int at = 0; at < play->tree->ranks; at++)
        topo_reduce_plan_free(play->plan[at]);
    topo_free(play->plan);
    topo_levels_free(play->levels);
    topo_levels_free(play->sums);
    topo_tree_free(play->tree);
}

static uint64_t combine(uint64_t left, uint64_t right)
{
    return left * 6364136223846793005u + right * 3935559000370003845u + 1442695040888963407u;
}

/* The task for a piece on a node, which exactly one of its ranks has; *position is that rank's. */
static const struct topo_reduce_plan_task *task_of(const struct play *play, int node, int piece, int *position)
{
    const struct topo_reduce_plan_task *found = NULL;
    for (int at = play->levels->start[node]; at < play->levels->start[node + 1]; at++)
        for (int i = 0; i < play->plan[at]->tasks; i++)
            if (play->plan[at]->task[i].segment == piece) {
                ck_assert_msg(!found, "node %d drives piece %d once", node, piece);
                found = &play->plan[at]->task[i];
                *position = at;
            }
    ck_assert_msg(found, "node %d drives piece %d", node, piece);
    return found;
}

/* An operand and all that is added to it; each takes one from *left. */
static uint64_t add_operands(const struct topo_reduce_plan_operand *all, const uint64_t *value, int at, int *left)
{
    uint64_t sum = value[at];
    for (int i = all[at].first; i >= 0; i = all[i].next) {
        ck_assert_int_eq(all[i].into, at);
        ck_assert_int_ge(--*left, 0);
        sum = combine(sum, add_operands(all, value, i, left));
    }
    return sum;
}

/* The sum that the rank at `parent` (-1: nobody) gets from `node`; counts the nodes that take part. */
static uint64_t add_up(const struct play *play, int node, int piece, int parent, int *nodes)
{
    int position, child_node;
    const struct topo_reduce_plan_task *task = task_of(play, node, piece, &position);
    const struct topo_reduce_plan *plan = play->plan[position];
    uint64_t operand[128];
    ck_assert_int_eq(task->parent, parent);
    ck_assert_int_lt(task->children, 127);
    operand[0] = (uint64_t)node * 1000003u + 17;
    ++*nodes;
    for (int i = 0; i < task->children; i++) {
        ck_assert_int_eq(plan->task_of[task->child + i], (int)(task - plan->task));
        child_node = topo_levels_node(play->levels, plan->child[task->child + i]);
        int driver;
        task_of(play, child_node, piece, &driver);
        ck_assert_msg(driver == plan->child[task->child + i], "the child is the rank that drives the piece there");
        operand[i + 1] = add_up(play, child_node, piece, position, nodes);
    }
    ck_assert_int_eq(plan->operand[task->operand + task->total].into, -1);
    int left = task->children;
    uint64_t sum = add_operands(plan->operand + task->operand, operand, task->total, &left);
    ck_assert_int_eq(left, 0);
    if (parent < 0)
        ck_assert_msg((task->total == 0) == (piece < plan->in_place),
                      "own operands become the result where it says so");
    return sum;
}

/* The same by rounds: each node's sum before its rounds is its own operand. */
static uint64_t sum_by_rounds(const struct play *play, int node, int from_round)
{
    struct topo_node_steps *rounds;
    uint64_t sum = (uint64_t)node * 1000003u + 17;
    ck_assert_int_eq(topo_node_steps_reduce(play->sums, node, &rounds), TOPO_OK);
    int count = from_round < 0 ? rounds->count : from_round;
    for (int r = 0; r < count; r++) {
        uint64_t total = 0;
        const struct topo_node_step *round = &rounds->step[r];
        for (int unit = 0, in = 0; unit < round->units; unit++) {
            uint64_t value = sum;
            if (unit != round->mine) {
                const struct topo_node_message *message = &rounds->message[round->receive + in++];
                struct topo_node_steps *theirs;
                int met = 0;
                ck_assert_int_eq(topo_node_steps_reduce(play->sums, message->node, &theirs), TOPO_OK);
                for (int k = 0; k < theirs->count; k++)
                    for (int s = 0; s < theirs->step[k].sends; s++)
                        if (theirs->message[theirs->step[k].send + s].node == node)
                            met = k;
                topo_node_steps_free(theirs);
                value = sum_by_rounds(play, message->node, met);
            }
            total = unit == 0 ? value : combine(total, value);
        }
        sum = total;
    }
    topo_node_steps_free(rounds);
    return sum;
}

START_TEST(same_sum_everywhere)
{
    static const int radix[][2] = {{0, 0}, {2, 2}, {3, 3}, {8, 8}, {0, 2}, {0, 4}};
    for (size_t r = 0; r < sizeof radix / sizeof *radix; r++)
        for (int stripes = 1; stripes <= 5; stripes += 2) {
            struct play play = begin(_i, radix[r][0], radix[r][1], stripes);
            uint64_t expected = sum_by_rounds(&play, 0, -1);
            for (int piece = 0; piece < play.levels->nodes * stripes; piece++) {
                int nodes = 0;
                uint64_t sum = add_up(&play, piece / stripes, piece, -1, &nodes);
                ck_assert_msg(sum == expected, "piece %d is added up in the order of the levels", piece);
                ck_assert_int_eq(nodes, play.levels->nodes);
            }
            end(&play);
        }
}
END_TEST

/* Partial sums that leave unit u of level z. */
static int left(const struct play *play, int z, int u)
{
    const struct topo_tree *tree = play->tree;
    int count = 0;
    for (int at = 0; at < play->tree->ranks; at++)
        for (int i = 0; i < play->plan[at]->tasks; i++) {
            int parent = play->plan[at]->task[i].parent;
            count += parent >= 0 && topo_tree_unit(tree, z, topo_tree_rank(tree, at)) == u &&
                     topo_tree_unit(tree, z, topo_tree_rank(tree, parent)) != u;
        }
    return count;
}

/* Of each block one partial sum leaves every unit of the tree that its node is not in. */
START_TEST(least_bytes)
{
    struct play play = begin(_i, 8, 8, 2);
    for (int z = 0; z <= topo_tree_node_level(play.tree); z++) {
        for (int u = 0; u < play.tree->units[z]; u++) {
            int inside = 0, leave = left(&play, z, u);
            for (int node = 0; node < play.levels->nodes; node++)
                inside += topo_tree_unit(play.tree, z, topo_tree_rank(play.tree, play.levels->start[node])) == u;
            ck_assert_msg(leave == 2 * (play.levels->nodes - inside), "unit %d of level %d sends %d partial sums", u, z,
                          leave);
        }
    }
    end(&play);
}
END_TEST

/* Pieces that go to other nodes come before the own ones, inner parts before what waits for them. */
START_TEST(order)
{
    struct play play = begin(_i, 2, 2, 3);
    for (int at = 0; at < play.tree->ranks; at++) {
        const struct topo_reduce_plan *plan = play.plan[at];
        bool own = false;
        for (int i = 0; i < plan->tasks; i++) {
            ck_assert_msg(!own || plan->task[i].parent < 0, "own pieces come last");
            own |= plan->task[i].parent < 0;
            int place = plan->task[i].place, block = plan->order[place / play.stripes];
            ck_assert(i == 0 || place > plan->task[i - 1].place);
            ck_assert_int_eq(plan->task[i].segment, block * play.stripes + place % play.stripes);
        }
    }
    end(&play);
}
END_TEST

/* To every root: one partial sum of a piece leaves every unit that the root is not in, where trees know no levels every
 * node, none its own; the operands of all nodes are in it, and on the root's node the sum ends up in place. */
static void check_collect(int number, int trees)
{
    struct play play = {.tree = machine(number), .stripes = 3};
    ck_assert_int_eq(topo_levels_new(play.tree, 0, &play.levels), TOPO_OK);
    play.plan = topo_calloc((size_t)play.tree->ranks, sizeof(struct topo_reduce_plan *));
    for (int root = 0; root < play.levels->nodes; root++) {
        for (int at = 0; at < play.tree->ranks; at++) {
            int node = topo_levels_node(play.levels, at);
            ck_assert_int_eq(topo_reduce_plan_collect(play.levels, root, node, at - play.levels->start[node],
                                                      play.stripes, trees, &play.plan[at]),
                             TOPO_OK);
            ck_assert_int_eq(play.plan[at]->segments, play.stripes);
            ck_assert_int_eq(play.plan[at]->in_place, node == root ? play.stripes : 0);
        }
        for (int piece = 0; piece < play.stripes; piece++) {
            int nodes = 0;
            add_up(&play, root, piece, -1, &nodes);
            ck_assert_int_eq(nodes, play.levels->nodes);
        }
        for (int z = trees > 1 ? topo_tree_node_level(play.tree) : 0; z <= topo_tree_node_level(play.tree); z++)
            for (int u = 0; u < play.tree->units[z]; u++) {
                bool root_inside =
                    topo_tree_unit(play.tree, z, topo_tree_rank(play.tree, play.levels->start[root])) == u;
                ck_assert_int_eq(left(&play, z, u), root_inside ? 0 : play.stripes);
            }
        for (int at = 0; at < play.tree->ranks; at++)
            topo_reduce_plan_free(play.plan[at]);
    }
    topo_free(play.plan);
    topo_levels_free(play.levels);
    topo_tree_free(play.tree);
}

START_TEST(collect)
{
    for (int trees = 0; trees <= 4; trees++)
        check_collect(_i, trees);
}
END_TEST

/* Of messages whose peers and segments these are: each is in the one stream of its peer and its segment, by segments,
 * all of them come before the first one comes again. */
static void check_streams(const struct topo_reduce_plan_stream *stream, const int *peer, const int *segment, int count)
{
    int seen = 0;
    for (int first = 0; first < count; first++) {
        int i = first;
        if (stream[first].first != first)
            continue;
        do {
            const int next = stream[i].next;
            ck_assert_int_eq(stream[i].first, first);
            ck_assert_int_eq(peer[i], peer[first]);
            ck_assert_int_eq(topo_stream_of((unsigned)segment[i]), topo_stream_of((unsigned)segment[first]));
            ck_assert(next == first || segment[next] > segment[i]);
            seen++;
            i = next;
        } while (i != first);
    }
    ck_assert_int_eq(seen, count);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < a; b++)
            ck_assert(
                (stream[a].first == stream[b].first) ==
                (peer[a] == peer[b] && topo_stream_of((unsigned)segment[a]) == topo_stream_of((unsigned)segment[b])));
}

/* So both ends of a stream have its messages in one order; nodes of few ranks share many segments. */
START_TEST(streams)
{
    struct play play = begin(_i, 0, 0, 11);
    for (int at = 0; at < play.tree->ranks; at++) {
        const struct topo_reduce_plan *plan = play.plan[at];
        int peer[1024], segment[1024];
        ck_assert(plan->tasks <= 1024 && plan->children <= 1024);
        for (int i = 0; i < plan->tasks; i++) {
            peer[i] = plan->task[i].parent;
            segment[i] = plan->task[i].segment;
        }
        check_streams(plan->task_stream, peer, segment, plan->tasks);
        for (int i = 0; i < plan->children; i++)
            segment[i] = plan->task[plan->task_of[i]].segment;
        check_streams(plan->child_stream, plan->child, segment, plan->children);
    }
    end(&play);
}
END_TEST

/* Steps from the farthest node, and the most partial sums that one node gets of a segment. */
static void measure_tree(const char *text, int root, int *deepest, int *most)
{
    struct topo_tree *tree = machine_of(text);
    struct topo_levels *levels;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    *deepest = *most = 0;
    for (int node = 0; node < levels->nodes; node++) {
        int steps = 0;
        for (int at = node; at >= 0; steps++) {
            struct topo_reduce_plan *plan;
            ck_assert_int_eq(topo_reduce_plan_collect(levels, root, at, 0, 1, 1, &plan), TOPO_OK);
            *most = plan->children > *most ? plan->children : *most;
            at = plan->task[0].parent < 0 ? -1 : topo_levels_node(levels, plan->task[0].parent);
            topo_reduce_plan_free(plan);
        }
        *deepest = steps - 1 > *deepest ? steps - 1 : *deepest;
    }
    topo_levels_free(levels);
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

static int tasks_of(const char *text, int local, int stripes, bool oversubscribed)
{
    struct topo_tree *tree = machine_of(text);
    struct topo_levels *levels;
    struct topo_reduce_plan *plan;
    ck_assert_int_eq(topo_levels_new(tree, 4, &levels), TOPO_OK);
    ck_assert_int_eq(topo_reduce_plan_new(levels, levels, 1, local, stripes, oversubscribed, &plan), TOPO_OK);
    int tasks = plan->tasks;
    topo_reduce_plan_free(plan);
    topo_levels_free(levels);
    topo_tree_free(tree);
    return tasks;
}

/* All ranks of a node drive as many segments, however few stripes a block has; where they share processors, among many
 * nodes only. */
START_TEST(across)
{
    ck_assert_int_eq(tasks_of("node:16 core:4", 0, 1, true), 16);
    ck_assert_int_eq(tasks_of("node:16 core:4", 1, 1, true), 0);
    for (int local = 0; local < 4; local++) {
        ck_assert_int_eq(tasks_of("node:16 core:4", local, 1, false), 4);
        ck_assert_int_eq(tasks_of("node:16 core:4", local, 4, false), 16);
        for (int oversubscribed = 0; oversubscribed < 2; oversubscribed++) {
            ck_assert_int_eq(tasks_of("node:20 core:4", local, 1, oversubscribed), 5);
            ck_assert_int_eq(tasks_of("node:20 core:4", local, 3, oversubscribed), 15);
            ck_assert_int_eq(tasks_of("node:20 core:4", local, 4, oversubscribed), 20);
        }
    }
}
END_TEST

/* _i: 0 all-reduces, 1 chains. */
START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine(14);
    struct topo_levels *levels = NULL;
    struct topo_reduce_plan *plan = NULL;
    ck_assert_int_eq(topo_levels_new(tree, 2, &levels), TOPO_OK);
    UNIT_OUT_OF_MEMORY(_i ? topo_reduce_plan_collect(levels, 0, 1, 0, 2, 1, &plan)
                          : topo_reduce_plan_new(levels, levels, 1, 0, 2, false, &plan),
                       ck_assert((status == TOPO_OK) == (plan != NULL)));
    topo_reduce_plan_free(plan);
    topo_reduce_plan_free(NULL);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("reduce_plan", {same_sum_everywhere, MACHINES}, {least_bytes, MACHINES}, {order, MACHINES},
          {collect, MACHINES}, {streams, MACHINES}, {tree_depth}, {across}, {out_of_memory, 2})
