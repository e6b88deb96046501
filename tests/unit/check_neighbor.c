/* Neighbourhood collectives on every machine and on graphs at random, with edges that are there twice, and from a rank
 * to itself: the plans of all ranks end; every block of a bundle comes from where it is, in a bundle or as
 * this rank's own; every rank gets the block of each edge once, by itself or in a bundle; and between two nodes goes
 * one bundle at most. */
#include "unit.h"

#include <string.h>

#include "machines.h"
#include "model/cost.h"
#include "plan/neighbor.h"
#include "plan/together.h"

enum { FORMS = TOPO_NEIGHBOR_DIRECT + 1 };

/* The plans of all ranks, as topo_plans_make_all(). */
static enum topo_status make_all(const struct topo_tree *tree, const struct topo_edges *edges,
                                 enum topo_neighbor_form form, struct topo_plan **plan)
{
    struct topo_levels *levels = NULL;
    *plan = topo_calloc((size_t)tree->ranks + 1, sizeof **plan);
    enum topo_status status = *plan ? topo_levels_new(tree, 0, &levels) : TOPO_NOMEM;
    for (int rank = 0; rank < tree->ranks && status == TOPO_OK; rank++) {
        const struct topo_plan_input in = {.tree = tree, .levels = levels, .rank = rank, .bytes = 8};
        status = topo_plan_neighbor(&in, edges, form, &(*plan)[rank]);
    }
    if (*plan)
        (*plan)[tree->ranks].round.levels = levels; /* freed with the plans */
    if (status != TOPO_OK) {
        topo_plans_free_all(tree, *plan);
        *plan = NULL;
    }
    return status;
}

static struct topo_edges random_edges(const struct topo_tree *tree, unsigned seed)
{
    struct topo_edges edges = {.count = tree->ranks * (int)(seed % 9)};
    edges.edge = topo_alloc((size_t)edges.count + 1, sizeof *edges.edge);
    for (int i = 0; i < edges.count; i++)
        edges.edge[i] = (struct topo_edge){rand_r(&seed) % tree->ranks, rand_r(&seed) % tree->ranks};
    topo_edges_sort(edges.edge, edges.count);
    return edges;
}

static bool is_in(const struct topo_plan *plan, enum topo_neighbor_task task, int64_t block)
{
    for (int i = 0; i < plan->task[task].turns; i++) {
        const struct topo_turn *turn = &plan->turn[plan->task[task].turn + i];
        if (block >= turn->block && block < turn->block + turn->blocks)
            return true;
    }
    return false;
}

/* What a rank sends in bundles has come, or is its own. */
static void check_sources(const struct topo_plan *plan, const int *source, int rank, int ranks, bool gathers)
{
    for (int block = 0; block < plan->ranks; block++) {
        const int number = plan->order[block].first;
        if (is_in(plan, TOPO_NEIGHBOR_UP_OUT, block))
            ck_assert_int_eq(gathers ? number : number / ranks, rank);
        else if (is_in(plan, TOPO_NEIGHBOR_DOWN_OUT, block))
            ck_assert(source[block] >= 0 && is_in(plan, TOPO_NEIGHBOR_ACROSS_IN, source[block]));
        else if (is_in(plan, TOPO_NEIGHBOR_ACROSS_OUT, block))
            ck_assert(source[block] >= 0 ? is_in(plan, TOPO_NEIGHBOR_UP_IN, source[block])
                                         : (gathers ? number : number / ranks) == rank);
    }
}

/* Each edge that ends here brings its block by itself or in a bundle. */
static void check_rank(const struct topo_plan *plan, const struct topo_edges *edges, int rank, int ranks, bool gathers)
{
    int *source = topo_alloc((size_t)plan->ranks + 1, sizeof *source), alone = 0, in = 0;
    int *number = topo_alloc(2 * (size_t)edges->count + 1, sizeof *number), *arrives = number + edges->count;
    for (int i = 0; i < edges->count; i++)
        if (edges->edge[i].to == rank && edges->edge[i].from != rank)
            number[in++] = topo_neighbor_number(edges->edge[i], ranks, gathers);
    ck_assert_int_eq(topo_neighbor_sources(plan, source, number, in, arrives), TOPO_OK);
    for (int i = 0; i < in; i++) {
        alone += arrives[i] < 0;
        ck_assert(arrives[i] < 0 || is_in(plan, TOPO_NEIGHBOR_ACROSS_IN, arrives[i]) ||
                  is_in(plan, TOPO_NEIGHBOR_DOWN_IN, arrives[i]));
    }
    ck_assert_int_eq(alone, plan->task[TOPO_NEIGHBOR_DIRECT_IN].turns);
    check_sources(plan, source, rank, ranks, gathers);
    topo_free_all(source, number);
}

static void check_across(const struct topo_tree *tree, const struct topo_plan *plan)
{
    const int nodes = tree->units[topo_tree_node_level(tree)];
    bool *seen = topo_calloc((size_t)nodes * (size_t)nodes, sizeof *seen);
    for (int rank = 0; rank < tree->ranks; rank++)
        for (int i = 0; i < plan[rank].task[TOPO_NEIGHBOR_ACROSS_OUT].turns; i++) {
            const int to = plan[rank].turn[plan[rank].task[TOPO_NEIGHBOR_ACROSS_OUT].turn + i].peer;
            bool *pair = &seen[topo_tree_node_of(tree, rank) * nodes + topo_tree_node_of(tree, to)];
            ck_assert(!*pair && topo_tree_node_of(tree, rank) != topo_tree_node_of(tree, to));
            *pair = true;
        }
    topo_free(seen);
}

static void prove(const struct topo_tree *tree, const struct topo_edges *edges, const char *machine)
{
    for (int form = 0; form < FORMS; form++) {
        struct topo_plan *plan;
        struct topo_error error = {""};
        ck_assert_int_eq(make_all(tree, edges, form, &plan), TOPO_OK);
        ck_assert_msg(topo_plans_together(tree, plan, &error) == TOPO_OK, "form %d on %s: %s", form, machine,
                      error.text);
        for (int rank = 0; rank < tree->ranks; rank++)
            check_rank(&plan[rank], edges, rank, tree->ranks, form == TOPO_NEIGHBOR_ONE_BLOCK);
        check_across(tree, plan);
        topo_plans_free_all(tree, plan);
    }
}

static void prove_graphs(const struct topo_tree *tree, const char *machine)
{
    for (unsigned seed = 0; seed < 9; seed++) {
        struct topo_edges edges = random_edges(tree, seed + 9 * (unsigned)tree->ranks);
        prove(tree, &edges, machine);
        topo_free(edges.edge);
    }
}

START_TEST(every_machine)
{
    on_machine(_i, prove_graphs);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:3 core:3");
    struct topo_edges edges = random_edges(tree, 8);
    struct topo_plan *plan;
    for (int form = 0; form < FORMS; form++)
        UNIT_OUT_OF_MEMORY(make_all(tree, &edges, form, &plan), topo_plans_free_all(tree, plan));
    topo_free(edges.edge);
    topo_tree_free(tree);
}
END_TEST

/* On a torus whose four rows are nodes of four each node has one message with either of two others instead of four. */
START_TEST(messages)
{
    enum { SIDE = 4, RANKS = SIDE * SIDE };
    struct topo_tree *tree = machine_of("node:4 core:4");
    struct topo_edge edge[4 * RANKS];
    const struct topo_edges edges = {edge, 4 * RANKS};
    struct topo_plan *plan;
    int across = 0, alone = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        const int row = rank / SIDE * SIDE, column = rank % SIDE;
        edge[4 * rank] = (struct topo_edge){rank, (rank + SIDE) % RANKS};
        edge[4 * rank + 1] = (struct topo_edge){rank, (rank + RANKS - SIDE) % RANKS};
        edge[4 * rank + 2] = (struct topo_edge){rank, row + (column + 1) % SIDE};
        edge[4 * rank + 3] = (struct topo_edge){rank, row + (column + SIDE - 1) % SIDE};
    }
    topo_edges_sort(edge, edges.count);
    ck_assert_int_eq(make_all(tree, &edges, TOPO_NEIGHBOR_BLOCKS, &plan), TOPO_OK);
    for (int rank = 0; rank < RANKS; rank++) {
        across += plan[rank].task[TOPO_NEIGHBOR_ACROSS_OUT].turns;
        alone += plan[rank].task[TOPO_NEIGHBOR_DIRECT_OUT].turns;
    }
    ck_assert_int_eq(across, SIDE * 2);
    ck_assert_int_eq(alone, RANKS * 2);
    topo_plans_free_all(tree, plan);
    topo_tree_free(tree);
}
END_TEST

/* A bundle that lacks a block, or that nobody hands on, is no proof. */
START_TEST(planted)
{
    struct topo_tree *tree = machine_of("node:2 core:3");
    struct topo_edge edge[9];
    const struct topo_edges edges = {edge, 9};
    for (int i = 0; i < 9; i++)
        edge[i] = (struct topo_edge){i / 3, 3 + i % 3};
    for (int fault = 0; fault < 2; fault++) {
        struct topo_plan *plan;
        struct topo_error error = {""};
        int rank = 0;
        ck_assert_int_eq(make_all(tree, &edges, TOPO_NEIGHBOR_BLOCKS, &plan), TOPO_OK);
        while (plan[rank].task[TOPO_NEIGHBOR_ACROSS_IN].turns == 0)
            rank++;
        if (fault == 0)
            plan[rank].turn[plan[rank].task[TOPO_NEIGHBOR_ACROSS_IN].turn].blocks--;
        else
            plan[rank].task[TOPO_NEIGHBOR_DOWN_OUT].turns--;
        ck_assert_int_eq(topo_plans_together(tree, plan, &error), TOPO_INVALID);
        topo_plans_free_all(tree, plan);
    }
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("neighbor", {every_machine, MACHINES}, {out_of_memory}, {messages}, {planted})
