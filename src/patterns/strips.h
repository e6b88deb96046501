/* All-reduce level by level on nodes of any sizes: what the cyclic algorithm's
 * grid of ranks per node x nodes is to even nodes (SYSTEMS.md section 2). */
#ifndef TOPO_PATTERNS_STRIPS_H
#define TOPO_PATTERNS_STRIPS_H

#include "base/status.h"
#include "machine/tree.h"
#include "patterns/allreduce_steps.h"

/* The vector is cut into `strips` strips. Inside node u strip l is added up by its
 * owner, member l mod (size of u). The owners of a strip on all nodes then run a
 * 1-D cyclic all-reduce of it and hand the result to their nodes, so each node's
 * link carries 2m(1 - 1/nodes) each way. Nodes in tree order; node u has members
 * player[first[u]] .. player[first[u + 1] - 1]. */
struct topo_strips {
    int strips, nodes;
    int *first;        /* [nodes + 1] */
    const int *player; /* the tree's order; must outlive this */
};

/* As many strips as the largest node has ranks. Free strips->first with
 * topo_strips_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_strips_of(const struct topo_tree *tree, struct topo_strips *strips);
void topo_strips_free(struct topo_strips *strips);

/* Ranks of a node, the owning member of a strip in it, and that member's rank. */
int topo_strips_members(const struct topo_strips *strips, int node);
int topo_strips_owner(const struct topo_strips *strips, int node, int strip);
int topo_strips_rank(const struct topo_strips *strips, int node, int strip);

/* The node of a place in tree order. */
int topo_strips_node(const struct topo_strips *strips, int place);

/* Appends the moves of place `place` for strip `strip` of `whole`. */
void topo_moves_strip(struct topo_moves *moves, const struct topo_strips *strips, int place, int strip,
                      struct topo_block whole);

#endif
