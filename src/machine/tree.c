#include "machine/tree.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"

const char *topo_level_name(enum topo_level_kind kind)
{
    static const char *const names[] = {TOPO_LEVEL_MAP(TOPO_WORD)};
    if ((unsigned)kind >= TOPO_LEVEL_KINDS)
        return "unknown";
    return names[kind];
}

/* Scratch memory of topo_tree_new(): a hash table from (parent unit, id) to the
 * order of first appearance, and three lists of numbers. */
struct numbering {
    struct slot {
        uint64_t key;
        int index; /* -1 = free */
    } * slots;
    int bits;    /* the table has 2^bits slots, at least twice as many as ranks */
    int *owner;  /* [ranks] parent of the index-th unit that appears */
    int *number; /* [ranks] its final number */
    int *start;  /* [ranks + 1] next number inside each parent */
};

static bool numbering_init(struct numbering *with, int ranks)
{
    with->bits = 1;
    while (((size_t)1 << with->bits) < 2 * (size_t)ranks)
        with->bits++;
    with->slots = topo_alloc((size_t)1 << with->bits, sizeof *with->slots);
    with->owner = topo_alloc((size_t)ranks, sizeof *with->owner);
    with->number = topo_alloc((size_t)ranks, sizeof *with->number);
    with->start = topo_alloc((size_t)ranks + 1, sizeof *with->start);
    return with->slots && with->owner && with->number && with->start;
}

static void numbering_free(struct numbering *with)
{
    topo_free_all(with->slots, with->owner, with->number, with->start);
}

/* Index of `key` in order of first appearance; a new one becomes `next`. */
static int look_up(struct numbering *with, uint64_t key, int next)
{
    size_t mask = ((size_t)1 << with->bits) - 1;
    /* Multiplicative hashing: the upper bits of the product depend on all bits of the key. */
    size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - with->bits));
    while (with->slots[at].index >= 0) {
        if (with->slots[at].key == key)
            return with->slots[at].index;
        at = (at + 1) & mask;
    }
    with->slots[at].key = key;
    with->slots[at].index = next;
    return next;
}

/* Turns next[i], i < count, from counts into starts; next[count] becomes the total. */
static void counts_to_starts(int *next, int count)
{
    int sum = 0;
    for (int i = 0; i <= count; i++) {
        int here = i < count ? next[i] : 0;
        next[i] = sum;
        sum += here;
    }
}

/* Numbers the units of one level into unit[]; `parent` holds the units of the
 * level above (NULL: the root alone). Returns how many there are. */
static int number_level(struct numbering *with, int ranks, const int *parent, int parents, const int *ids, int *unit)
{
    int units = 0;
    memset(with->slots, 0xff, sizeof *with->slots << with->bits); /* every index -1 */
    for (int rank = 0; rank < ranks; rank++) {
        int above = parent ? parent[rank] : 0;
        /* Ranks placed by slot share the unit of their predecessor: no look-up. */
        if (rank && ids[rank] == ids[rank - 1] && (!parent || above == parent[rank - 1])) {
            unit[rank] = unit[rank - 1];
            continue;
        }
        unit[rank] = look_up(with, (uint64_t)(uint32_t)above << 32 | (uint32_t)ids[rank], units);
        if (unit[rank] == units)
            with->owner[units++] = above;
    }
    /* Order of first appearance is order of lowest rank; keep it inside each parent. */
    memset(with->start, 0, ((size_t)parents + 1) * sizeof *with->start);
    for (int i = 0; i < units; i++)
        with->start[with->owner[i]]++;
    counts_to_starts(with->start, parents);
    for (int i = 0; i < units; i++)
        with->number[i] = with->start[with->owner[i]]++;
    for (int rank = 0; rank < ranks; rank++)
        unit[rank] = with->number[unit[rank]];
    return units;
}

/* Fills order[] by counting sort over the innermost units. */
static void find_order(const struct topo_tree *tree, int *start, int *order)
{
    const struct topo_numbers *unit = &tree->unit[tree->levels - 1];
    int units = tree->units[tree->levels - 1];
    memset(start, 0, ((size_t)units + 1) * sizeof *start);
    for (int rank = 0; rank < tree->ranks; rank++)
        start[topo_numbers_at(unit, rank)]++;
    counts_to_starts(start, units);
    for (int rank = 0; rank < tree->ranks; rank++)
        order[start[topo_numbers_at(unit, rank)]++] = rank;
}

enum topo_status topo_tree_check_kinds(int levels, const enum topo_level_kind *kind, struct topo_error *error)
{
    int nodes = 0;
    for (int level = 0; level < levels; level++) {
        if ((unsigned)kind[level] >= TOPO_LEVEL_KINDS)
            return topo_fail(error, TOPO_INVALID, "level %d of a tree has kind %d; allowed: 0..%d", level,
                             (int)kind[level], TOPO_LEVEL_KINDS - 1);
        if (level &&
            (kind[level] < kind[level - 1] || (kind[level] == kind[level - 1] && kind[level] != TOPO_LEVEL_SWITCH)))
            return topo_fail(error, TOPO_INVALID, "level %s of a tree may not be inside level %s",
                             topo_level_name(kind[level]), topo_level_name(kind[level - 1]));
        nodes += kind[level] == TOPO_LEVEL_NODE;
    }
    if (nodes != 1)
        return topo_fail(error, TOPO_INVALID, "a tree needs exactly one level of nodes, not %d", nodes);
    return TOPO_OK;
}

enum topo_status topo_tree_new(int ranks, int levels, const enum topo_level_kind *kind, const int *ids,
                               struct topo_tree **out, struct topo_error *error)
{
    TOPO_SCOPED_BY(numbering_free) struct numbering with = {0};
    TOPO_SCOPED_BY(topo_tree_end) struct topo_tree *tree = NULL;
    TOPO_SCOPED int *unit = NULL;
    enum topo_status status;
    const int *parent = NULL;
    int parents = 1, *order;
    *out = NULL;
    if (ranks < 1 || levels < 1 || levels > TOPO_LEVELS_MAX)
        return topo_fail(error, TOPO_INVALID, "a tree of %d ranks and %d levels; allowed: from 1 rank, 1 to %d levels",
                         ranks, levels, TOPO_LEVELS_MAX);
    status = topo_tree_check_kinds(levels, kind, error);
    if (status != TOPO_OK)
        return status;
    tree = topo_calloc(1, sizeof *tree);
    if (!tree || !numbering_init(&with, ranks))
        goto nomem;
    tree->ranks = ranks;
    for (int level = 0; level < levels; level++) {
        if (!unit && !(unit = topo_alloc((size_t)ranks, sizeof *unit)))
            goto nomem;
        int units = number_level(&with, ranks, parent, parents, ids + (size_t)level * (size_t)ranks, unit);
        if (units == parents && kind[level] != TOPO_LEVEL_NODE)
            continue; /* splits nothing: the next level takes its place */
        tree->kind[tree->levels] = kind[level];
        tree->units[tree->levels] = units;
        parent = unit;
        parents = units;
        topo_numbers_take(&tree->unit[tree->levels++], TOPO_KEPT(unit), ranks);
    }
    if (!(order = topo_alloc((size_t)ranks, sizeof *order)))
        goto nomem;
    find_order(tree, with.start, order);
    topo_numbers_take(&tree->order, order, ranks);
    *out = TOPO_KEPT(tree);
    return TOPO_OK;
nomem:
    return topo_fail(error, TOPO_NOMEM, "out of memory for a tree of %d ranks and %d levels", ranks, levels);
}

enum topo_status topo_tree_restrict(const struct topo_tree *tree, const int *ranks, int count,
                                    struct topo_tree **restricted, struct topo_error *error)
{
    TOPO_SCOPED unsigned char *seen = NULL;
    TOPO_SCOPED int *ids = NULL;
    *restricted = NULL;
    if (count < 1 || count > tree->ranks)
        return topo_fail(error, TOPO_INVALID, "%d of a tree's %d ranks; allowed: 1..%d", count, tree->ranks,
                         tree->ranks);
    seen = topo_calloc((size_t)tree->ranks / 8 + 1, 1);
    ids = topo_alloc((size_t)tree->levels * (size_t)count, sizeof *ids);
    if (!seen || !ids)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a tree of %d ranks", count);
    for (int i = 0; i < count; i++) {
        int rank = ranks[i];
        if (rank < 0 || rank >= tree->ranks || (seen[rank / 8] >> rank % 8 & 1))
            return topo_fail(error, TOPO_INVALID, "rank %d, number %d of a part of a tree, is %s", rank, i,
                             rank < 0 || rank >= tree->ranks ? "not a rank of the tree" : "named twice");
        seen[rank / 8] = (unsigned char)(seen[rank / 8] | 1u << rank % 8);
    }
    for (int level = 0; level < tree->levels; level++)
        for (int i = 0; i < count; i++)
            ids[(size_t)level * (size_t)count + (size_t)i] = topo_tree_unit(tree, level, ranks[i]);
    return topo_tree_new(count, tree->levels, tree->kind, ids, restricted, error);
}

void topo_tree_free(struct topo_tree *tree)
{
    if (!tree || atomic_fetch_sub(&tree->shared, 1) > 0)
        return;
    for (int level = 0; level < tree->levels; level++)
        topo_numbers_free(&tree->unit[level]);
    topo_numbers_free(&tree->order);
    if (tree->lender.give_back)
        tree->lender.give_back(tree->lender.context);
    topo_free(tree);
}

/* Of each level its units, then the order. */
static const struct topo_numbers *list_of(const struct topo_tree *tree, int list)
{
    return list < tree->levels ? &tree->unit[list] : &tree->order;
}

size_t topo_tree_table_bytes(const struct topo_tree *tree)
{
    size_t bytes = 0;
    for (int list = 0; list <= tree->levels; list++)
        if (topo_numbers_is_long_table(list_of(tree, list)))
            bytes += topo_numbers_bytes(list_of(tree, list));
    return bytes;
}

void topo_tree_write_tables(const struct topo_tree *tree, int *tables)
{
    for (int list = 0; list <= tree->levels; list++) {
        const struct topo_numbers *numbers = list_of(tree, list);
        if (!topo_numbers_is_long_table(numbers))
            continue;
        memcpy(tables, numbers->table, topo_numbers_bytes(numbers));
        tables += numbers->count;
    }
}

void topo_tree_lend(struct topo_tree *tree, int *tables, const struct topo_tree_lender *lender)
{
    for (int list = 0; list <= tree->levels; list++) {
        struct topo_numbers *numbers = list < tree->levels ? &tree->unit[list] : &tree->order;
        if (!topo_numbers_is_long_table(numbers))
            continue;
        topo_numbers_lend(numbers, tables);
        tables += numbers->count;
    }
    tree->lender = *lender;
}

void topo_tree_shorten(struct topo_tree *tree)
{
    for (int level = 0; level < tree->levels; level++)
        topo_numbers_shorten(&tree->unit[level]);
    topo_numbers_shorten(&tree->order);
}

struct topo_tree *topo_tree_share(struct topo_tree *tree)
{
    atomic_fetch_add(&tree->shared, 1);
    return tree;
}

int topo_tree_node_level(const struct topo_tree *tree)
{
    int level = 0;
    while (tree->kind[level] != TOPO_LEVEL_NODE)
        level++;
    return level;
}

int topo_tree_shared_levels(const struct topo_tree *tree, int p, int q)
{
    int level = 0;
    while (level < tree->levels && topo_tree_unit(tree, level, p) == topo_tree_unit(tree, level, q))
        level++;
    return level;
}

void topo_tree_order(const struct topo_tree *tree, int *order)
{
    for (int place = 0; place < tree->ranks; place++)
        order[place] = topo_tree_rank(tree, place);
}

void topo_tree_unit_sizes(const struct topo_tree *tree, int level, int *sizes)
{
    const struct topo_numbers *unit = &tree->unit[level];
    memset(sizes, 0, (size_t)tree->units[level] * sizeof *sizes);
    for (int rank = 0; rank < tree->ranks; rank++)
        sizes[topo_numbers_at(unit, rank)]++;
}

int topo_tree_node_ranks(const struct topo_tree *tree, int rank)
{
    const struct topo_numbers *node = &tree->unit[topo_tree_node_level(tree)];
    int here = 0;
    for (int other = 0; other < tree->ranks; other++)
        here += topo_numbers_at(node, other) == topo_numbers_at(node, rank);
    return here;
}

int topo_tree_node_ranks_most(const struct topo_tree *tree)
{
    int level = topo_tree_node_level(tree), node = -1, here = 0, most = 0;
    for (int i = 0; i < tree->ranks; i++) {
        int next = topo_tree_unit(tree, level, topo_tree_rank(tree, i));
        here = next == node ? here + 1 : 1;
        node = next;
        most = here > most ? here : most;
    }
    return most;
}

bool topo_tree_is_consecutive(const struct topo_tree *tree, int level)
{
    const struct topo_numbers *unit = &tree->unit[level];
    int runs = 1;
    for (int rank = 1; rank < tree->ranks; rank++)
        runs += topo_numbers_at(unit, rank) != topo_numbers_at(unit, rank - 1);
    return runs == tree->units[level];
}

bool topo_tree_is_uniform(const struct topo_tree *tree, int level)
{
    const struct topo_numbers *unit = &tree->unit[level];
    if (tree->ranks % tree->units[level])
        return false;
    /* In tree order the units of every level follow one another. */
    int size = tree->ranks / tree->units[level];
    for (int i = 0; i < tree->ranks; i++)
        if (topo_numbers_at(unit, topo_tree_rank(tree, i)) != i / size)
            return false;
    return true;
}
