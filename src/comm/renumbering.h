/* A renumbering as the algorithms use it, shared by all communicators of equal layout. */
#ifndef TOPO_COMM_RENUMBERING_H
#define TOPO_COMM_RENUMBERING_H

#include "base/status.h"
#include "job/channel.h"
#include "machine/tree.h"
#include "catalog/graph_kind.h"

/* Virtual number pi[i] is played by rank i (docs/REFERENCES.md, Mapping 3). Read-only, reference counted. WHOLE has
 * both bijections, lists of n numbers (base/numbers.h: O(log n) integers where they follow a rule), shared by
 * communicators of equal layout; NEIGHBOURS, for
 * algorithms of that trait, has what one rank needs of them while its graph is walked: at most 2 (2 ceil(log2 n) + 1)
 * integers. */
struct topo_renumbering;
enum topo_renumbering_extent { TOPO_RENUMBERING_WHOLE, TOPO_RENUMBERING_NEIGHBOURS, TOPO_RENUMBERING_EXTENTS };

/* The number of `rank`. NEIGHBOURS: of this rank, whatever `rank` is. */
int topo_renumbering_number(const struct topo_renumbering *renumbering, int rank);

/* Who plays a number. NEIGHBOURS: this rank's own rank as a number, and the numbers of its partners in the graph. */
int topo_renumbering_rank_at(const struct topo_renumbering *renumbering, int number);

/* WHOLE: [ranks] who plays each number. */
const struct topo_numbers *topo_renumbering_pi_inverse(const struct topo_renumbering *renumbering);

/* Collective over the channel, whose ranks `tree` describes. Rank 0
 * builds the mapping, or takes a remembered one of an equal tree, and sends it, by its
 * rule where it has one, or each rank's part of it; every rank keeps equal whole plans
 * once. All ranks get the same status. Release *renumbering with topo_renumbering_release(). */
enum topo_status topo_renumbering_get(const struct topo_channel *channel, const struct topo_tree *tree,
                                      enum topo_graph_kind graph, enum topo_renumbering_extent extent,
                                      struct topo_renumbering **renumbering);

/* Bytes that it takes on this rank. */
size_t topo_renumbering_bytes(const struct topo_renumbering *renumbering);

/* NULL is harmless. A few whole ones without users are kept: programs create and free
 * the same communicators again and again. */
void topo_renumbering_release(struct topo_renumbering *renumbering);

#endif
