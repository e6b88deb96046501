/* All blocks arrive, once, over as few links as can be; sums have each node once, in their order. */
#include "node_steps_play.h"

#include <string.h>

/* state[node * ranks + position]: 0 missing, 1 + r = there since step r - 1. */
static void gather_step(const struct play *play, int node, int r, char *state)
{
    const struct topo_node_steps *steps = play->steps[node];
    int ranks = play->tree->ranks;
    for (int i = 0; i < steps->step[r].receives; i++) {
        const struct topo_node_message *m = &steps->message[steps->step[r].receive + i];
        int sum = 0;
        for (int s = 0; s < m->spans; s++) {
            const struct topo_span *span = &steps->span[m->span + s];
            ck_assert(span->count > 0);
            sum += span->count;
            for (int at = span->first; at < span->first + span->count; at++) {
                ck_assert_msg(state[m->node * ranks + at], "node %d has position %d to send", m->node, at);
                ck_assert_msg(!state[node * ranks + at], "position %d comes to node %d once", at, node);
                state[node * ranks + at] = (char)(r + 2);
            }
        }
        ck_assert_int_eq(sum, m->ranks);
    }
}

/* Blocks that enter a unit of a level of the tree from outside: each enters once. */
static void check_least_bytes(const struct play *play)
{
    for (int z = 0; z <= topo_tree_node_level(play->tree); z++) {
        const struct topo_numbers *unit = &play->tree->unit[z];
        int *order = topo_alloc((size_t)play->tree->ranks, sizeof *order);
        topo_tree_order(play->tree, order);
        for (int u = 0; u < play->tree->units[z]; u++) {
            int entered = 0, inside = 0;
            for (int at = 0; at < play->tree->ranks; at++)
                inside += topo_numbers_at(unit, order[at]) == u;
            for (int node = 0; node < play->levels->nodes; node++) {
                const struct topo_node_steps *steps = play->steps[node];
                if (topo_numbers_at(unit, order[play->levels->start[node]]) != u)
                    continue;
                for (int r = 0; r < steps->count; r++)
                    for (int i = 0; i < steps->step[r].receives; i++) {
                        const struct topo_node_message *m = &steps->message[steps->step[r].receive + i];
                        if (topo_numbers_at(unit, order[play->levels->start[m->node]]) != u)
                            entered += m->ranks;
                    }
            }
            ck_assert_msg(entered == play->tree->ranks - inside, "unit %d of level %d: %d blocks come in, not %d", u, z,
                          play->tree->ranks - inside, entered);
        }
        topo_free(order);
    }
}

/* Adds a message's positions to a list of `count`; the new count. */
static int list_message(const struct topo_node_steps *steps, const struct topo_node_message *message, int *list,
                        int count)
{
    for (int s = 0; s < message->spans; s++)
        for (int at = 0; at < steps->span[message->span + s].count; at++)
            list[count++] = steps->span[message->span + s].first + at;
    return count;
}

/* A node sends what it holds in the order in which it came to hold it. */
static void check_order(const struct play *play, int node)
{
    const struct topo_node_steps *steps = play->steps[node];
    int *held = topo_alloc((size_t)play->tree->ranks, sizeof *held);
    int *sent = topo_alloc((size_t)play->tree->ranks, sizeof *sent);
    int count = 0;
    for (int at = play->levels->start[node]; at < play->levels->start[node + 1]; at++)
        held[count++] = at;
    for (int r = 0; r < steps->count; r++) {
        for (int i = 0; i < steps->step[r].sends; i++) {
            ck_assert_int_eq(list_message(steps, &steps->message[steps->step[r].send + i], sent, 0), count);
            ck_assert_mem_eq(sent, held, (size_t)count * sizeof *held);
        }
        for (int i = 0; i < steps->step[r].receives; i++)
            count = list_message(steps, &steps->message[steps->step[r].receive + i], held, count);
    }
    topo_free(held);
    topo_free(sent);
}

START_TEST(gather)
{
    for (int radix = 0; radix <= 5; radix++) {
        if (radix == 1)
            continue;
        struct play play = begin(_i, radix, topo_node_steps_gather);
        int ranks = play.tree->ranks, nodes = play.levels->nodes;
        char *state = topo_calloc((size_t)(nodes * ranks), 1);
        for (int at = 0; at < ranks; at++)
            state[topo_levels_node(play.levels, at) * ranks + at] = 1;
        check_pairs(&play);
        for (int node = 0; node < nodes; node++)
            check_order(&play, node);
        run_all(&play, gather_step, state);
        for (int i = 0; i < nodes * ranks; i++)
            ck_assert_msg(state[i], "node %d has position %d", i / ranks, i % ranks);
        check_least_bytes(&play);
        topo_free(state);
        end(&play);
    }
}
END_TEST

/* What each message of a gather step carries is what its receiver says it gets. */
START_TEST(gather_contents)
{
    struct play play = begin(_i, 2, topo_node_steps_gather);
    for (int node = 0; node < play.levels->nodes; node++) {
        const struct topo_node_steps *mine = play.steps[node];
        for (int r = 0; r < mine->count; r++)
            for (int i = 0; i < mine->step[r].sends; i++) {
                const struct topo_node_message *s = &mine->message[mine->step[r].send + i];
                const struct topo_node_steps *theirs = play.steps[s->node];
                const struct topo_node_message *m =
                    expected(&play, s->node, meeting(&play, node, s->node, s->pair), node, s->pair);
                ck_assert_msg(s->ranks == m->ranks && s->spans == m->spans, "both sides agree on the length");
                for (int k = 0; k < s->spans; k++)
                    ck_assert_msg(mine->span[s->span + k].first == theirs->span[m->span + k].first &&
                                      mine->span[s->span + k].count == theirs->span[m->span + k].count,
                                  "both sides agree on the contents");
            }
    }
    end(&play);
}
END_TEST

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
    ck_assert(topo_node_steps_fits(65535, 4, 4) && !topo_node_steps_fits(65536, 4, 4));
    ck_assert(topo_node_steps_fits(16383, 1, 16) && !topo_node_steps_fits(16384, 1, 16));
    ck_assert(topo_node_steps_fits(65536, 4, 1) && !topo_node_steps_fits(65537, 4, 1));
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

UNIT_MAIN("node_steps", {gather, MACHINES}, {gather_contents, MACHINES}, {reduce, MACHINES}, {collect, MACHINES},
          {stripes}, {parts}, {out_of_memory})
