#include "unit.h"

#include "patterns/gather_lanes.h"
#include "machines.h"

/* Lanes of every rank of a machine, by position. */
static struct topo_gather_lanes **lanes_of(const struct topo_levels *levels, int ranks, enum topo_path_kind kind)
{
    struct topo_gather_lanes **lanes = topo_calloc((size_t)ranks, sizeof(struct topo_gather_lanes *));
    for (int at = 0; at < ranks; at++) {
        int node = topo_levels_node(levels, at);
        ck_assert_int_eq(topo_gather_lanes_new(levels, node, at - levels->start[node], kind, &lanes[at]), TOPO_OK);
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

static void check_complete(int index, enum topo_path_kind kind)
{
    struct topo_tree *tree = machine(index);
    struct topo_levels *levels = NULL;
    int ranks = tree->ranks;
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes **lanes = lanes_of(levels, ranks, kind);
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

START_TEST(complete)
{
    check_complete(_i, TOPO_PATH_RING);
    check_complete(_i, TOPO_PATH_TREE);
}
END_TEST

/* Equal nodes: every rank carries as many blocks as every other. */
static void check_even(const char *machine, int ranks, int carried, enum topo_path_kind kind)
{
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_synthetic_tree(machine, 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes **lanes = lanes_of(levels, ranks, kind);
    for (int at = 0; at < ranks; at++) {
        ck_assert_msg(lanes[at]->receives == carried && lanes[at]->sends == carried, "%s: rank %d carries %d each way",
                      machine, at, carried);
        topo_gather_lanes_free(lanes[at]);
    }
    topo_free(lanes);
    topo_levels_free(levels);
    topo_tree_free(tree);
}

START_TEST(even)
{
    for (enum topo_path_kind kind = TOPO_PATH_RING; kind <= TOPO_PATH_TREE; kind++) {
        check_even("node:4 core:4", 16, 3, kind);
        check_even("node:7 core:2", 14, 6, kind);
        check_even("switch:2 node:6 core:2", 24, 11, kind);
    }
}
END_TEST

/* A node of 3 ranks among six of 8: each of its ranks receives 16 of their 48 blocks, in any form. */
START_TEST(shared_out)
{
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_synthetic_tree("node:7 core:8,8,8,8,8,8,3", 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    for (enum topo_path_kind kind = TOPO_PATH_RING; kind <= TOPO_PATH_TREE; kind++) {
        struct topo_gather_lanes **lanes = lanes_of(levels, 51, kind);
        for (int at = 0; at < 51; at++) {
            ck_assert_msg(at < 48 || lanes[at]->receives == 16, "rank %d receives %d", at, lanes[at]->receives);
            topo_gather_lanes_free(lanes[at]);
        }
        topo_free(lanes);
    }
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

/* On 7 nodes of one rank, the last of them: its blocks in order, the fewest messages and the nearest first, and where
 * they come from. Node 6 has distance 3 to node 3, whose block comes by node 4. */
START_TEST(by_trees)
{
    static const int position[] = {6, 5, 4, 2, 3, 1, 0}, from[] = {5, 4, 2, 4, 2, 2};
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    struct topo_gather_lanes *lanes = NULL;
    ck_assert_int_eq(topo_synthetic_tree("node:7 core:1", 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    ck_assert_int_eq(topo_gather_lanes_new(levels, 6, 0, TOPO_PATH_TREE, &lanes), TOPO_OK);
    for (int i = 0; i < 7; i++)
        ck_assert_msg(lanes->position[i] == position[i], "block %d is that of %d, not of %d", i, position[i],
                      lanes->position[i]);
    for (int i = 0; i < 6; i++)
        ck_assert_msg(lanes->receive[i].peer == from[i], "block %d comes from %d, not from %d", i + 1, from[i],
                      lanes->receive[i].peer);
    topo_gather_lanes_free(lanes);
    topo_levels_free(levels);
    topo_tree_free(tree);
}
END_TEST

static void check_cut(const char *machine, bool oversubscribed, size_t longest, enum topo_path_kind kind,
                      size_t segment)
{
    struct topo_tree *tree = NULL;
    struct topo_levels *levels = NULL;
    ck_assert_int_eq(topo_synthetic_tree(machine, 0, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_levels_new(tree, 0, &levels), TOPO_OK);
    struct topo_gather_lanes_cut cut = topo_gather_lanes_cut(levels, oversubscribed, longest);
    ck_assert_msg(cut.kind == kind && cut.segment == segment, "%s: kind %d in segments of %zu", machine, (int)cut.kind,
                  cut.segment);
    topo_levels_free(levels);
    topo_tree_free(tree);
}

/* By trees among more than four nodes or parts of a unit, where each rank has a processor; where nodes differ, blocks
 * of one segment alone. */
START_TEST(cut)
{
    const size_t small = 16 << 10, large = 1 << 20;
    check_cut("node:4 core:16", false, small, TOPO_PATH_RING, 32 << 10);
    check_cut("node:5 core:1", false, large, TOPO_PATH_TREE, 32 << 10);
    check_cut("node:5 core:4", false, large, TOPO_PATH_TREE, 16 << 10);
    check_cut("node:5 core:4", true, small, TOPO_PATH_RING, 32 << 10);
    check_cut("node:5 core:4,3,4,4,4", false, small, TOPO_PATH_TREE, 16 << 10);
    check_cut("node:5 core:4,3,4,4,4", false, small + 1, TOPO_PATH_RING, 32 << 10);
    check_cut("switch:4 node:4 core:4", false, small, TOPO_PATH_RING, 32 << 10);
    check_cut("switch:2 node:6 core:64", false, large, TOPO_PATH_TREE, 8 << 10);
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

UNIT_MAIN("gather_lanes", {complete, MACHINES}, {even}, {shared_out}, {by_trees}, {cut}, {out_of_memory})
