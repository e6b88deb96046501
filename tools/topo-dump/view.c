#include "topo-dump/view.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* "switches", "nodes", "packages", "NUMA nodes", ... */
static const char *plural(enum topo_level_kind kind)
{
    static const char *const names[TOPO_LEVEL_KINDS] = {
        [TOPO_LEVEL_SWITCH] = "switches", [TOPO_LEVEL_NODE] = "nodes", [TOPO_LEVEL_PACKAGE] = "packages",
        [TOPO_LEVEL_NUMA] = "numas",      [TOPO_LEVEL_L3] = "l3s",     [TOPO_LEVEL_CORE] = "cores"};
    return names[kind];
}

void dump_level_label(const struct topo_tree *tree, int z, struct topo_text *out)
{
    if (z < tree->levels)
        topo_text_addf(out, "between %s", plural(tree->kind[z]));
    if (z > 0)
        topo_text_addf(out, "%s %s", z < tree->levels ? " of one" : "inside one", topo_level_name(tree->kind[z - 1]));
}

void dump_level_row(const struct topo_tree *tree, int z, const char *left, const char *right, struct topo_text *out)
{
    TOPO_SCOPED_BY(topo_text_free) struct topo_text label = {0};
    dump_level_label(tree, z, &label);
    topo_text_addf(out, "  %-34s %20s %20s", label.text ? label.text : "", left, right);
}

bool dump_traffic(const struct dump_view *view, const int *rank_of, const int *cell, int cells, int64_t **matrix)
{
    int n = view->tree->ranks, steps = topo_graph_steps(view->mapping->graph, n);
    *matrix = topo_calloc((size_t)cells * (size_t)cells, sizeof **matrix);
    if (!*matrix)
        return false;
    for (int v = 0; v < n; v++)
        for (int k = 0; k < steps; k++) {
            int to;
            int64_t blocks = topo_graph_send(view->mapping->graph, n, v, k, &to);
            int sender = rank_of ? rank_of[v] : v, receiver = rank_of ? rank_of[to] : to;
            (*matrix)[(size_t)cell[sender] * (size_t)cells + (size_t)cell[receiver]] += blocks;
        }
    return true;
}

const char *dump_number(int64_t number, char out[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}

const char *dump_short_number(int64_t number, char out[32])
{
    static const char *const unit[] = {"k", "M", "G", "T", "P", "E"};
    double size = (double)number / 1000;
    int which = 0;
    if (number < 10000) {
        snprintf(out, 32, "%d", (int)number);
        return out;
    }
    for (; size >= 999.5; size /= 1000)
        which++;
    snprintf(out, 32, "%.*f%s", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, size, unit[which]);
    return out;
}

bool dump_view_tree(struct dump_view *view)
{
    const struct topo_tree *tree = view->tree;
    const int level = topo_tree_node_level(tree);
    int *node;
    view->nodes = tree->units[level];
    if (!(view->order = topo_alloc(2 * (size_t)tree->ranks, sizeof *view->order)))
        return false;
    topo_tree_order(tree, view->order);
    view->node = node = view->order + tree->ranks;
    for (int rank = 0; rank < tree->ranks; rank++)
        node[rank] = topo_tree_unit(tree, level, rank);
    return true;
}
