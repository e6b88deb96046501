/* A renumbering as the algorithms use it, shared by all communicators of equal layout. */
#ifndef TOPO_COMM_RENUMBERING_H
#define TOPO_COMM_RENUMBERING_H

#include <mpi.h>

#include "base/status.h"
#include "machine/tree.h"
#include "catalog/graph_kind.h"

/* Virtual number pi[i] is played by rank i (docs/REFERENCES.md, Mapping 3). Read-only, reference counted. */
struct topo_renumbering;

const int *topo_renumbering_pi(const struct topo_renumbering *renumbering);
const int *topo_renumbering_pi_inverse(const struct topo_renumbering *renumbering);

/* Collective over `comm` (the private one), whose ranks `tree` describes. Rank 0
 * builds the mapping, or takes a remembered one of an equal tree, and sends it;
 * every rank keeps equal plans once. All ranks get the same status. Release
 * *plan with topo_renumbering_release(). */
enum topo_status topo_renumbering_get(MPI_Comm comm, const struct topo_tree *tree, enum topo_graph_kind graph,
                                      struct topo_renumbering **renumbering);

/* NULL is harmless. A few plans without users are kept: programs create and free
 * the same communicators again and again. */
void topo_renumbering_release(struct topo_renumbering *renumbering);

#endif
