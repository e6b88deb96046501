/* The communication graphs that algorithms have and that mappings are made for (renumber/graph.h builds them). */
#ifndef TOPO_CATALOG_GRAPH_KIND_H
#define TOPO_CATALOG_GRAPH_KIND_H

enum topo_graph_kind {
    TOPO_GRAPH_NONE,
    TOPO_GRAPH_RECURSIVE_DOUBLING,
    TOPO_GRAPH_BRUCK,
    TOPO_GRAPH_RING,
    TOPO_GRAPHS
};

#endif
