/* Sums between nodes: each adds all others once, in their order. */
#include "node_steps_play.h"

#include <string.h>

/* state[node * nodes + other]: how often the value of `other` is in the sum of `node`. A
 * received sum is the sender's as it was before its own part of the same step, which is
 * why every sum is kept per step: state holds the sums before each step one after the other. */
struct sums {
    int nodes, steps;
};
static struct sums sums;

static char *sum_at(char *state, int node, int r)
{
    return state + ((size_t)node * (size_t)(sums.steps + 1) + (size_t)r) * (size_t)sums.nodes;
}

static void reduce_step(const struct play *play, int node, int r, char *state)
{
    const struct topo_node_steps *steps = play->steps[node];
    const char *before = sum_at(state, node, r);
    char *after = sum_at(state, node, r + 1);
    int unit = -1, first_seen = -1;
    for (int i = 0; i < sums.nodes; i++)
        after[i] = before[i];
    ck_assert_int_eq(steps->step[r].receives, steps->step[r].units - 1);
    for (int i = 0; i < steps->step[r].receives; i++) {
        const struct topo_node_message *m = &steps->message[steps->step[r].receive + i];
        const struct topo_node_steps *other = play->steps[m->node];
        ck_assert_msg(m->unit > unit && m->unit != steps->step[r].mine, "units ascend");
        unit = m->unit;
        int sent = -1;
        for (int k = 0; k < other->count; k++)
            for (int s = 0; s < other->step[k].sends; s++)
                if (other->message[other->step[k].send + s].node == node &&
                    other->message[other->step[k].send + s].pair == m->pair)
                    sent = k;
        const char *theirs = sum_at(state, m->node, sent);
        int lowest = -1;
        for (int k = 0; k < sums.nodes; k++) {
            after[k] = (char)(after[k] + theirs[k]);
            if (theirs[k] && lowest < 0)
                lowest = k;
        }
        ck_assert_msg(lowest > first_seen, "sums of the units are of ascending nodes");
        first_seen = lowest;
    }
}

START_TEST(reduce)
{
    for (int radix = 0; radix <= 5; radix++) {
        if (radix == 1)
            continue;
        struct play play = begin(_i, radix, topo_node_steps_reduce);
        sums.nodes = play.levels->nodes;
        sums.steps = play.levels->count;
        char *state = topo_calloc((size_t)sums.nodes * (size_t)(sums.steps + 1) * (size_t)sums.nodes, 1);
        for (int node = 0; node < sums.nodes; node++)
            sum_at(state, node, 0)[node] = 1;
        check_pairs(&play);
        run_all(&play, reduce_step, state);
        for (int node = 0; node < sums.nodes; node++) {
            const char *sum = sum_at(state, node, play.steps[node]->count);
            for (int other = 0; other < sums.nodes; other++)
                ck_assert_msg(sum[other] == 1, "node %d adds node %d once, not %d times", node, other, sum[other]);
        }
        topo_free(state);
        end(&play);
    }
}
END_TEST

static int collect_root;

static enum topo_status collect_there(const struct topo_levels *levels, int node, struct topo_node_steps **steps)
{
    return topo_node_steps_collect(levels, collect_root, node, steps);
}

static void collect_step(const struct play *play, int node, int r, char *state)
{
    const struct topo_node_step *step = &play->steps[node]->step[r];
    if (step->receives > 0) {
        ck_assert_int_eq(step->sends, 0);
        reduce_step(play, node, r, state);
        return;
    }
    ck_assert_int_eq(step->sends, 1);
    ck_assert_msg(r == play->steps[node]->count - 1, "node %d is through when it has sent", node);
    memcpy(sum_at(state, node, r + 1), sum_at(state, node, r), (size_t)sums.nodes);
}

/* The root has every node's value once, and nodes send once into each unit's neighbour: as many messages as other
 * nodes. */
START_TEST(collect)
{
    static const int radix[] = {0, 2, 4};
    for (int i = 0; i < 3; i++)
        for (collect_root = 0;; collect_root++) {
            struct play play = begin(_i, radix[i], collect_there);
            int sent = 0;
            sums.nodes = play.levels->nodes;
            sums.steps = play.levels->count;
            char *state = topo_calloc((size_t)sums.nodes * (size_t)(sums.steps + 1) * (size_t)sums.nodes, 1);
            for (int node = 0; node < sums.nodes; node++) {
                sum_at(state, node, 0)[node] = 1;
                for (int r = 0; r < play.steps[node]->count; r++)
                    sent += play.steps[node]->step[r].sends;
            }
            ck_assert_int_eq(sent, sums.nodes - 1);
            check_pairs(&play);
            run_all(&play, collect_step, state);
            const char *sum = sum_at(state, collect_root, play.steps[collect_root]->count);
            for (int other = 0; other < sums.nodes; other++)
                ck_assert_msg(sum[other] == 1, "root %d adds node %d once, not %d times", collect_root, other,
                              sum[other]);
            topo_free(state);
            end(&play);
            if (collect_root == sums.nodes - 1)
                break;
        }
}
END_TEST

START_TEST(stripes)
{
    ck_assert_int_eq(topo_node_steps_ranges(0, 4, 4), 1);
    ck_assert_int_eq(topo_node_steps_ranges(65535, 4, 4), 1);
    ck_assert_int_eq(topo_node_steps_ranges(65536, 4, 4), 2);
    ck_assert_int_eq(topo_node_steps_ranges((size_t)1 << 40, 4, 4), 4);
    ck_assert_int_eq(topo_node_steps_ranges(32768, 1, 16), 4);
}
END_TEST

/* Of large nodes whose ranks have processors, and none without bytes. */
START_TEST(parts)
{
    ck_assert_int_eq(topo_node_steps_parts(0, 16, false), 1);
    ck_assert_int_eq(topo_node_steps_parts(8192, 16, false), 1);
    ck_assert_int_eq(topo_node_steps_parts(16384, 16, false), 2);
    ck_assert_int_eq(topo_node_steps_parts((size_t)1 << 40, 16, false), TOPO_NODE_STEPS_PARTS_MOST);
    ck_assert_int_eq(topo_node_steps_parts(16384, 4, false), 1);
    ck_assert_int_eq(topo_node_steps_parts(16384, 16, true), 1);
}
END_TEST

START_TEST(out_of_memory)
{
    make_rounds *const makers[] = {topo_node_steps_gather, topo_node_steps_reduce, collect_there};
    struct topo_tree *tree = machine(14);
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_levels_new(tree, 2, &levels), TOPO_OK);
    collect_root = 3;
    for (int m = 0; m < 3; m++) {
        struct topo_node_steps *steps = NULL;
        UNIT_OUT_OF_MEMORY(makers[m](levels, 3, &steps), ck_assert((status == TOPO_OK) == (steps != NULL)));
        topo_node_steps_free(steps);
    }
    topo_node_steps_free(NULL);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("node_steps", {reduce, MACHINES}, {collect, MACHINES}, {stripes}, {parts}, {out_of_memory})
