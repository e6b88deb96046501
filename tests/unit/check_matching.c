#include "schedule.h"

#include "schedule/matching.h"

/* Is there a perfect matching of edges of at least `least`? One vertex after the other, every way. */
static bool perfect(const struct topo_matching *matching, int64_t least, int left, unsigned taken)
{
    const struct topo_regular *graph = matching->graph;
    if (left == graph->side)
        return true;
    for (int64_t e = graph->row[left]; e < matching->end[left]; e++)
        if (graph->weight[e] >= least && !(taken >> graph->right[e] & 1) &&
            perfect(matching, least, left + 1, taken | 1u << graph->right[e]))
            return true;
    return false;
}

/* Matching by matching until nothing is left: each is perfect, the heavy ones as heavy as can be, and they take phi. */
static void decompose(struct topo_regular *graph, bool heavy, int seed)
{
    struct topo_matching matching;
    int64_t taken = 0, weight;
    ck_assert(topo_matching_start(&matching, graph));
    while ((weight = topo_matching_find(&matching, heavy)) > 0) {
        unsigned used = 0;
        int64_t lightest = INT64_MAX;
        for (int l = 0; l < graph->side; l++) {
            int64_t e = matching.edge_of_left[l];
            ck_assert(e >= graph->row[l] && e < matching.end[l] && !(used >> graph->right[e] & 1));
            used |= 1u << graph->right[e];
            lightest = graph->weight[e] < lightest ? graph->weight[e] : lightest;
        }
        ck_assert_msg(lightest == weight, "seed %d: the lightest edge weighs %d", seed, (int)lightest);
        ck_assert_msg(!heavy || !perfect(&matching, weight + 1, 0, 0), "seed %d: none is heavier", seed);
        topo_matching_take(&matching, weight);
        taken += weight;
    }
    ck_assert_msg(weight == 0 && taken == graph->phi, "seed %d: %d of phi = %d", seed, (int)taken, (int)graph->phi);
    topo_matching_free(&matching);
}

START_TEST(all_of_it)
{
    int tried = 0;
    for (int seed = 0; seed < 2 * SEEDS; seed++) {
        uint64_t state = (uint64_t)seed;
        int64_t weights[16];
        for (int i = 0; i < 16; i++)
            weights[i] = (int64_t)topo_random_below(&state, 6);
        struct topo_matrix *matrix = dense_matrix(4, 4, weights);
        struct topo_regular *graph = NULL;
        if (matrix->messages) {
            ck_assert_int_eq(topo_regular_new(matrix, 1 + seed % 4, 1, &graph, NULL), TOPO_OK);
            tried++;
            decompose(graph, seed % 2, seed);
        }
        topo_regular_free(graph);
        topo_matrix_free(matrix);
    }
    ck_assert_int_gt(tried, SEEDS);
}
END_TEST

START_TEST(not_regular)
{
    int64_t row[] = {0, 1, 2}, weight[] = {1, 1}, message[] = {0, 1};
    int right[] = {0, 0};
    struct topo_regular graph = {2, 2, 1, row, right, weight, message};
    struct topo_matching matching;
    ck_assert(topo_matching_start(&matching, &graph));
    ck_assert_int_eq(topo_matching_find(&matching, false), -1);
    topo_matching_free(&matching);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_matrix *matrix = digit_matrix("12 21");
    struct topo_regular *graph = NULL;
    struct topo_matching matching;
    ck_assert_int_eq(topo_regular_new(matrix, 2, 1, &graph, NULL), TOPO_OK);
    UNIT_OUT_OF_MEMORY(topo_matching_start(&matching, graph) ? TOPO_OK : TOPO_NOMEM, topo_matching_free(&matching));
    topo_regular_free(graph);
    topo_matrix_free(matrix);
}
END_TEST

UNIT_MAIN("matching", {all_of_it}, {not_regular}, {out_of_memory})
