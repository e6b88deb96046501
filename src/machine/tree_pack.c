/* Trees as integers, compared and checked. */
#include <string.h>

#include "base/memory.h"
#include "machine/tree.h"

/* Form: ranks, levels, kind of each level, then unit[]. What else a tree holds follows from these. */
enum { HEADER = 2 };

size_t topo_tree_packed_ints(const struct topo_tree *tree)
{
    return HEADER + (size_t)tree->levels * ((size_t)tree->ranks + 1);
}

void topo_tree_pack(const struct topo_tree *tree, int *ints)
{
    *ints++ = tree->ranks;
    *ints++ = tree->levels;
    for (int level = 0; level < tree->levels; level++)
        *ints++ = (int)tree->kind[level];
    memcpy(ints, tree->unit, (size_t)tree->levels * (size_t)tree->ranks * sizeof *ints);
}

enum topo_status topo_tree_unpack(const int *ints, size_t count, struct topo_tree **out, struct topo_error *error)
{
    enum topo_level_kind kind[TOPO_LEVELS_MAX];
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = NULL;
    *out = NULL;
    if (count < HEADER || ints[0] < 1 || ints[1] < 1 || ints[1] > TOPO_LEVELS_MAX ||
        count != HEADER + (size_t)ints[1] * ((size_t)ints[0] + 1))
        return topo_fail(error, TOPO_INVALID, "%zu integers are not a packed tree", count);
    int ranks = ints[0], levels = ints[1];
    for (int level = 0; level < levels; level++) {
        if (ints[HEADER + level] < 0 || ints[HEADER + level] >= TOPO_LEVEL_KINDS)
            return topo_fail(error, TOPO_INVALID, "level %d of a packed tree has kind %d; allowed: 0..%d", level,
                             ints[HEADER + level], TOPO_LEVEL_KINDS - 1);
        kind[level] = (enum topo_level_kind)ints[HEADER + level];
    }
    const int *unit = ints + HEADER + levels;
    enum topo_status status = topo_tree_new(ranks, levels, kind, unit, &tree, error);
    if (status != TOPO_OK)
        return status;
    /* Numbers that a tree would not have: renumbering has changed them. */
    if (tree->levels != levels || memcmp(tree->unit, unit, (size_t)levels * (size_t)ranks * sizeof *unit) != 0)
        return topo_fail(error, TOPO_INVALID, "the units of a packed tree of %d ranks are not numbered depth first",
                         ranks);
    *out = TOPO_KEPT(tree);
    return TOPO_OK;
}

bool topo_tree_equal(const struct topo_tree *a, const struct topo_tree *b)
{
    return a->ranks == b->ranks && a->levels == b->levels &&
           !memcmp(a->kind, b->kind, (size_t)a->levels * sizeof *a->kind) &&
           !memcmp(a->unit, b->unit, (size_t)a->levels * (size_t)a->ranks * sizeof *a->unit);
}

enum topo_status topo_tree_check(const struct topo_tree *tree, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *same = NULL;
    enum topo_status status = topo_tree_new(tree->ranks, tree->levels, tree->kind, tree->unit, &same, error);
    if (status != TOPO_OK)
        return status;
    if (!topo_tree_equal(tree, same))
        status = topo_fail(error, TOPO_INTERNAL,
                           "a tree's units are not numbered depth first by their lowest rank, or "
                           "a level splits nothing");
    else if (memcmp(tree->units, same->units, (size_t)tree->levels * sizeof *tree->units) != 0)
        status = topo_fail(error, TOPO_INTERNAL, "a tree's numbers of units are wrong");
    else if (memcmp(tree->order, same->order, (size_t)tree->ranks * sizeof *tree->order) != 0)
        status = topo_fail(error, TOPO_INTERNAL, "a tree's order of ranks is wrong");
    return status;
}
