#include "machines.h"
#include "params.h"

#include "model/load.h"

START_TEST(a_step_is_its_slowest_link)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    struct topo_load *load;
    simple(&params);
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    ck_assert_double_eq(topo_load_step(load), 0);
    topo_load_message(load, 0, 4, 1024);
    topo_load_message(load, 1, 5, 1024);
    topo_load_message(load, 6, 2, 512);
    ck_assert_msg(topo_load_step(load) == 8 + 2, "two messages share node 0's way out, the third goes the other way");
    topo_load_message(load, 0, 1, 1 << 20);
    ck_assert_msg(topo_load_step(load) == 1, "inside the node: the core level's alpha, beta is 0");
    ck_assert_msg(topo_load_step(load) == 0, "a step starts empty");
    topo_load_free(load);

    params.link[TOPO_LEVEL_CORE].shared = 1.0 / 2048;
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    topo_load_message(load, 0, 1, 1024);
    topo_load_message(load, 2, 3, 1024);
    topo_load_message(load, 4, 5, 1024);
    ck_assert_msg(topo_load_step(load) == 1 + 1, "a node's memory carries the two messages inside it");
    topo_load_free(load);
    topo_tree_free(tree);
}
END_TEST

/* What ranks do in the memory of their node: alone as fast as they can, all together as fast as it can. */
START_TEST(ranks_share_memory)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    struct topo_load *load;
    simple(&params);
    params.link[TOPO_LEVEL_CORE].shared = 1.0 / 1024;
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    topo_load_memory(load, 0, 2, 1024, false);
    ck_assert_msg(topo_load_step(load) == 2, "alone a rank takes its own time");
    for (int rank = 0; rank < 4; rank++)
        topo_load_memory(load, rank, 2, 1024, false);
    ck_assert_msg(topo_load_step(load) == 4, "the memory carries what four ranks copy");
    topo_load_memory(load, 0, 2, 1024, false);
    topo_load_memory(load, 4, 2, 1024, false);
    ck_assert_msg(topo_load_step(load) == 2, "each node has its own");
    for (int rank = 0; rank < 4; rank++)
        topo_load_memory(load, rank, 2, 2560, true);
    topo_load_message(load, 0, 4, 1024);
    ck_assert_msg(topo_load_step(load) == 11,
                  "hidden: 10 s, and the message's own second there, during its latency, too");
    for (int rank = 0; rank < 4; rank++)
        topo_load_memory(load, rank, 2, 1024, true);
    topo_load_message(load, 0, 4, 1024);
    ck_assert_msg(topo_load_step(load) == 8 + 1, "behind the message");
    topo_load_bytes(load, 0, 4, 1024);
    topo_load_message(load, 0, 5, 1024);
    ck_assert_msg(topo_load_step(load) == 8 + 2, "bytes share the link");
    topo_load_bytes(load, 0, 4, 1024);
    ck_assert_msg(topo_load_step(load) == 1, "they start nothing");
    topo_load_free(load);
    topo_tree_free(tree);
}
END_TEST

START_TEST(ranks_share_cores)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    struct topo_load *load;
    simple(&params);
    params.overhead = 1;
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    for (int i = 0; i < 4; i++)
        topo_load_message(load, i, i + 4, 0);
    ck_assert_msg(topo_load_step(load) == 8 + 1, "as many cores as ranks: one message each");
    topo_load_free(load);
    params.cores = 2;
    params.cores_kind = TOPO_LEVEL_KINDS;
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    for (int i = 0; i < 4; i++)
        topo_load_message(load, i, i + 4, 0);
    ck_assert_msg(topo_load_step(load) == 8 + 4, "eight ends on two cores");
    topo_load_free(load);
    params.cores_kind = TOPO_LEVEL_NODE;
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    for (int i = 0; i < 4; i++)
        topo_load_message(load, i, i + 4, 0);
    ck_assert_msg(topo_load_step(load) == 8 + 2, "four ends on each node's two cores");
    params.turn = 0.5;
    topo_load_free(load);
    ck_assert(topo_load_new(tree, &params, &load, NULL) == TOPO_OK);
    topo_load_message(load, 0, 4, 0);
    ck_assert_msg(topo_load_step(load) == 8 + 1 + 0.5, "four ranks on two cores: another one looks first");
    params.link[TOPO_LEVEL_NODE].packet = 10;
    params.link[TOPO_LEVEL_NODE].from = 512;
    topo_load_messages(load, 0, 4, 2, 512);
    ck_assert_msg(topo_load_step(load) == 8 + 2 + 4.5 + 0.5, "256 bytes each: half way to that");
    topo_load_messages(load, 0, 4, 2, 4096);
    ck_assert_msg(topo_load_step(load) == 8 + 2 + 9 + 0.5, "10 s for each packet, what is more than 1 on any core");
    params.link[TOPO_LEVEL_NODE].wait = 3;
    topo_load_message(load, 0, 4, 0);
    topo_load_message(load, 4, 0, 0);
    ck_assert_msg(topo_load_step(load) == 8 + 3 + 2 + 0.5, "each waits once for both of its messages");
    topo_load_message(load, 0, 1, 0);
    topo_load_message(load, 2, 3, 0);
    ck_assert_msg(topo_load_step(load) == 1 + 2 + 0.5, "those inside a node take none of that");
    topo_load_free(load);
    /* 4 of 16 ranks have 1 s to do: two cores get 2:2, 3:1 or 4:0 of them in 784, 896 and 140 of 1,820 cases. */
    struct topo_tree *many = machine_of("node:4 core:4");
    params.cores_kind = TOPO_LEVEL_KINDS;
    ck_assert(topo_load_new(many, &params, &load, NULL) == TOPO_OK);
    for (int i = 0; i < 4; i++)
        topo_load_rank_work(load, 4 * i, 1, false);
    ck_assert_double_eq_tol(topo_load_step(load), (2 * 784 + 3 * 896 + 4 * 140) / 1820.0, 0.1);
    for (int i = 0; i < 16; i++)
        topo_load_rank_work(load, i, 1, false);
    ck_assert_msg(topo_load_step(load) == 8, "all have as much to do: no chance in it");
    topo_load_free(load);
    topo_tree_free(many);
    topo_tree_free(tree);
}
END_TEST

START_TEST(out_of_memory)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    struct topo_load *load = NULL;
    simple(&params);
    params.cores = 1;
    UNIT_OUT_OF_MEMORY(topo_load_new(tree, &params, &load, NULL), ck_assert((status == TOPO_OK) == (load != NULL)));
    topo_load_free(load);
    topo_load_free(NULL);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("load", {a_step_is_its_slowest_link}, {ranks_share_memory}, {ranks_share_cores}, {out_of_memory})
