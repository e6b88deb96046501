#include "machine/synthetic.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

/* More slots than any job has ranks; what is above it is a typing error. All levels of so many take less than 1 GB. */
enum { SLOTS_MAX = 1 << 22, WORD_MAX = 40 };

static const char form[] =
    "allowed: kind:count words such as \"switch:2 node:4 core:4\" or \"node:4 core:7,5,3,1\", kinds "
    "switch (may repeat), node (required), package, numa, l3, core in this order, then by:slot "
    "or by:node";

/* The machine as it is read: for each level, for each unit its parent's number
 * in the level above. Units of one parent follow one another. */
struct shape {
    int levels;
    enum topo_level_kind kind[TOPO_LEVELS_MAX];
    int units[TOPO_LEVELS_MAX];
    int *parent[TOPO_LEVELS_MAX];
    enum topo_placement placement;
};

static void shape_free(struct shape *shape)
{
    for (int level = 0; level < shape->levels; level++)
        topo_free(shape->parent[level]);
}

/* Reads one number of a list of counts, 1..SLOTS_MAX; *at moves behind it. */
static bool read_count(const char **at, const char *end, long *count)
{
    char digits[12];
    size_t length = 0;
    while (*at + length < end && (*at)[length] != ',')
        length++;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, *at, length);
    digits[length] = '\0';
    *at += length;
    return topo_parse_long(digits, 1, SLOTS_MAX, count);
}

/* Reads the counts of the level that was just added to `shape` and fills its parents. */
static enum topo_status read_counts(struct shape *shape, const char *word, const char *at, const char *end,
                                    struct topo_error *error)
{
    int level = shape->levels - 1, above = level ? shape->units[level - 1] : 1, shown = (int)(end - word);
    long count = 0, total = 0, numbers = 0;
    /* Once to count, so that the memory is known. */
    for (const char *here = at;; here++) {
        if (!read_count(&here, end, &count))
            return topo_fail(error, TOPO_PARSE,
                             "'%.*s': not a count; allowed: whole numbers 1..%d, one or a comma list",
                             shown < WORD_MAX ? shown : WORD_MAX, word, SLOTS_MAX);
        total += count;
        numbers++;
        if (here == end)
            break;
    }
    if (numbers != 1 && numbers != above)
        return topo_fail(error, TOPO_PARSE,
                         "'%.*s': %ld counts for %d unit%s of the level above; allowed: one count or %d",
                         shown < WORD_MAX ? shown : WORD_MAX, word, numbers, above, topo_plural(above), above);
    if (numbers == 1)
        total = count * above;
    if (total > SLOTS_MAX)
        return topo_fail(error, TOPO_PARSE, "'%.*s': %ld units of %s; allowed: up to %d",
                         shown < WORD_MAX ? shown : WORD_MAX, word, total, topo_level_name(shape->kind[level]),
                         SLOTS_MAX);
    shape->units[level] = (int)total;
    shape->parent[level] = topo_alloc((size_t)total, sizeof *shape->parent[level]);
    if (!shape->parent[level])
        return topo_fail(error, TOPO_NOMEM, "out of memory for %ld units of %s", total,
                         topo_level_name(shape->kind[level]));
    int filled = 0;
    for (int unit = 0; unit < above; unit++) {
        if (unit == 0 || numbers > 1) {
            read_count(&at, end, &count);
            at += at < end;
        }
        for (long i = 0; i < count; i++)
            shape->parent[level][filled++] = unit;
    }
    return TOPO_OK;
}

static enum topo_status read_word(struct shape *shape, const char *word, const char *end, bool *placed,
                                  struct topo_error *error)
{
    int shown = end - word < WORD_MAX ? (int)(end - word) : WORD_MAX;
    const char *colon = memchr(word, ':', (size_t)(end - word));
    size_t length = colon ? (size_t)(colon - word) : 0;
    int kind = 0;
    if (*placed)
        return topo_fail(error, TOPO_PARSE, "'%.*s' after by:...; %s", shown, word, form);
    if (length == 2 && !memcmp(word, "by", 2)) {
        size_t rest = (size_t)(end - colon - 1);
        *placed = true;
        if (rest == 4 && !memcmp(colon + 1, "slot", 4))
            shape->placement = TOPO_PLACEMENT_SLOT;
        else if (rest == 4 && !memcmp(colon + 1, "node", 4))
            shape->placement = TOPO_PLACEMENT_NODE;
        else
            return topo_fail(error, TOPO_PARSE, "'%.*s': unknown placement; allowed: by:slot by:node", shown, word);
        return TOPO_OK;
    }
    while (kind < TOPO_LEVEL_KINDS &&
           (strlen(topo_level_name(kind)) != length || memcmp(topo_level_name(kind), word, length) != 0))
        kind++;
    if (kind == TOPO_LEVEL_KINDS)
        return topo_fail(error, TOPO_PARSE, "'%.*s': no kind of level; %s", shown, word, form);
    if (shape->levels == TOPO_LEVELS_MAX)
        return topo_fail(error, TOPO_PARSE, "'%.*s': too many levels; allowed: up to %d", shown, word, TOPO_LEVELS_MAX);
    int last = shape->levels ? (int)shape->kind[shape->levels - 1] : -1;
    if (kind < last || (kind == last && kind != TOPO_LEVEL_SWITCH))
        return topo_fail(error, TOPO_PARSE, "'%.*s' inside %s; %s", shown, word, topo_level_name(last), form);
    shape->kind[shape->levels++] = (enum topo_level_kind)kind;
    return read_counts(shape, word, colon + 1, end, error);
}

static enum topo_status read_shape(const char *text, struct shape *shape, struct topo_error *error)
{
    static const char blanks[] = " \t";
    bool placed = false, has_node = false;
    for (const char *at = text + strspn(text, blanks); *at;) {
        const char *end = at + strcspn(at, blanks);
        enum topo_status status = read_word(shape, at, end, &placed, error);
        if (status != TOPO_OK)
            return status;
        at = end + strspn(end, blanks);
    }
    for (int level = 0; level < shape->levels; level++)
        has_node = has_node || shape->kind[level] == TOPO_LEVEL_NODE;
    if (!has_node)
        return topo_fail(error, TOPO_PARSE, "'%.*s' names no node; %s", WORD_MAX, text, form);
    return TOPO_OK;
}

/* slot[i] = slot of rank i: one rank a node in turn, nodes that are full are passed over. */
static enum topo_status deal_by_node(const int *node, int slots, int nodes, int *slot, struct topo_error *error)
{
    TOPO_SCOPED int *next = topo_alloc((size_t)nodes, sizeof *next);
    int filled = 0;
    if (!next)
        return topo_fail(error, TOPO_NOMEM, "out of memory for %d nodes", nodes);
    for (int i = slots - 1; i >= 0; i--)
        next[node[i]] = i;
    while (filled < slots) {
        int open = 0;
        for (int i = 0; i < nodes; i++) {
            slot[filled++] = next[i];
            /* The node's slots follow one another: the next one is its own as long as the node is the same. */
            if (next[i] + 1 < slots && node[next[i] + 1] == node[next[i]])
                next[open++] = next[i] + 1;
        }
        nodes = open;
    }
    return TOPO_OK;
}

/* Turns the shape into a tree: each innermost unit is the slot of one rank. */
static enum topo_status make_tree(const struct shape *shape, struct topo_tree **tree, struct topo_error *error)
{
    int slots = shape->units[shape->levels - 1], node_level = 0;
    size_t row = (size_t)slots;
    TOPO_SCOPED int *slot = topo_alloc(row, sizeof *slot), *ids = topo_alloc((size_t)shape->levels * row, sizeof *ids);
    TOPO_SCOPED int *node = NULL;
    enum topo_status status = TOPO_OK;
    if (!slot || !ids)
        return topo_fail(error, TOPO_NOMEM, "out of memory for a synthetic machine of %d slots", slots);
    while (shape->kind[node_level] != TOPO_LEVEL_NODE)
        node_level++;
    for (int i = 0; i < slots; i++)
        slot[i] = i;
    if (shape->placement == TOPO_PLACEMENT_NODE) {
        node = topo_alloc(row, sizeof *node);
        if (!node)
            return topo_fail(error, TOPO_NOMEM, "out of memory for a synthetic machine of %d slots", slots);
        memcpy(node, slot, row * sizeof *node);
        for (int level = shape->levels - 1; level > node_level; level--)
            for (int i = 0; i < slots; i++)
                node[i] = shape->parent[level][node[i]];
        status = deal_by_node(node, slots, shape->units[node_level], slot, error);
        if (status != TOPO_OK)
            return status;
    }
    memcpy(ids + (size_t)(shape->levels - 1) * row, slot, row * sizeof *ids);
    for (int level = shape->levels - 1; level > 0; level--)
        for (int i = 0; i < slots; i++)
            ids[(size_t)(level - 1) * row + (size_t)i] = shape->parent[level][ids[(size_t)level * row + (size_t)i]];
    return topo_tree_new(slots, shape->levels, shape->kind, ids, tree, error);
}

enum topo_status topo_synthetic_tree(const char *text, int ranks, struct topo_tree **tree, struct topo_error *error)
{
    TOPO_SCOPED_BY(shape_free) struct shape shape = {.placement = TOPO_PLACEMENT_SLOT};
    *tree = NULL;
    enum topo_status status = read_shape(text, &shape, error);
    if (status == TOPO_OK && ranks > 0 && shape.units[shape.levels - 1] != ranks)
        status = topo_fail(error, TOPO_PARSE, "'%.200s' has %d slots for %d ranks; allowed: as many slots as ranks",
                           text, shape.units[shape.levels - 1], ranks);
    if (status == TOPO_OK)
        status = make_tree(&shape, tree, error);
    return status;
}
