/* A mapping as JSON; topo-dump(1) has the keys. */
#include <jansson.h>

#include "base/memory.h"
#include "topo-dump/json_lines.h"
#include "topo-dump/view.h"

static json_t *integers(const int *values, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(values[i]));
    return list;
}

/* The ranks of each node. */
static json_t *groups(const struct dump_view *view)
{
    json_t *list = json_array();
    for (int u = 0; u < view->nodes; u++)
        json_array_append_new(list, json_array());
    for (int rank = 0; rank < view->tree->ranks; rank++)
        json_array_append_new(json_array_get(list, (size_t)view->node[rank]), json_integer(rank));
    return list;
}

/* The node of each virtual number. */
static json_t *partition(const struct dump_view *view)
{
    json_t *list = json_array();
    for (int v = 0; v < view->tree->ranks; v++)
        json_array_append_new(list, json_integer(view->node[view->mapping->pi_inverse[v]]));
    return list;
}

static json_t *levels(const struct topo_tree *tree)
{
    json_t *list = json_array();
    for (int level = 0; level < tree->levels; level++)
        json_array_append_new(
            list, json_pack("{ss si}", "kind", topo_level_name(tree->kind[level]), "units", tree->units[level]));
    return list;
}

void dump_mapping_json(const struct dump_view *view, struct topo_text *out)
{
    const struct topo_mapping *mapping = view->mapping;
    int n = view->tree->ranks, crossings = view->tree->levels + 1;
    json_t *root = json_object();
    json_object_set_new(root, "n", json_integer(n));
    json_object_set_new(root, "groups", groups(view));
    json_object_set_new(root, "pi", integers(mapping->pi, n));
    json_object_set_new(root, "pi_inverse", integers(mapping->pi_inverse, n));
    json_object_set_new(root, "partition", partition(view));
    json_object_set_new(root, "edge_cut_before", json_integer(mapping->edge_cut_before));
    json_object_set_new(root, "edge_cut_after", json_integer(mapping->edge_cut_after));
    json_object_set_new(root, "bytes_per_level_before", dump_json_numbers(mapping->bytes_before, crossings));
    json_object_set_new(root, "bytes_per_level_after", dump_json_numbers(mapping->bytes_after, crossings));
    json_object_set_new(root, "build_seconds", json_real(mapping->build_seconds));
    if (mapping->given) {
        json_object_set_new(root, "graph", json_string(view->request->random ? "random" : "matrix"));
    } else {
        json_object_set_new(root, "operation", json_string(topo_operation_name(view->request->operation)));
        json_object_set_new(root, "algorithm", json_string(view->request->algorithm));
        json_object_set_new(root, "graph", json_string(topo_graph_name(mapping->graph)));
    }
    json_object_set_new(root, "method", json_string(mapping->method));
    json_object_set_new(root, "optimal", json_boolean(mapping->optimal));
    json_object_set_new(root, "levels", levels(view->tree));
    json_object_set_new(root, "crossing", dump_json_labels(view->tree));
    json_object_set_new(root, "transfer_seconds_before", json_real(view->seconds_before));
    json_object_set_new(root, "transfer_seconds_after", json_real(view->seconds_after));
    dump_json_lines(root, out);
}
