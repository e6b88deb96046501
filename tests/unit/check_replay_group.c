#include "machines.h"

#include "predict/mpi/replay_group.h"

static const int all[] = {0, 1, 2, 3}, low[] = {0, 1}, high[] = {2, 3}, turned[] = {1, 0},
                 self[][1] = {{0}, {1}, {2}, {3}};
static struct topo_trace_group defined[4][4];
static struct topo_trace_rank ranks[4];
static struct topo_trace_run run;

/* Every rank: all ranks, its pair, itself, and its pair once more; ranks 0 and 1 have that one in the other order. */
static void make_run(void)
{
    run = (struct topo_trace_run){.ranks = 4, .rank = ranks};
    for (int r = 0; r < 4; r++) {
        defined[r][0] = (struct topo_trace_group){r, 4, all};
        defined[r][1] = (struct topo_trace_group){r % 2, 2, r < 2 ? low : high};
        defined[r][2] = (struct topo_trace_group){0, 1, self[r]};
        defined[r][3] = (struct topo_trace_group){r % 2, 2, r < 2 ? turned : high};
        ranks[r] = (struct topo_trace_rank){.groups = defined[r], .group_count = 4};
    }
}

START_TEST(same_members_same_group)
{
    struct replay_groups groups;
    make_run();
    ck_assert_int_eq(replay_groups_new(&run, 4, &groups), TOPO_OK);
    ck_assert_int_eq(groups.count, 4);
    for (int r = 0; r < 4; r++) {
        ck_assert_int_eq(groups.of[r][0], groups.of[0][0]);
        ck_assert_int_eq(groups.of[r][2], REPLAY_GROUP_SELF);
        ck_assert_int_eq(groups.of[r][1], groups.of[r / 2 * 2][1]);
        ck_assert_msg((groups.of[r][3] == groups.of[r][1]) == (r >= 2), "another order is another communicator");
    }
    ck_assert(groups.of[0][1] != groups.of[2][1] && groups.list[groups.of[2][1]]->world[1] == 3);
    struct topo_tree *tree = machine_of("node:2 core:2");
    const struct topo_tree *pair = replay_group_tree(groups.list[groups.of[2][1]], tree);
    ck_assert(pair->ranks == 2 && pair->units[0] == 1);
    ck_assert(replay_group_tree(groups.list[groups.of[2][1]], tree) == pair);
    topo_tree_free(tree);
    replay_groups_free(&groups);
}
END_TEST

START_TEST(another_number_of_ranks)
{
    struct replay_groups groups;
    make_run();
    ck_assert_int_eq(replay_groups_new(&run, 6, &groups), TOPO_OK);
    ck_assert_int_eq(groups.count, 1);
    ck_assert_int_eq(groups.list[0]->count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(groups.list[0]->world[i], i);
    for (int r = 0; r < 4; r++)
        ck_assert(groups.of[r][0] == 0 && groups.of[r][1] == REPLAY_GROUP_NONE && groups.of[r][2] == REPLAY_GROUP_SELF);
    replay_groups_free(&groups);
}
END_TEST

/* More groups than the table begins with. */
START_TEST(many)
{
    enum { MANY = 500 };
    static int members[MANY][2];
    static struct topo_trace_group list[MANY];
    struct topo_trace_rank rank = {.groups = list, .group_count = MANY};
    struct topo_trace_run one = {.ranks = 1, .rank = &rank};
    struct replay_groups groups;
    for (int i = 0; i < MANY; i++) {
        members[i][0] = i / 2;
        members[i][1] = i / 2 + 1 + i % 2;
        list[i] = (struct topo_trace_group){0, 2, members[i]};
    }
    ck_assert_int_eq(replay_groups_new(&one, 1, &groups), TOPO_OK);
    ck_assert_int_eq(groups.count, MANY);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(groups.of[0][i], i);
    replay_groups_free(&groups);
}
END_TEST

START_TEST(out_of_memory)
{
    struct replay_groups groups;
    make_run();
    UNIT_OUT_OF_MEMORY(replay_groups_new(&run, 4, &groups), replay_groups_free(&groups));
}
END_TEST

UNIT_MAIN("replay_group", {same_members_same_group}, {another_number_of_ranks}, {many}, {out_of_memory})
