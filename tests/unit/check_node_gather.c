/* The allgather between nodes: all blocks arrive, once, over as few links as can be. */
#include "node_steps_play.h"

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

UNIT_MAIN("node_gather", {gather, MACHINES}, {gather_contents, MACHINES})
