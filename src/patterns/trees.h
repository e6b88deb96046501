/* A vector from one node to all others down several trees at a time: of k trees number t has the segments t, t + k, ..,
 * and a node passes on those of one tree, to k nodes, and no others (docs/REFERENCES.md, Node exchanges 6; two trees:
 * Sanders, Speck, Träff, Parallel Computing 35, 2009). So every node's link carries the vector once in and, k copies
 * of a k-th of it, once out, and a segment is through after as many hops as a tree of degree k is deep, however many
 * segments follow. There are no rounds: each edge carries its segments one after the other, and waits for no other
 * edge. Backwards, from the leaves, it collects sums.
 *
 * Nodes are numbered from the root, which is 0; let u = node - 1 and M the number of those, M = q k + r with r < k.
 * Tree t has as interior nodes those with u mod k = t, first in its order, and then all others; the node at place p has
 * its parent at place (p - 1) / k, the first one has the root. That is a parent for all where r <= 1 or t < r. In each
 * of the k - r others the r - 1 last nodes find all places taken; the last interior nodes of the first r trees have k -
 * r + 1 places to spare each, which is more than enough: there they go, below a node that is a leaf of that tree.
 *
 * Example: 9 nodes, k = 3, so M = 8, q = 2, r = 2; "4: 3 7 8": node 4 passes on to nodes 3, 7 and 8.
 *
 *     tree 0     root: 1     1: 4 7 8     4: 6 5 3     7: 2         (7 has two places to spare)
 *     tree 1     root: 2     2: 5 8 7     5: 6 4 3     8: 1         (so has 8)
 *     tree 2     root: 3     3: 6 8 7     6: 5 4 2     and 1, for which 3 and 6 have no place: 7: 1
 */
#ifndef TOPO_PATTERNS_TREES_H
#define TOPO_PATTERNS_TREES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TOPO_TREES_MOST = 8, TOPO_TREES_WINDOW_MOST = 8 };

/* What one node does. Small, and without memory of its own. */
struct topo_trees {
    int nodes, node;             /* the node's number from the root: (node - root) mod nodes */
    int trees;                   /* k: as wanted, but for the root no more than there are others; 0 for one node */
    int parent[TOPO_TREES_MOST]; /* of each tree; not on the root */
    int edges;                   /* to how many nodes this one passes segments on: <= k */
    int tree[TOPO_TREES_MOST], child[TOPO_TREES_MOST]; /* of each edge: whose segments, and to which node */
};

/* For up to `trees` from 1 to TOPO_TREES_MOST; 0 <= node < nodes. */
void topo_trees_make(int nodes, int node, int trees, struct topo_trees *to);

/* One more edge, of which there is room for as many as trees. */
static inline void topo_trees_add(struct topo_trees *to, int tree, int child)
{
    to->tree[to->edges] = tree;
    to->child[to->edges++] = child;
}

/* Hops from the root to the farthest node of so many trees of so many nodes; 0 for one node. */
int topo_trees_depth(int nodes, int trees);

#endif
