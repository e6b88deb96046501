/* Machines for tests: of a text; written ones and random trees from a fixed seed. */
#ifndef TOPO_TESTS_MACHINES_H
#define TOPO_TESTS_MACHINES_H

#include "unit.h"

#include <string.h>

#include "machine/synthetic.h"
#include "machine/tree.h"

static const char *const written_machines[] = {
    "node:1",
    "node:1 core:5",
    "node:2 core:1",
    "node:3 core:2",
    "node:4 core:4",
    "node:4 core:4 by:node",
    "node:4 core:7,5,3,1",
    "node:4 core:7,5,3,1 by:node",
    "node:13 core:2",
    "switch:2 node:2 core:4",
    "switch:2 node:2 core:4 by:node",
    "switch:2 node:5,2 core:3",
    "switch:3 node:1,4,2 core:1,2,3,4,5,6,7",
    "switch:2 switch:2 node:2 core:2",
    "switch:2 switch:3,1 node:2,1,4,3 core:2 by:node",
    "switch:4 node:4 package:2 core:2",
};

enum {
    WRITTEN_MACHINES = sizeof written_machines / sizeof *written_machines,
    RANDOM_MACHINES = 60,
    MACHINES = WRITTEN_MACHINES + RANDOM_MACHINES
};

/* The machine of such a text; free with topo_tree_free(). */
static inline struct topo_tree *machine_of(const char *text)
{
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    ck_assert_msg(topo_synthetic_tree(text, 0, &tree, &error) == TOPO_OK, "%s: %s", text, error.text);
    return tree;
}

/* Machine `index`; free with topo_tree_free(). */
static inline struct topo_tree *machine(int index)
{
    struct topo_tree *tree = NULL;
    struct topo_error error = {""};
    if (index < WRITTEN_MACHINES)
        return machine_of(written_machines[index]);
    /* Up to three switch levels; ids drawn at random make uneven units and scattered ranks. */
    unsigned seed = (unsigned)index * 7919u + 1;
    int ranks = 1 + rand_r(&seed) % 60, switches = rand_r(&seed) % 4, levels = switches + 1;
    enum topo_level_kind kind[4];
    int *ids = topo_alloc((size_t)(levels * ranks), sizeof *ids);
    for (int level = 0; level < levels; level++) {
        int units = 1 + rand_r(&seed) % (level < switches ? 4 : 8);
        kind[level] = level < switches ? TOPO_LEVEL_SWITCH : TOPO_LEVEL_NODE;
        for (int rank = 0; rank < ranks; rank++)
            ids[level * ranks + rank] = rand_r(&seed) % units;
    }
    ck_assert_msg(topo_tree_new(ranks, levels, kind, ids, &tree, &error) == TOPO_OK, "random tree %d: %s", index,
                  error.text);
    topo_free(ids);
    return tree;
}

static inline void on_machine(int index, void (*prove)(const struct topo_tree *tree, const char *name))
{
    struct topo_tree *tree = machine(index);
    char name[32];
    snprintf(name, sizeof name, "machine %d", index);
    prove(tree, name);
    topo_tree_free(tree);
}

/* The text of a machine of up to six ranks; the digits of `shape` to this base are the ranks of its nodes. False: it is
 * none. */
static inline bool small_machine(int shape, int base, char text[64])
{
    char cores[32] = "";
    int nodes = 0, ranks = 0;
    for (int left = shape; left > 0; left /= base) {
        ranks += left % base;
        nodes++;
        snprintf(cores + strlen(cores), sizeof cores - strlen(cores), "%s%d", nodes > 1 ? "," : "", left % base);
    }
    snprintf(text, 64, "node:%d core:%s", nodes, cores);
    return !strchr(cores, '0') && ranks <= 6;
}

/* Every shape of up to six ranks on nodes, by slot and by node. */
static inline void each_small_machine(void (*prove)(const struct topo_tree *tree, const char *text))
{
    for (int shape = 1; shape < 19609; shape++) {
        char text[64];
        for (int by_node = 0; small_machine(shape, 7, text) && by_node < 2; by_node++) {
            strcat(text, by_node ? " by:node" : "");
            struct topo_tree *tree = machine_of(text);
            prove(tree, text);
            topo_tree_free(tree);
        }
    }
}

#endif
