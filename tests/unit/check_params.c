#include "machines.h"

#include "base/text.h"
#include "model/params.h"

START_TEST(lines)
{
    struct topo_params params, before;
    const char *why = NULL;
    topo_params_default(&params);
    ck_assert(topo_params_read_line(&params, "  level node alpha=1e-6 beta=2e-9\n", &why));
    ck_assert(params.link[TOPO_LEVEL_NODE].alpha == 1e-6 && params.link[TOPO_LEVEL_NODE].beta == 2e-9);
    ck_assert_msg(params.link[TOPO_LEVEL_NODE].shared == 0, "what a line does not give is 0, not as it was");
    ck_assert(topo_params_read_line(
        &params, "level memory alpha=1 beta=2 shared=3 overhead=4 cpu=5 packet=6 from=7 wait=8", &why));
    struct topo_link memory = params.link[TOPO_LEVEL_KINDS];
    ck_assert(memory.alpha == 1 && memory.beta == 2 && memory.shared == 3 && memory.overhead == 4);
    ck_assert(memory.cpu == 5 && memory.packet == 6 && memory.from == 7 && memory.wait == 8);
    ck_assert(topo_params_read_line(&params, "overhead 1", &why) && params.overhead == 1);
    ck_assert(topo_params_read_line(&params, "gamma\t2 ", &why) && params.gamma == 2);
    ck_assert(topo_params_read_line(&params, "copy 3\r\n", &why) && params.copy == 3);
    ck_assert(topo_params_read_line(&params, "turn 4", &why) && params.turn == 4);
    ck_assert(topo_params_read_line(&params, "cores 5 per numa", &why) && params.cores == 5);
    ck_assert(params.cores_kind == TOPO_LEVEL_NUMA);
    ck_assert(topo_params_read_line(&params, "cores 2 per machine", &why) && params.cores_kind == TOPO_LEVEL_KINDS);
    static const char *const bad[] = {"",
                                      "level",
                                      "level node",
                                      "level node alpha=1",
                                      "level node beta=1 alpha=1",
                                      "level node alpha=-1 beta=1",
                                      "level node alpha=nan beta=1",
                                      "level node alpha=1e16 beta=1",
                                      "level rack alpha=1 beta=1",
                                      "level node alpha=1 beta=1 x",
                                      "levels node alpha=1 beta=1",
                                      "gamma",
                                      "gamma 1 2",
                                      "gammas 1",
                                      "cores 1",
                                      "cores -1 per node",
                                      "cores 1 per rack",
                                      "cores 99999999999 per node",
                                      "speed 1"};
    before = params;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        why = NULL;
        ck_assert_msg(!topo_params_read_line(&params, bad[i], &why) && why && strstr(why, "allowed: "), "'%s'", bad[i]);
        ck_assert_msg(!memcmp(&params, &before, sizeof params), "'%s' changes nothing", bad[i]);
    }
}
END_TEST

/* What is written is read as the same, to the four digits written. */
START_TEST(round_trip)
{
    struct topo_params params, back;
    struct topo_text text = {0};
    const char *why;
    topo_params_default(&params);
    double value = 1;
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        params.link[kind] =
            (struct topo_link){value++, value++, kind % 2 ? value++ : 0, kind % 3 ? value++ : 0, kind % 2 ? 0 : value++,
                               value++, value++, kind % 3 ? 0 : value++};
    params.overhead = value++;
    params.gamma = value++;
    params.copy = value++;
    params.turn = value++;
    params.cores = 12;
    params.cores_kind = TOPO_LEVEL_PACKAGE;
    topo_params_write(&params, &text);
    memset(&back, 0, sizeof back);
    for (char *line = text.text, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        ck_assert_msg(topo_params_read_line(&back, line, &why), "'%s': %s", line, why);
    }
    for (int kind = 0; kind <= TOPO_LEVEL_KINDS; kind++)
        ck_assert_msg(!memcmp(&params.link[kind], &back.link[kind], sizeof back.link[kind]), "level %d", kind);
    ck_assert(back.overhead == params.overhead && back.gamma == params.gamma && back.copy == params.copy);
    ck_assert(back.turn == params.turn && back.cores == 12 && back.cores_kind == TOPO_LEVEL_PACKAGE);
    topo_text_free(&text);
}
END_TEST

/* Two ranks meet over the link of the outermost level that they do not share. */
START_TEST(links)
{
    for (int index = 0; index < MACHINES; index++) {
        struct topo_tree *tree = machine(index);
        struct topo_params params;
        topo_params_default(&params);
        for (int p = 0; p < tree->ranks; p++)
            for (int q = 0; q < tree->ranks; q++) {
                int kind = TOPO_LEVEL_KINDS;
                for (int level = tree->levels - 1; level >= 0; level--)
                    if (topo_tree_unit(tree, level, p) != topo_tree_unit(tree, level, q))
                        kind = tree->kind[level];
                ck_assert(topo_params_link(&params, tree, topo_tree_shared_levels(tree, p, q)) == &params.link[kind]);
            }
        topo_tree_free(tree);
    }
}
END_TEST

UNIT_MAIN("params", {lines}, {round_trip}, {links})
