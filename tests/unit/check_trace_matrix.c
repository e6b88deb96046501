#include "unit.h"

#include "predict/mpi/trace_matrix.h"

enum { RANKS = 6, GROUPS = 2, EVENTS = 3 };

/* Ranks are dealt to 2 nodes in turn; the even ones and the odd ones have communicators. */
static const int world[] = {0, 1, 2, 3, 4, 5}, halves[2][3] = {{0, 2, 4}, {1, 3, 5}}, pair[] = {2, 3};
static struct topo_trace_group groups[RANKS][GROUPS];
static struct topo_trace_event events[RANKS][EVENTS];
static struct topo_trace_peer peers[RANKS];
static struct topo_trace_vector vectors[RANKS];
static uint64_t blocks[RANKS][RANKS];
static struct topo_trace_rank ranks[RANKS];
static struct topo_trace_run run;

static struct topo_tree *tree_of(void)
{
    const enum topo_level_kind kind[] = {TOPO_LEVEL_NODE};
    const int nodes[RANKS] = {0, 1, 0, 1, 0, 1};
    struct topo_tree *tree = NULL;
    struct topo_error error;
    ck_assert_int_eq(topo_tree_new(RANKS, 1, kind, nodes, &tree, &error), TOPO_OK);
    return tree;
}

/* Every rank: one collective on the world, one on a group of some ranks, then 10 bytes to the next rank in 2 s. */
static void make_run(unsigned first, unsigned second, const int *members, int count)
{
    run = (struct topo_trace_run){.ranks = RANKS, .rank = ranks};
    for (int r = 0; r < RANKS; r++) {
        const int *half = members ? members : halves[r % 2];
        int own = 0;
        while (own < count && half[own] != r)
            own++;
        groups[r][0] = (struct topo_trace_group){r, RANKS, world};
        groups[r][1] = (struct topo_trace_group){own, count, half};
        for (int i = 0; i < RANKS; i++)
            blocks[r][i] = (uint64_t)(i + 1);
        vectors[r] = (struct topo_trace_vector){RANKS, blocks[r]};
        peers[r] = (struct topo_trace_peer){(r + 1) % RANKS, 1, 10};
        events[r][0] = (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_COLLECTIVE,
                                                 .call = {.op = first, .group = 1, .bytes = 8, .vector = 1}};
        events[r][1] = (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_COLLECTIVE,
                                                 .call = {.op = second, .group = 2, .bytes = 100, .vector = 0}};
        events[r][2] =
            (struct topo_trace_event){.kind = TOPO_TRACE_EVENT_END, .traffic = {1, 2000000000, &peers[r], 1}};
        ranks[r] = (struct topo_trace_rank){.job = {.rank = r, .ranks = RANKS},
                                            .events = events[r],
                                            .count = own < count ? EVENTS : 1,
                                            .tail = {(uint64_t)r * 1000000000, 0},
                                            .groups = groups[r],
                                            .group_count = GROUPS,
                                            .vectors = &vectors[r],
                                            .vector_count = 1};
    }
}

static struct topo_trace_matrix found_of(const struct topo_tree *tree)
{
    struct topo_trace_matrix found;
    struct topo_error error = {""};
    ck_assert_msg(topo_trace_matrix(&run, tree, &found, &error) == TOPO_OK, "%s", error.text);
    return found;
}

START_TEST(messages_are_themselves)
{
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = tree_of();
    make_run(TOPO_TRACE_OP_ALLREDUCE, TOPO_TRACE_OP_BARRIER, NULL, 3);
    struct topo_trace_matrix found = found_of(tree);
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++)
            ck_assert_int_eq(topo_matrix_at(found.matrix, i, j), j == (i + 1) % RANKS ? 10 : 0);
    ck_assert_double_eq_tol(found.messages, 2, 1e-9);
    ck_assert_double_eq_tol(found.run, 7, 1e-9);
    topo_matrix_free(found.matrix);
}
END_TEST

/* Bytes between two ranks of one operation on the world, and of one on some ranks. */
START_TEST(collectives)
{
    static const struct {
        unsigned op;
        int on_world, of_group; /* from 0 to 2 */
    } rows[] = {{TOPO_TRACE_OP_BCAST, 0, 100},
                {TOPO_TRACE_OP_REDUCE, 0, 100},
                {TOPO_TRACE_OP_ALLREDUCE, 0, 200},
                {TOPO_TRACE_OP_ALLGATHER, 0, 300},
                {TOPO_TRACE_OP_ALLTOALL, 0, 100},
                {TOPO_TRACE_OP_GATHER, 0, 100},
                {TOPO_TRACE_OP_ALLTOALLV, 3, 0},
                {TOPO_TRACE_OP_GATHERV, 3, 0},
                {TOPO_TRACE_OP_SCAN, 0, 100},
                {TOPO_TRACE_OP_ALLGATHERV, 0, 0},
                {TOPO_TRACE_OP_BARRIER, 0, 0},
                {4711, 0, 0},
                {TOPO_TRACE_OP_REDUCE_SCATTER_BLOCK, 0, 300}};
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = tree_of();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        make_run(rows[i].op, rows[i].op, NULL, 3);
        struct topo_trace_matrix found = found_of(tree);
        ck_assert_msg(topo_matrix_at(found.matrix, 0, 2) == rows[i].on_world + rows[i].of_group,
                      "operation %u: %d bytes", rows[i].op, (int)topo_matrix_at(found.matrix, 0, 2));
        topo_matrix_free(found.matrix);
    }
}
END_TEST

/* A chain goes from node to node once: 0 and 2 are on one, 1 and 3 on the other. */
START_TEST(chains_go_by_nodes)
{
    static const int four[] = {0, 1, 2, 3};
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = tree_of();
    int64_t between = 0;
    make_run(TOPO_TRACE_OP_BARRIER, TOPO_TRACE_OP_BCAST, four, 4);
    struct topo_trace_matrix found = found_of(tree);
    for (int i = 0; i < RANKS; i++)
        for (int j = 0; j < RANKS; j++)
            if (i % 2 != j % 2)
                between += topo_matrix_at(found.matrix, i, j);
    ck_assert_int_eq(between, 100 + 4 * 10);
    topo_matrix_free(found.matrix);
}
END_TEST

START_TEST(nonsense_and_no_memory)
{
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = tree_of();
    struct topo_trace_matrix found;
    struct topo_error error;
    make_run(TOPO_TRACE_OP_ALLTOALLV, TOPO_TRACE_OP_ALLGATHER, pair, 2);
    for (int r = 0; r < RANKS; r++)
        blocks[r][3] = events[r][1].call.bytes = UINT64_MAX;
    found = found_of(tree);
    ck_assert(topo_matrix_at(found.matrix, 0, 3) > 1 && topo_matrix_at(found.matrix, 2, 3) > 1);
    topo_matrix_free(found.matrix);
    UNIT_OUT_OF_MEMORY(topo_trace_matrix(&run, tree, &found, &error), topo_matrix_free(found.matrix));
}
END_TEST

UNIT_MAIN("trace_matrix", {messages_are_themselves}, {collectives}, {chains_go_by_nodes}, {nonsense_and_no_memory})
