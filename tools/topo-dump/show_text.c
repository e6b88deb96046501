/* A mapping as text for people. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "renumber/metis.h"
#include "topo-dump/view.h"

enum { TREE_UNITS_MAX = 256, PER_LINE = 16 };

/* Ascending ranks with runs shortened: "0-3,8". */
static void add_ranks(struct topo_text *out, const int *ranks, int count)
{
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && ranks[end] == ranks[end - 1] + 1; end++)
            ;
        topo_text_addf(out, "%s%d", i ? "," : "", ranks[i]);
        if (end - i > 1)
            topo_text_addf(out, "%s%d", end - i > 2 ? "-" : ",", ranks[end - 1]);
    }
}

/* The units of `level` and deeper among order[first..end), indented. A deepest
 * level whose units hold one rank each is not spelt out. */
static void add_units(const struct dump_view *view, int level, int first, int end, struct topo_text *out)
{
    const struct topo_tree *tree = view->tree;
    if (level == tree->levels || (level == tree->levels - 1 && tree->units[level] == tree->ranks))
        return;
    const struct topo_numbers *unit = &tree->unit[level];
    for (int i = first, next; i < end; i = next) {
        for (next = i; next < end && topo_numbers_at(unit, view->order[next]) == topo_numbers_at(unit, view->order[i]);
             next++)
            ;
        topo_text_addf(out, "%*s%s %d: ", 2 + 2 * level, "", topo_level_name(tree->kind[level]),
                       topo_numbers_at(unit, view->order[i]));
        topo_text_addf(out, next - i == 1 ? "rank " : "%d ranks ", next - i);
        add_ranks(out, view->order + i, next - i);
        topo_text_add(out, "\n");
        add_units(view, level + 1, i, next, out);
    }
}

void dump_tree_text(const struct dump_view *view, struct topo_text *out)
{
    const struct topo_tree *tree = view->tree;
    int all = 0;
    topo_text_addf(out, "machine (%s): %d ranks", view->source, tree->ranks);
    for (int level = 0; level < tree->levels; level++) {
        topo_text_addf(out, ", %d x %s", tree->units[level], topo_level_name(tree->kind[level]));
        all += tree->units[level];
    }
    topo_text_add(out, "\n");
    if (view->request->summary)
        return;
    if (all - (tree->units[tree->levels - 1] == tree->ranks ? tree->ranks : 0) <= TREE_UNITS_MAX)
        add_units(view, 0, 0, tree->ranks, out);
    else
        topo_text_addf(out, "  (more than %d units; --format json lists them)\n", TREE_UNITS_MAX);
}

/* "title", then the numbers, PER_LINE in a line that starts with the index of its first. */
static void add_numbers(struct topo_text *out, const char *title, const int *values, int count)
{
    int width = snprintf(NULL, 0, "%d", count - 1);
    topo_text_addf(out, "%s\n", title);
    for (int i = 0; i < count; i++) {
        if (i % PER_LINE == 0)
            topo_text_addf(out, "  %*d:", width, i);
        topo_text_addf(out, " %*d", width, values[i]);
        if (i % PER_LINE == PER_LINE - 1 || i == count - 1)
            topo_text_add(out, "\n");
    }
}

/* "-88.1 %", or "x 12.8" for more than twice as much; nothing when nothing changed. */
static void add_change(struct topo_text *out, double before, double after)
{
    double ratio = before > 0 ? after / before : 1;
    if (ratio > 2)
        topo_text_addf(out, " %11s%.1f", "x ", ratio);
    else if (ratio != 1)
        topo_text_addf(out, " %+9.1f %%", 100 * (ratio - 1));
    topo_text_add(out, "\n");
}

static void add_blocks(const struct dump_view *view, struct topo_text *out)
{
    const struct topo_tree *tree = view->tree;
    const struct topo_mapping *mapping = view->mapping;
    char before[32], after[32];
    topo_text_addf(out, "%-36s %20s %20s\n",
                   mapping->given ? "bytes that cross" : "bytes that cross, for 1 byte a rank", "before", "after");
    for (int z = 0; z <= tree->levels; z++) {
        dump_level_row(tree, z, dump_number(mapping->bytes_before[z], before),
                       dump_number(mapping->bytes_after[z], after), out);
        add_change(out, (double)mapping->bytes_before[z], (double)mapping->bytes_after[z]);
    }
    topo_text_addf(out, "  %-34s %20s %20s", "edge cut (between any two nodes)",
                   dump_number(mapping->edge_cut_before, before), dump_number(mapping->edge_cut_after, after));
    add_change(out, (double)mapping->edge_cut_before, (double)mapping->edge_cut_after);
    if (!mapping->given)
        topo_text_addf(out, "  %-34s %20s %20s\n", "least edge cut of any allgather", "",
                       dump_number((int64_t)tree->ranks * (view->nodes - 1), after));
    topo_text_addf(out, "%-36s %17.4f us %17.4f us", "T(x), each byte at its level's speed", 1e6 * view->seconds_before,
                   1e6 * view->seconds_after);
    add_change(out, view->seconds_before, view->seconds_after);
}

/* How the mapping came about. */
static void add_method(const struct dump_view *view, struct topo_text *out)
{
    const char *why = "";
    topo_text_addf(out, "built in %.0f us: %s%s", 1e6 * view->mapping->build_seconds, view->mapping->method,
                   view->mapping->optimal ? ", proved optimal on every level" : "");
    if (view->request->partitioner == TOPO_PARTITIONER_METIS && topo_metis_state(&why) != TOPO_METIS_MISSING)
        topo_text_addf(out, " (%s)", why);
    topo_text_add(out, "\n");
}

/* Every rank's number, and back. */
static void add_mapping(const struct dump_view *view, struct topo_text *out)
{
    int n = view->tree->ranks;
    TOPO_SCOPED int *partition = topo_alloc((size_t)n, sizeof *partition);
    if (!partition) {
        out->failed = true;
        return;
    }
    for (int v = 0; v < n; v++)
        partition[v] = view->node[view->mapping->pi_inverse[v]];
    add_numbers(out, "pi: the number that each rank plays", view->mapping->pi, n);
    add_numbers(out, "pi_inverse: the rank that plays each number", view->mapping->pi_inverse, n);
    add_numbers(out, "partition: the node of each number", partition, n);
    topo_text_add(out, "\n");
}

void dump_mapping_text(const struct dump_view *view, struct topo_text *out)
{
    if (view->mapping->given)
        topo_text_addf(out, "graph %s\n\n", view->request->random ? view->request->random : view->request->matrix);
    else
        topo_text_addf(out, "%s, algorithm %s, information graph %s\n\n", topo_operation_name(view->request->operation),
                       view->request->algorithm, topo_graph_name(view->mapping->graph));
    dump_tree_text(view, out);
    topo_text_add(out, "\n");
    if (!view->request->summary)
        add_mapping(view, out);
    add_blocks(view, out);
    topo_text_add(out, "\n");
    add_method(view, out);
}
