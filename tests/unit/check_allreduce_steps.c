#include "machines.h"

#include "base/memory.h"
#include "patterns/stripes.h"
#include "allreduce_steps.h"

static const size_t sizes[] = {0, 1, 2, 5, 15, 16, 17, 64, 100, 257};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Plays what `steps` hold in both ways. */
static void both_ways(const char *what, int ranks, size_t m, bool ordered,
                      void (*fill)(struct play *play, const void *context), const void *context)
{
    static const size_t packets[] = {1, 3, 8, 1000};
    for (int way = -1; way < 4; way++) {
        struct play *play = play_new(ranks, m, ordered);
        fill(play, context);
        for (int rank = 0; rank < ranks; rank++)
            ck_assert(!play->steps[rank].failed);
        const char *wrong = way < 0 ? play_blocks(play) : play_packets(play, packets[way], (unsigned)way + 1);
        if (!wrong)
            wrong = play_check(play);
        ck_assert_msg(!wrong, "%s, %d ranks, %zu elements, %s %zu: %s", what, ranks, m,
                      way < 0 ? "blocks" : "packets of", way < 0 ? 0 : packets[way], wrong);
        play_free(play);
    }
}

struct on_grid {
    struct topo_grid grid;
    bool folded, ordered;
    const struct topo_numbers *rank_at; /* NULL: none */
};

static void fill_grid(struct play *play, const void *context)
{
    const struct on_grid *on = context;
    struct topo_rank_group group =
        on->folded ? topo_rank_group_folded(play->ranks, on->rank_at) : topo_rank_group_of(play->ranks, on->rank_at);
    for (int number = 0; number < play->ranks; number++)
        topo_allreduce_steps_grid(&play->steps[on->rank_at ? topo_numbers_at(on->rank_at, number) : number], &group,
                                  number, &on->grid, (struct topo_block){0, play->elements}, on->ordered);
}

static void check_grid(const char *text, const char *kinds, const struct topo_numbers *rank_at)
{
    struct on_grid on = {.rank_at = rank_at};
    ck_assert(topo_grid_parse("TEST", text, &on.grid, NULL) == TOPO_OK);
    for (int dim = 0; dim < on.grid.dims; dim++)
        on.grid.kind[dim] = kinds[dim] == 'd' ? TOPO_DIM_DIRECT : kinds[dim] == 'e' ? TOPO_DIM_EXCHANGE : TOPO_DIM_RING;
    for (int s = 0; s < SIZES; s++)
        both_ways(text, on.grid.ranks, sizes[s], false, fill_grid, &on);
}

START_TEST(rings)
{
    static const char *const grids[] = {"2", "3", "16", "4x4", "2x2x2x2", "3x5", "5x3", "2x3x4", "7x2"};
    for (int g = 0; g < 9; g++)
        check_grid(grids[g], "rrrr", NULL);
}
END_TEST

START_TEST(direct_and_exchange)
{
    check_grid("4x4", "dr", NULL);
    check_grid("4x4", "rd", NULL);
    check_grid("4x4", "dd", NULL);
    check_grid("5", "d", NULL);
    check_grid("4x2x2", "dee", NULL);
    check_grid("4x2x2", "dre", NULL);
    check_grid("2x3x2", "ere", NULL);
    check_grid("2x2x2", "eee", NULL);
}
END_TEST

START_TEST(ranks)
{
    static const int by_node[12] = {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11};
    const struct topo_numbers rank_at = topo_numbers_view(by_node, 12);
    check_grid("4x3", "rr", &rank_at);
    check_grid("4x3", "dr", &rank_at);
}
END_TEST

/* Recursive doubling and halving: any number of ranks, operands in order. */
START_TEST(folded_and_ordered)
{
    for (int ranks = 2; ranks <= 17; ranks++)
        for (int kind = TOPO_DIM_RING; kind <= TOPO_DIM_EXCHANGE; kind += TOPO_DIM_EXCHANGE)
            for (int ordered = 0; ordered < 2; ordered++) {
                struct on_grid on = {.grid = {.ranks = 1}, .folded = true, .ordered = ordered};
                for (; on.grid.ranks <= ranks / 2; on.grid.ranks *= 2) {
                    on.grid.size[on.grid.dims] = 2;
                    on.grid.kind[on.grid.dims++] = kind;
                }
                for (int s = 0; s < SIZES; s++)
                    both_ways(kind == TOPO_DIM_RING ? "halving" : "doubling", ranks, sizes[s], ordered, fill_grid, &on);
            }
}
END_TEST

START_TEST(a_group_keeps_its_order)
{
    struct topo_rank_group group = topo_rank_group_folded(13, NULL);
    int last = -1;
    ck_assert_msg(group.extra == 5, "13 = 8 + 5");
    for (int number = 0; number < 13; number++) {
        int place = topo_rank_group_place(&group, number);
        if (place < 0) {
            ck_assert_msg(number < 10 && number % 2 == 1, "the second of a folded pair waits");
            continue;
        }
        ck_assert(place == ++last && topo_rank_group_rank(&group, place) == number);
    }
    ck_assert(last == 7);
}
END_TEST

static void fill_stripes(struct play *play, const void *context)
{
    const struct topo_stripes *stripes = context;
    for (int place = 0; place < play->ranks; place++)
        for (int stripe = 0; stripe < stripes->stripes; stripe++)
            topo_allreduce_steps_stripe(&play->steps[topo_numbers_at(stripes->rank_at, place)], stripes, place, stripe,
                                        (struct topo_block){0, play->elements});
}

static const char *const uneven[] = {
    "node:4 core:7,5,3,1", "node:4 core:1,3,5,7 by:node",   "node:3 core:2,1,2", "node:1 core:5", "node:5 core:1",
    "node:4 core:4",       "switch:2 node:3,1 core:4,5,6,1"};
enum { UNEVEN = sizeof uneven / sizeof *uneven };

START_TEST(stripes)
{
    for (int i = 0; i < UNEVEN; i++) {
        struct topo_tree *tree = machine_of(uneven[i]);
        struct topo_stripes of;
        ck_assert(topo_stripes_of(tree, &of) == TOPO_OK);
        for (int place = 0; place < tree->ranks; place++) {
            int node = topo_stripes_node(&of, place);
            ck_assert_msg(of.first[node] <= place && place < of.first[node + 1], "place %d is in its node", place);
        }
        for (int s = 0; s < SIZES; s++)
            both_ways(uneven[i], tree->ranks, sizes[s], false, fill_stripes, &of);
        topo_stripes_free(&of);
        topo_tree_free(tree);
    }
}
END_TEST

/* Elements that leave each node, by the steps. */
static void leaving(const struct play *play, const struct topo_tree *tree, size_t *out)
{
    int level = topo_tree_node_level(tree);
    const struct topo_numbers *node = &tree->unit[level];
    for (int rank = 0; rank < play->ranks; rank++)
        for (int i = 0; i < play->steps[rank].count; i++) {
            const struct topo_allreduce_step *step = &play->steps[rank].list[i];
            if (step->to >= 0 && topo_numbers_at(node, step->to) != topo_numbers_at(node, rank))
                out[topo_numbers_at(node, rank)] += step->send.count;
        }
}

/* Each node's link carries 2m(1 - 1/N), the lower bound, by stripes and by a grid with
 * the node's ranks as its first dimension, placed by slot or by node. */
START_TEST(links_carry_the_least)
{
    static const char *const machines[] = {"node:4 core:7,5,3,1", "node:4 core:4", "node:4 core:4 by:node",
                                           "switch:2 node:3,1 core:4,5,6,1"};
    const size_t m = 4 * 7 * 6 * 5 * 4;
    for (int i = 0; i < 4; i++) {
        struct topo_tree *tree = machine_of(machines[i]);
        struct topo_stripes of;
        struct play *play = play_new(tree->ranks, m, false);
        size_t out[8] = {0};
        ck_assert(topo_stripes_of(tree, &of) == TOPO_OK);
        fill_stripes(play, &of);
        leaving(play, tree, out);
        for (int node = 0; node < of.nodes; node++)
            ck_assert_msg(out[node] == 2 * m / 4 * 3, "%s: node %d sends %zu of %zu elements in stripes", machines[i],
                          node, out[node], m);
        play_free(play);
        if (i == 1 || i == 2) {
            struct on_grid on = {.rank_at = &tree->order};
            size_t by_grid[8] = {0};
            play = play_new(tree->ranks, m, false);
            ck_assert(topo_grid_parse("TEST", "4x4", &on.grid, NULL) == TOPO_OK);
            fill_grid(play, &on);
            leaving(play, tree, by_grid);
            for (int node = 0; node < of.nodes; node++)
                ck_assert_msg(by_grid[node] == 2 * m / 4 * 3, "%s: node %d sends %zu of %zu elements on 4x4",
                              machines[i], node, by_grid[node], m);
            play_free(play);
        }
        topo_stripes_free(&of);
        topo_tree_free(tree);
    }
}
END_TEST

START_TEST(no_memory)
{
    struct topo_allreduce_steps steps = {0};
    struct topo_grid grid;
    struct topo_rank_group group = topo_rank_group_of(16, NULL);
    ck_assert(topo_grid_parse("TEST", "16", &grid, NULL) == TOPO_OK);
    topo_memory_fail_after(0);
    topo_allreduce_steps_grid(&steps, &group, 3, &grid, (struct topo_block){0, 100}, false);
    topo_memory_fail_after(-1);
    ck_assert_msg(steps.failed && steps.count == 0, "the list says that memory ran out");
    topo_allreduce_steps_free(&steps);
    ck_assert_msg(!steps.failed && !steps.list, "and can be used anew");
}
END_TEST

UNIT_MAIN("allreduce_steps", {rings}, {direct_and_exchange}, {ranks}, {folded_and_ordered}, {a_group_keeps_its_order},
          {stripes}, {links_carry_the_least}, {no_memory})
