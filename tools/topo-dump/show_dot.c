/* The information graph on its nodes, for Graphviz. The file names the layout, so that plain `dot` draws it: dot's own
 * has ranks of vertices from left to right and fails with such graphs. */
#include <math.h>

#include "base/memory.h"
#include "base/text.h"
#include "common/cli.h"
#include "topo-dump/commands.h"
#include "topo-dump/svg.h"
#include "topo-dump/view.h"

/* Beyond so many vertices fdp takes minutes and nobody sees anything in the picture. */
enum { DRAWN_MAX = 2000 };

void dump_mapping_dot(const struct dump_view *view, struct topo_text *out)
{
    const struct topo_mapping *mapping = view->mapping;
    const struct topo_tree *tree = view->tree;
    TOPO_SCOPED_BY(topo_graph_end) struct topo_graph *built = NULL;
    const struct topo_graph *graph = mapping->given;
    if (!graph && topo_graph_build(mapping->graph, tree->ranks, &built, NULL) != TOPO_OK) {
        out->failed = true;
        return;
    }
    graph = graph ? graph : built;
    if (tree->ranks > DRAWN_MAX)
        cli_fail(DUMP_TOOL, CLI_OK,
                 "--format dot: %d vertices are more than Graphviz draws in minutes; --format svg shows "
                 "as many",
                 tree->ranks);
    topo_text_addf(out,
                   "// Edges carry the bytes that travel in both directions, of an algorithm 1 byte a rank;\n"
                   "// red ones cross nodes: %lld bytes, %lld before renumbering.\n"
                   "graph topompi {\n"
                   "  layout=fdp;\n"
                   "  label=\"%s on %d rank%s, %d node%s\";\n"
                   "  node [shape=circle, style=filled, fontcolor=white, fontname=\"sans-serif\"];\n",
                   (long long)mapping->edge_cut_after, (long long)mapping->edge_cut_before,
                   mapping->given ? "given graph" : topo_graph_name(mapping->graph), tree->ranks,
                   topo_plural(tree->ranks), view->nodes, topo_plural(view->nodes));
    for (int i = 0; i < tree->ranks; i++) {
        int rank = view->order[i], node = view->node[rank];
        if (!i || view->node[view->order[i - 1]] != node)
            topo_text_addf(out, "  subgraph cluster_%d {\n    label=\"node %d\";\n", node, node);
        topo_text_addf(out, "    v%d [label=\"%d\\nrank %d\", fillcolor=\"%s\"];\n", mapping->pi[rank],
                       mapping->pi[rank], rank, svg_colour(node));
        if (i == tree->ranks - 1 || view->node[view->order[i + 1]] != node)
            topo_text_add(out, "  }\n");
    }
    for (int v = 0; v < tree->ranks; v++)
        for (int64_t e = graph->row[v]; e < graph->row[v + 1]; e++) {
            int u = graph->neighbour[e];
            if (u < v)
                continue;
            bool crosses = view->node[mapping->pi_inverse[v]] != view->node[mapping->pi_inverse[u]];
            topo_text_addf(out, "  v%d -- v%d [weight=%lld, label=\"%lld\", penwidth=%.1f, color=\"%s\"];\n", v, u,
                           (long long)graph->weight[e], (long long)graph->weight[e],
                           0.5 + log2((double)graph->weight[e] + 1) / 2, crosses ? "#d00000" : "#909090");
        }
    topo_text_add(out, "}\n");
}
