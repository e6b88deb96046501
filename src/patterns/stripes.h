/* All-reduce level by level on nodes of any sizes: what the cyclic algorithm's
 * grid of ranks per node x nodes is to even nodes (docs/REFERENCES.md, Reduction 2). */
#ifndef TOPO_PATTERNS_STRIPES_H
#define TOPO_PATTERNS_STRIPES_H

#include "base/status.h"
#include "machine/tree.h"

/* The vector is cut into `stripes` stripes. Inside node u stripe l is added up by its
 * owner, member l mod (size of u). The owners of a stripe on all nodes then run a
 * 1-D cyclic all-reduce of it and hand the result to their nodes, so each node's
 * link carries 2m(1 - 1/nodes) each way. Nodes in tree order; node u has members
 * rank_at[first[u]] .. rank_at[first[u + 1] - 1]. */
struct topo_stripes {
    int stripes, nodes;
    int *first;                         /* [nodes + 1] */
    const struct topo_numbers *rank_at; /* the tree's order; must outlive this */
};

/* As many stripes as the largest node has ranks. Free stripes->first with
 * topo_stripes_free(). Errors: TOPO_NOMEM. */
enum topo_status topo_stripes_of(const struct topo_tree *tree, struct topo_stripes *stripes);
void topo_stripes_free(struct topo_stripes *stripes);

/* Ranks of a node, the owning member of a stripe in it, and that member's rank. */
int topo_stripes_members(const struct topo_stripes *stripes, int node);
int topo_stripes_owner(const struct topo_stripes *stripes, int node, int stripe);
int topo_stripes_rank(const struct topo_stripes *stripes, int node, int stripe);

/* The rank of one of the members. */
static inline int topo_stripes_member(const struct topo_stripes *stripes, int node, int member)
{
    return topo_numbers_at(stripes->rank_at, stripes->first[node] + member);
}

/* The node of a place in tree order. */
int topo_stripes_node(const struct topo_stripes *stripes, int place);

#endif
