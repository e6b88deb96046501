/* The exchanges between nodes played through on every machine of machines.h: what each node says it sends and receives
 * must agree with what the others say. */
#ifndef TOPO_TESTS_NODE_STEPS_PLAY_H
#define TOPO_TESTS_NODE_STEPS_PLAY_H

#include "unit.h"

#include "patterns/node_steps.h"
#include "machines.h"

typedef enum topo_status make_rounds(const struct topo_levels *levels, int node, struct topo_node_steps **steps);

struct play {
    struct topo_tree *tree;
    struct topo_levels *levels;
    struct topo_node_steps **steps; /* per node */
};

static inline struct play begin(int index, int radix, make_rounds *make)
{
    struct play play = {.tree = machine(index)};
    ck_assert_int_eq(topo_levels_new(play.tree, radix, &play.levels), TOPO_OK);
    play.steps = topo_calloc((size_t)play.levels->nodes, sizeof(struct topo_node_steps *));
    for (int node = 0; node < play.levels->nodes; node++)
        ck_assert_int_eq(make(play.levels, node, &play.steps[node]), TOPO_OK);
    return play;
}

static inline void end(struct play *play)
{
    for (int node = 0; node < play->levels->nodes; node++)
        topo_node_steps_free(play->steps[node]);
    topo_free(play->steps);
    topo_levels_free(play->levels);
    topo_tree_free(play->tree);
}

/* The message that `node` expects from `from` in its step `r` over `pair`; NULL when there is none. */
static inline const struct topo_node_message *expected(const struct play *play, int node, int r, int from, int pair)
{
    const struct topo_node_steps *steps = play->steps[node];
    const struct topo_node_message *found = NULL;
    for (int i = 0; r < steps->count && i < steps->step[r].receives; i++) {
        const struct topo_node_message *message = &steps->message[steps->step[r].receive + i];
        if (message->node == from && message->pair == pair) {
            ck_assert_msg(!found, "one message from node %d over pair %d", from, pair);
            found = message;
        }
    }
    return found;
}

/* The step of `to` that answers step r of `from`: groups with one unit have no step, so
 * numbers can differ; the pair meets once, at the level where they part. */
static inline int meeting(const struct play *play, int from, int to, int pair)
{
    int met = -1;
    for (int r = 0; r < play->steps[to]->count; r++)
        if (expected(play, to, r, from, pair)) {
            ck_assert_msg(met < 0, "nodes %d and %d meet in one round", from, to);
            met = r;
        }
    ck_assert_msg(met >= 0, "node %d expects what node %d sends over pair %d", to, from, pair);
    return met;
}

/* Sends and receives of all nodes match one to one. */
static inline void check_pairs(const struct play *play)
{
    int sends = 0, receives = 0;
    for (int node = 0; node < play->levels->nodes; node++) {
        const struct topo_node_steps *steps = play->steps[node];
        int here = 0;
        for (int r = 0; r < steps->count; r++) {
            sends += steps->step[r].sends;
            here += steps->step[r].receives;
            for (int i = 0; i < steps->step[r].sends; i++) {
                const struct topo_node_message *message = &steps->message[steps->step[r].send + i];
                meeting(play, node, message->node, message->pair);
            }
        }
        ck_assert_int_eq(here, steps->receives);
        receives += here;
    }
    ck_assert_msg(sends == receives, "%d messages sent, %d received", sends, receives);
}

/* Plays steps until nobody can go on: step(node, step) is called when all that the step needs was sent. */
static inline void run_all(const struct play *play, void (*step)(const struct play *, int node, int r, char *state),
                           char *state)
{
    int nodes = play->levels->nodes, *at = topo_calloc((size_t)nodes, sizeof *at);
    for (bool moved = true; moved;) {
        moved = false;
        for (int node = 0; node < nodes; node++) {
            const struct topo_node_steps *steps = play->steps[node];
            bool ready = at[node] < steps->count;
            for (int i = 0; ready && i < steps->step[at[node]].receives; i++) {
                const struct topo_node_message *m = &steps->message[steps->step[at[node]].receive + i];
                /* The sender is in the step that sends this, or past it. */
                const struct topo_node_steps *other = play->steps[m->node];
                int sent = -1;
                for (int r = 0; r < other->count; r++)
                    for (int k = 0; k < other->step[r].sends; k++) {
                        const struct topo_node_message *s = &other->message[other->step[r].send + k];
                        if (s->node == node && s->pair == m->pair)
                            sent = r;
                    }
                ready = sent >= 0 && at[m->node] >= sent;
            }
            if (ready) {
                step(play, node, at[node], state);
                at[node]++;
                moved = true;
            }
        }
    }
    for (int node = 0; node < nodes; node++)
        ck_assert_msg(at[node] == play->steps[node]->count, "node %d gets through", node);
    topo_free(at);
}

#endif
