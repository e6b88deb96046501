#include "schedule.h"

#include <string.h>

#include "machine/synthetic.h"
#include "schedule/links.h"
#include "schedule/ggp.h"

/* A machine of n ranks for seed: nodes even, uneven, by node, under switches. */
static struct topo_tree *machine(int n, int seed)
{
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    int *ids = calloc(2 * (size_t)n, sizeof *ids), per_node = 1 + seed % 5;
    static const enum topo_level_kind kinds[] = {TOPO_LEVEL_SWITCH, TOPO_LEVEL_NODE};
    for (int i = 0; i < n; i++) {
        int node = seed % 2 ? i / per_node : i % ((n + per_node - 1) / per_node);
        if (seed % 7 == 0)
            node = node > 0 ? node - 1 : 0; /* the first one twice as large */
        ids[i] = node / 3;
        ids[n + i] = node;
    }
    bool switches = seed % 3 == 1;
    ck_assert_msg(topo_tree_new(n, switches ? 2 : 1, switches ? kinds : kinds + 1, switches ? ids : ids + n, &tree,
                                &error) == TOPO_OK,
                  "%s", error.text);
    free(ids);
    return tree;
}

static struct topo_link_figures links_of(const struct topo_schedule *schedule, const struct topo_tree *tree)
{
    struct topo_link_figures figures;
    ck_assert_int_eq(topo_schedule_link_figures(schedule, tree, &figures, NULL), TOPO_OK);
    ck_assert_msg(figures.duration >= figures.bound, "no link carries its bytes faster than that");
    return figures;
}

START_TEST(by_hand)
{
    /* Two nodes of two ranks. Ranks 0 and 1 have a message of 4 across and one inside each. */
    struct topo_matrix *matrix = digit_matrix("0440 4004 0000 0000");
    struct topo_tree *tree = NULL;
    struct topo_schedule *together = NULL, *apart = NULL;
    ck_assert_int_eq(topo_synthetic_tree("node:2 core:2", 4, &tree, NULL), TOPO_OK);
    /* The messages are 0-1, 0-2, 1-0, 1-3: of the links' 8 each step carries 4, or one of them all. */
    static const int steps[][4] = {{0, 1, 1, 0}, {0, 1, 0, 1}};
    ck_assert_int_eq(topo_schedule_whole(matrix, steps[0], 2, &apart, NULL), TOPO_OK);
    ck_assert_int_eq(topo_schedule_whole(matrix, steps[1], 2, &together, NULL), TOPO_OK);
    ck_assert_int_eq(links_of(apart, tree).duration, 8);
    ck_assert_int_eq(links_of(together, tree).duration, 8);
    ck_assert_int_eq(links_of(together, tree).bound, 8);
    topo_schedule_free(together);
    topo_schedule_free(apart);
    topo_tree_free(tree);
    topo_matrix_free(matrix);
}
END_TEST

/* Every schedule takes the links' time at least, and their bytes are the matrix's. */
START_TEST(bound)
{
    for (int seed = 1; seed < SEEDS; seed += seed % 3 == 1 ? 1 : 2) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_tree *tree = machine(matrix->senders, seed);
        struct topo_schedule *sdrc = NULL, *drc = NULL;
        ck_assert_int_eq(topo_schedule_sdrc(matrix, &sdrc, NULL), TOPO_OK);
        ck_assert_int_eq(topo_schedule_drc(matrix, &drc, NULL), TOPO_OK);
        ck_assert_int_eq(links_of(sdrc, tree).bound, links_of(drc, tree).bound);
        topo_schedule_free(sdrc);
        topo_schedule_free(drc);
        topo_tree_free(tree);
        topo_matrix_free(matrix);
    }
}
END_TEST

/* Sum over the steps of the dearest part, from the definition. */
static double cost_of(const struct topo_schedule *schedule, const struct topo_tree *tree,
                      const struct topo_params *params)
{
    double sum = 0;
    for (int t = 0; t < schedule->steps; t++) {
        double dearest = 0;
        for (int64_t p = schedule->first[t]; p < schedule->first[t + 1]; p++) {
            const struct topo_piece *piece = &schedule->piece[p];
            const struct topo_link *link =
                topo_params_link(params, tree, topo_tree_shared_levels(tree, piece->sender, piece->receiver));
            double cost = link->alpha + link->beta * (double)piece->weight;
            dearest = cost > dearest ? cost : dearest;
        }
        sum += dearest;
    }
    return sum;
}

START_TEST(short_steps_go)
{
    struct topo_params params;
    double before = 0, after = 0;
    int64_t pieces_before = 0, pieces_after = 0;
    topo_params_default(&params);
    for (int seed = 1; seed < SEEDS; seed += seed % 3 == 1 ? 1 : 2) {
        struct topo_matrix *matrix = seeded_matrix(seed);
        struct topo_tree *tree = machine(matrix->senders, seed);
        struct topo_schedule *from = NULL, *merged = NULL;
        struct topo_ggp ggp = {matrix->senders, 1, seed % 2};
        ck_assert_int_eq(topo_schedule_ggp(matrix, &ggp, &from, NULL, NULL), TOPO_OK);
        ck_assert_int_eq(topo_schedule_merge_steps(matrix, from, tree, &params, &merged, NULL), TOPO_OK);
        struct topo_schedule_figures old = right(from, matrix, TOPO_RULE_MATCHING, "ggp", seed);
        struct topo_schedule_figures new = right(merged, matrix, TOPO_RULE_MATCHING, "merged", seed);
        double was = cost_of(from, tree, &params), is = cost_of(merged, tree, &params);
        ck_assert_msg(is <= was * (1 + 1e-9) && new.steps <= old.steps &&new.pieces <= old.pieces,
                      "seed %d: not dearer (%g s, was %g s), not more steps, not more parts", seed, is, was);
        before += was;
        after += is;
        pieces_before += old.pieces;
        pieces_after += new.pieces;
        topo_schedule_free(from);
        topo_schedule_free(merged);
        topo_tree_free(tree);
        topo_matrix_free(matrix);
    }
    printf("# ggp, start-ups counted: %.6f s as it is, %.6f s without short steps; parts %lld, %lld\n", before, after,
           (long long)pieces_before, (long long)pieces_after);
    ck_assert_msg(after < 0.8 * before, "giving up short steps pays where start-up time counts");
}
END_TEST

START_TEST(seconds)
{
    /* One message between nodes of 1 MiB: alpha + bytes beta, plus the overhead of its two ranks. */
    struct topo_message message = {0, 3, 1 << 20};
    struct topo_params params;
    struct topo_matrix *matrix = NULL;
    struct topo_tree *tree = NULL;
    struct topo_schedule *schedule = NULL;
    double seconds;
    topo_params_default(&params);
    params.overhead = 0;
    ck_assert_int_eq(topo_matrix_new(4, 4, &message, 1, &matrix, NULL), TOPO_OK);
    ck_assert_int_eq(topo_synthetic_tree("node:2 core:2", 4, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_schedule_sdrc(matrix, &schedule, NULL), TOPO_OK);
    ck_assert_int_eq(topo_schedule_seconds(schedule, tree, &params, &seconds, NULL), TOPO_OK);
    const struct topo_link *link = topo_params_link(&params, tree, 0);
    double expected = link->alpha + link->beta * (1 << 20);
    ck_assert_msg(seconds >= 0.999 * expected && seconds <= 2 * expected, "%g s, a message alone takes %g s", seconds,
                  expected);
    topo_schedule_free(schedule);
    topo_tree_free(tree);
    topo_matrix_free(matrix);
}
END_TEST

START_TEST(refuses_other_sizes)
{
    struct topo_matrix *matrix = digit_matrix("123 456 789");
    struct topo_tree *tree = NULL;
    struct topo_schedule *schedule = NULL, *made = NULL;
    struct topo_link_figures figures;
    struct topo_params params;
    double seconds;
    topo_params_default(&params);
    ck_assert_int_eq(topo_synthetic_tree("node:2 core:2", 4, &tree, NULL), TOPO_OK);
    ck_assert_int_eq(topo_schedule_sdrc(matrix, &schedule, NULL), TOPO_OK);
    ck_assert_int_eq(topo_schedule_link_figures(schedule, tree, &figures, NULL), TOPO_INVALID);
    ck_assert_int_eq(topo_schedule_seconds(schedule, tree, &params, &seconds, NULL), TOPO_INVALID);
    ck_assert_int_eq(topo_schedule_merge_steps(matrix, schedule, tree, &params, &made, NULL), TOPO_INVALID);
    ck_assert_ptr_null(made);
    topo_schedule_free(schedule);
    topo_tree_free(tree);
    topo_matrix_free(matrix);
}
END_TEST

struct material {
    struct topo_matrix *matrix;
    struct topo_tree *tree;
    struct topo_schedule *from;
};

static enum topo_status make(const struct material *material)
{
    struct topo_schedule *merged = NULL;
    struct topo_link_figures figures;
    struct topo_params params;
    double seconds;
    topo_params_default(&params);
    enum topo_status status = topo_schedule_link_figures(material->from, material->tree, &figures, NULL);
    if (status == TOPO_OK)
        status = topo_schedule_seconds(material->from, material->tree, &params, &seconds, NULL);
    if (status == TOPO_OK)
        status = topo_schedule_merge_steps(material->matrix, material->from, material->tree, &params, &merged, NULL);
    topo_schedule_free(merged);
    return status;
}

START_TEST(out_of_memory)
{
    struct material material = {seeded_matrix(34), NULL, NULL};
    material.tree = machine(material.matrix->senders, 3);
    ck_assert_int_eq(topo_schedule_drc(material.matrix, &material.from, NULL), TOPO_OK);
    UNIT_OUT_OF_MEMORY(make(&material));
    topo_schedule_free(material.from);
    topo_tree_free(material.tree);
    topo_matrix_free(material.matrix);
}
END_TEST

UNIT_MAIN("links", {by_hand}, {bound}, {short_steps_go}, {seconds}, {refuses_other_sizes}, {out_of_memory})
