#include "unit.h"

#include <math.h>

#include "machines.h"
#include "model/findings.h"

static void close_to(double value, double wanted)
{
    ck_assert_msg(fabs(value - wanted) <= 1e-9 * fabs(wanted), "%g, not %g", value, wanted);
}

/* As many processors as ranks: latency of the shortest message, the link's rate with both directions at work, the
 * memory's inside; a level that the machine has not is like the one inside it. */
START_TEST(links)
{
    struct topo_tree *tree = machine_of("node:4 core:2");
    struct topo_params params, before;
    struct topo_findings found = {.copy = 2e-11, .add = 3e-11, .message = 4e-7};
    topo_params_default(&params);
    before = params;
    found.level[0] = (struct topo_level_findings){.shortest = 5e-6, .longest = 9e-6, .bytes = 1000, .both = 2e9};
    found.level[1] = (struct topo_level_findings){.shortest = 1e-6, .longest = 2e-6, .bytes = 1000, .in = 4e9};
    topo_findings_params(&found, tree, &params);
    close_to(params.link[TOPO_LEVEL_NODE].alpha, 5e-6);
    close_to(params.link[TOPO_LEVEL_NODE].beta, 5e-10);
    close_to(params.link[TOPO_LEVEL_SWITCH].beta, 5e-10);
    close_to(params.link[TOPO_LEVEL_CORE].alpha, 1e-6);
    close_to(params.link[TOPO_LEVEL_CORE].beta, 1e-9);
    close_to(params.link[TOPO_LEVEL_CORE].shared, 0.25e-9);
    close_to(params.link[TOPO_LEVEL_PACKAGE].shared, 0.25e-9);
    close_to(params.copy, 2e-11);
    close_to(params.gamma, 3e-11);
    close_to(params.overhead, 4e-7);
    ck_assert_int_eq(params.cores, 0);
    /* Without the link's own rate the two ranks' counts; nothing measured leaves what was there. */
    found.level[0].both = 0;
    topo_findings_params(&found, tree, &params);
    close_to(params.link[TOPO_LEVEL_NODE].beta, 4e-9);
    params = before;
    topo_findings_params(&(struct topo_findings){0}, tree, &params);
    close_to(params.copy, before.copy);
    close_to(params.gamma, before.gamma);
    topo_tree_free(tree);
}
END_TEST

/* Ranks that share processors: 4 messages cost 3 more than one, the rest of the first one's time is waiting. */
START_TEST(crowd)
{
    struct topo_tree *tree = machine_of("node:2 core:4");
    struct topo_params params;
    struct topo_findings found = {.sharing = {2, false}, .turn = 5e-6};
    topo_params_default(&params);
    found.level[0] = (struct topo_level_findings){.shortest = 1e-3,
                                                  .both = 1e8,
                                                  .pairs = 4,
                                                  .pairs_of_unit = 4,
                                                  .crowd_shortest = 100e-6,
                                                  .crowd_several = 220e-6,
                                                  .crowd_middle = 1060e-6};
    topo_findings_params(&found, tree, &params);
    const struct topo_link *link = &params.link[TOPO_LEVEL_NODE];
    close_to(link->overhead, 40e-6 * 2 / 16);
    close_to(link->wait, 2 * 60e-6 * 2 / 16);
    close_to(link->packet, 1000e-6 * 2 / 16);
    close_to(link->from, TOPO_CROWD_MIDDLE);
    close_to(link->alpha, 1e-3 - 2 * (link->overhead + link->wait));
    ck_assert_int_eq(params.cores, 2);
    ck_assert_int_eq(params.cores_kind, TOPO_LEVEL_KINDS);
    close_to(params.turn, 5e-6);
    /* What the link explains is not the processors'; a start-up below nothing is none. */
    found.level[0].crowd_middle = 400e-6;
    found.level[0].shortest = 1e-6;
    topo_findings_params(&found, tree, &params);
    ck_assert(link->packet == 0 && link->alpha == 0);
    found.sharing.of_node = true;
    topo_findings_params(&found, tree, &params);
    close_to(link->overhead, 40e-6 * 4 / 16);
    ck_assert_int_eq(params.cores_kind, TOPO_LEVEL_NODE);
    topo_tree_free(tree);
}
END_TEST

UNIT_MAIN("findings", {links}, {crowd})
