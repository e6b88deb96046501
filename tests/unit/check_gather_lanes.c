#include "unit.h"

#include "patterns/gather_lanes.h"
#include "machines.h"

/* Lanes of every rank of a machine, by position. */
static struct topo_gather_lanes **lanes_of(const struct topo_levels *levels, int ranks)
{
    struct topo_gather_lanes **lanes = topo_calloc((size_t)ranks, sizeof(struct topo_gather_lanes *));
    for (int at = 0; at < ranks; at++) {
        int node = topo_levels_node(levels, at);
        ck_assert_int_eq(topo_gather_lanes_new(levels, node, at - levels->start[node], TOPO_PATH_RING, &lanes[at]),
                         TOPO_OK);
    }
    return lanes;
}

/* What `from` sends to `to` and what `to` expects of it are the same blocks in the same order. */
static void check_pair(struct topo_gather_lanes **lanes, int from, int to)
{
    const struct topo_gather_lanes *a = lanes[from], *b = lanes[to];
    int at = 0;
    for (int i = 0; i < a->sends; i++) {
        if (a->send[i].peer != to)
            continue;
        while (at < b->receives && b->receive[at].peer != from)
            at++;
        ck_assert_msg(at < b->receives, "%d receives all that %d sends", to, from);
        ck_assert_msg(a->position[a->send[i].block] == b->position[b->receive[at].block],
                      "%d and %d see the blocks between them in one order", from, to);
        at++;
    }
    while (at < b->receives && b->receive[at].peer != from)
        at++;
    ck_assert_msg(at == b->receives, "%d expects no more than %d sends", to, from);
}

/* Plays the lists through, each rank strictly in order: everybody gets everything and nobody waits in a circle. */
static void check_play(const struct topo_levels *levels, struct topo_gather_lanes **lanes, int ranks)
{
    char *has = topo_calloc((size_t)levels->nodes * (size_t)ranks, 1);
    int *sent = topo_calloc((size_t)ranks, sizeof *sent), *received = topo_calloc((size_t)ranks, sizeof *received);
    for (int at = 0; at < ranks; at++)
        has[topo_levels_node(levels, at) * ranks + at] = 1;
    for (bool moved = true; moved;) {
        moved = false;
        for (int at = 0; at < ranks; at++) {
            const struct topo_gather_lanes *mine = lanes[at];
            if (sent[at] == mine->sends)
                continue;
            const struct topo_gather_lane_task *task = &mine->send[sent[at]];
            int position = mine->position[task->block], to = task->peer;
            const struct topo_gather_lanes *theirs = lanes[to];
            if (!has[topo_levels_node(levels, at) * ranks + position] || received[to] == theirs->receives ||
                theirs->receive[received[to]].peer != at ||
                theirs->position[theirs->receive[received[to]].block] != position)
                continue;
            ck_assert_msg(!has[topo_levels_node(levels, to) * ranks + position], "a block enters a node once");
            has[topo_levels_node(levels, to) * ranks + position] = 1;
            sent[at]++;
            received[to]++;
            moved = true;
        }
    }
    for (int i = 0; i < levels->nodes * ranks; i++)
        ck_assert_msg(has[i], "node %d gets the block of position %d", i / ranks, i % ranks);
    topo_free(has);
    topo_free(sent);
    topo_free(received);
}

START_TEST(complete)
{
    struct topo_tree *tree = machine(_i);
    struct topo_levels *levels = NULL;
    int ranks = tree->ranks;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes **lanes = lanes_of(levels, ranks);
    for (int at = 0; at < ranks; at++) {
        ck_assert_int_eq(lanes[at]->blocks, ranks);
        ck_assert_msg(lanes[at]->position[lanes[at]->own] == at, "own block of position %d", at);
        for (int other = 0; other < ranks; other++)
            check_pair(lanes, at, other);
    }
    check_play(levels, lanes, ranks);
    for (int at = 0; at < ranks; at++)
        topo_gather_lanes_free(lanes[at]);
    topo_free(lanes);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

/* Equal nodes: every rank carries as many blocks as every other. */
START_TEST(even)
{
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_synthetic_tree("node:4 core:4", 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes **lanes = lanes_of(levels, 16);
    for (int at = 0; at < 16; at++) {
        ck_assert_msg(lanes[at]->receives == 3 && lanes[at]->sends == 3, "rank %d carries 3 blocks each way", at);
        topo_gather_lanes_free(lanes[at]);
    }
    topo_free(lanes);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine(14);
    struct topo_levels *levels = NULL;
    struct topo_gather_lanes *lanes = NULL;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_gather_lanes_new(levels, 1, 0, TOPO_PATH_RING, &lanes),
                       ck_assert((status == TOPO_OK) == (lanes != NULL)));
    topo_gather_lanes_free(lanes);
    topo_gather_lanes_free(NULL);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("gather_lanes", {complete, MACHINES}, {even}, {out_of_memory})
