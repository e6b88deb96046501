/* The machine as the ranks of one communicator see it: one tree of levels
 * (docs/REFERENCES.md, Mapping 1). Every reader produces this, every
 * mapping, algorithm and prediction consumes it. */
#ifndef TOPO_MACHINE_TREE_H
#define TOPO_MACHINE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/status.h"
#include "base/text.h"

/* Kinds of level, outermost first. SWITCH may occur several times (a tree of switches). */
#define TOPO_LEVEL_MAP(X) \
    X(SWITCH, "switch") \
    X(NODE, "node") \
    X(PACKAGE, "package") \
    X(NUMA, "numa") \
    X(L3, "l3") \
    X(CORE, "core")

enum topo_level_kind {
#define X(id, name) TOPO_LEVEL_##id,
    TOPO_LEVEL_MAP(X)
#undef X
        TOPO_LEVEL_KINDS
};

enum { TOPO_LEVELS_MAX = 16 };

/* Level 0 is the outermost division (its units are what the root splits into);
 * the root itself is not stored. Units of a level are numbered depth first in
 * the order of their lowest rank, so the units inside one parent are
 * consecutive and unit 0 holds rank 0. Every rank has a unit on every level.
 * There is always exactly one NODE level. */
struct topo_tree {
    int ranks;                                  /* n > 0 */
    int levels;                                 /* 1..TOPO_LEVELS_MAX */
    enum topo_level_kind kind[TOPO_LEVELS_MAX]; /* per level */
    int units[TOPO_LEVELS_MAX];                 /* number of units per level */
    struct topo_numbers unit[TOPO_LEVELS_MAX];  /* [ranks] per level: topo_tree_unit() */
    struct topo_numbers order;                  /* [ranks]: topo_tree_rank() */
    _Atomic int shared;                         /* users beside the first one */
    struct topo_tree_lender {
        void (*give_back)(void *context); /* NULL: nothing is lent */
        void *context;
    } lender; /* of what topo_tree_lend() lent */
};

/* "switch", "node", ...; never NULL. */
const char *topo_level_name(enum topo_level_kind kind);

/* Builds a tree from `ids`: ids[level * ranks + rank] is any integer that is
 * equal for two ranks exactly when they share the unit, given that they share
 * all outer ones. Renumbers units as said above; drops every level other than
 * NODE that splits nothing (each of its units is a whole unit of the level
 * above, or of the root), and CORE-like innermost levels only if all ranks are
 * alone in a unit of the level above as well. `kind` must be in order and hold
 * NODE exactly once. Free *tree with topo_tree_free(). Errors: TOPO_INVALID,
 * TOPO_NOMEM. */
enum topo_status topo_tree_new(int ranks, int levels, const enum topo_level_kind *kind, const int *ids,
                               struct topo_tree **tree, struct topo_error *error);

/* Of these the kinds alone. */
enum topo_status topo_tree_check_kinds(int levels, const enum topo_level_kind *kind, struct topo_error *error);

/* The tree seen by a sub-communicator: rank i of it is rank ranks[i] of `tree`. */
enum topo_status topo_tree_restrict(const struct topo_tree *tree, const int *ranks, int count,
                                    struct topo_tree **restricted, struct topo_error *error);

/* Keeps what has a rule by its rule (base/numbers.h), so that of a regular tree no more than some hundred bytes remain.
 */
void topo_tree_shorten(struct topo_tree *tree);

/* Long tables (topo_numbers_is_long_table()) may lie in memory of somebody else, who has them for several processes
 * with equal trees: topo_tree_write_tables() writes topo_tree_table_bytes() to where topo_tree_lend() then has them
 * taken from, as long as no other thread uses the tree. The tree's own are freed. lender->give_back(context) is called
 * when the tree goes. No bytes: no such table, and nothing to lend. */
size_t topo_tree_table_bytes(const struct topo_tree *tree);
void topo_tree_write_tables(const struct topo_tree *tree, int *tables);
void topo_tree_lend(struct topo_tree *tree, int *tables, const struct topo_tree_lender *lender);

/* The same tree for one user more, who frees it as well. */
struct topo_tree *topo_tree_share(struct topo_tree *tree);

/* It goes with its last user. NULL is harmless. */
void topo_tree_free(struct topo_tree *tree);
TOPO_SCOPED_TYPE(topo_tree)

/* Index of the NODE level. */
int topo_tree_node_level(const struct topo_tree *tree);

/* The unit of a rank on a level. */
static inline int topo_tree_unit(const struct topo_tree *tree, int level, int rank)
{
    return topo_numbers_at(&tree->unit[level], rank);
}

/* The node of a rank. */
static inline int topo_tree_node_of(const struct topo_tree *tree, int rank)
{
    return topo_tree_unit(tree, topo_tree_node_level(tree), rank);
}

/* The rank in a place of the tree order: unit by unit, depth first, ascending inside an innermost unit. */
static inline int topo_tree_rank(const struct topo_tree *tree, int place)
{
    return topo_numbers_at(&tree->order, place);
}

/* z(p,q): number of outer levels that p and q share; 0 = they meet at the root
 * only, `levels` = they share the innermost unit. Bytes between p and q cross
 * the links of level z (the links that join units of level z inside their
 * common parent). */
int topo_tree_shared_levels(const struct topo_tree *tree, int p, int q);

/* All of them; order[] has `ranks` entries. */
void topo_tree_order(const struct topo_tree *tree, int *order);

/* Ranks per unit of one level; sizes[] has units[level] entries. */
void topo_tree_unit_sizes(const struct topo_tree *tree, int level, int *sizes);

/* Ranks on the node of `rank`; on the node that has most. */
int topo_tree_node_ranks(const struct topo_tree *tree, int rank);
int topo_tree_node_ranks_most(const struct topo_tree *tree);

/* True when the ranks of every unit of `level` are consecutive (placed by slot). */
bool topo_tree_is_consecutive(const struct topo_tree *tree, int level);

/* True when all units of `level` hold the same number of ranks. */
bool topo_tree_is_uniform(const struct topo_tree *tree, int level);

/* A tree as integers, for sending: topo_tree_pack() writes topo_tree_packed_ints()
 * of them. topo_tree_unpack() checks that a short tree is one (topo_numbers_short); of a long one that its numbers are
 * of units and ranks that there are. */
size_t topo_tree_packed_ints(const struct topo_tree *tree);
void topo_tree_pack(const struct topo_tree *tree, int *ints);
enum topo_status topo_tree_unpack(const int *ints, size_t count, struct topo_tree **tree, struct topo_error *error);

/* Same shape and same units for every rank. */
bool topo_tree_equal(const struct topo_tree *a, const struct topo_tree *b);

/* Whole-object check for tests and debug runs: every property stated above. */
enum topo_status topo_tree_check(const struct topo_tree *tree, struct topo_error *error);

#endif
