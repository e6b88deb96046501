/* Trees as integers, compared and checked. */
#include <string.h>

#include "base/memory.h"
#include "machine/tree.h"

/* Form: ranks, levels, kind and number of units of each level, then the units of the ranks level by level, and the
 * order. */
enum { RANKS, LEVELS, HEADER };

size_t topo_tree_packed_ints(const struct topo_tree *tree)
{
    size_t ints = HEADER + 2 * (size_t)tree->levels + topo_numbers_packed(&tree->order);
    for (int level = 0; level < tree->levels; level++)
        ints += topo_numbers_packed(&tree->unit[level]);
    return ints;
}

static int *pack(const struct topo_numbers *numbers, int *ints)
{
    topo_numbers_pack(numbers, ints);
    return ints + topo_numbers_packed(numbers);
}

void topo_tree_pack(const struct topo_tree *tree, int *ints)
{
    ints[RANKS] = tree->ranks;
    ints[LEVELS] = tree->levels;
    ints += HEADER;
    for (int level = 0; level < tree->levels; level++)
        *ints++ = (int)tree->kind[level];
    for (int level = 0; level < tree->levels; level++)
        *ints++ = tree->units[level];
    for (int level = 0; level < tree->levels; level++)
        ints = pack(&tree->unit[level], ints);
    pack(&tree->order, ints);
}

static enum topo_status not_a_tree(size_t count, struct topo_error *error)
{
    return topo_fail(error, TOPO_INVALID, "%zu integers are not a packed tree", count);
}

/* The levels' kinds and numbers of units from ints[2 * levels]. */
static enum topo_status unpack_levels(const int *ints, struct topo_tree *tree, struct topo_error *error)
{
    for (int level = 0; level < tree->levels; level++) {
        const int kind = ints[level], units = ints[tree->levels + level];
        if (kind < 0 || kind >= TOPO_LEVEL_KINDS)
            return topo_fail(error, TOPO_INVALID, "level %d of a packed tree has kind %d; allowed: 0..%d", level, kind,
                             TOPO_LEVEL_KINDS - 1);
        if (units < 1 || units > tree->ranks)
            return topo_fail(error, TOPO_INVALID, "level %d of a packed tree has %d units; allowed: 1..%d", level,
                             units, tree->ranks);
        tree->kind[level] = (enum topo_level_kind)kind;
        tree->units[level] = units;
    }
    return topo_tree_check_kinds(tree->levels, tree->kind, error);
}

enum topo_status topo_tree_unpack(const int *ints, size_t count, struct topo_tree **out, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = NULL;
    size_t at;
    *out = NULL;
    if (count < HEADER || ints[RANKS] < 1 || ints[LEVELS] < 1 || ints[LEVELS] > TOPO_LEVELS_MAX ||
        count < HEADER + 2 * (size_t)ints[LEVELS])
        return not_a_tree(count, error);
    if (!(tree = topo_calloc(1, sizeof *tree)))
        return topo_fail(error, TOPO_NOMEM, "out of memory for a tree of %d ranks", ints[RANKS]);
    tree->ranks = ints[RANKS];
    tree->levels = ints[LEVELS];
    enum topo_status status = unpack_levels(ints + HEADER, tree, error);
    at = HEADER + 2 * (size_t)tree->levels;
    for (int list = 0; list <= tree->levels && status == TOPO_OK; list++) {
        const bool is_order = list == tree->levels;
        bool out_of_memory = false;
        size_t taken =
            topo_numbers_unpack(ints + at, count - at, tree->ranks, is_order ? tree->ranks : tree->units[list],
                                is_order ? &tree->order : &tree->unit[list], &out_of_memory);
        if (taken == 0)
            status = out_of_memory ? topo_fail(error, TOPO_NOMEM, "out of memory for a tree of %d ranks", tree->ranks)
                                   : not_a_tree(count, error);
        at += taken;
    }
    if (status == TOPO_OK && at != count)
        status = not_a_tree(count, error);
    if (status == TOPO_OK && tree->ranks <= topo_numbers_short)
        status = topo_tree_check(tree, error);
    if (status == TOPO_INTERNAL)
        status = TOPO_INVALID;
    if (status == TOPO_OK)
        *out = TOPO_KEPT(tree);
    return status;
}

bool topo_tree_equal(const struct topo_tree *a, const struct topo_tree *b)
{
    bool equal = a->ranks == b->ranks && a->levels == b->levels &&
                 !memcmp(a->kind, b->kind, (size_t)a->levels * sizeof *a->kind);
    for (int level = 0; equal && level < a->levels; level++)
        equal = topo_numbers_equal(&a->unit[level], &b->unit[level]);
    return equal;
}

enum topo_status topo_tree_check(const struct topo_tree *tree, struct topo_error *error)
{
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *same = NULL;
    TOPO_SCOPED int *ids = topo_alloc((size_t)tree->levels * (size_t)tree->ranks, sizeof *ids);
    if (!ids)
        return topo_fail(error, TOPO_NOMEM, "out of memory to check a tree of %d ranks", tree->ranks);
    for (int level = 0; level < tree->levels; level++)
        for (int rank = 0; rank < tree->ranks; rank++)
            ids[(size_t)level * (size_t)tree->ranks + (size_t)rank] = topo_tree_unit(tree, level, rank);
    enum topo_status status = topo_tree_new(tree->ranks, tree->levels, tree->kind, ids, &same, error);
    if (status != TOPO_OK)
        return status;
    if (!topo_tree_equal(tree, same))
        status = topo_fail(error, TOPO_INTERNAL,
                           "a tree's units are not numbered depth first by their lowest rank, or "
                           "a level splits nothing");
    else if (memcmp(tree->units, same->units, (size_t)tree->levels * sizeof *tree->units) != 0)
        status = topo_fail(error, TOPO_INTERNAL, "a tree's numbers of units are wrong");
    else if (!topo_numbers_equal(&tree->order, &same->order))
        status = topo_fail(error, TOPO_INTERNAL, "a tree's order of ranks is wrong");
    return status;
}
