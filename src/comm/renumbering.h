/* A renumbering as the algorithms use it, shared by all communicators of equal layout. */
#ifndef TOPO_COMM_RENUMBERING_H
#define TOPO_COMM_RENUMBERING_H

#include <mpi.h>

#include "base/status.h"
#include "machine/tree.h"
#include "renumber/graph.h"

enum { TOPO_GRAPHS = TOPO_GRAPH_BRUCK + 1 };

/* Virtual number pi[i] is played by rank i (SYSTEMS.md section 1). Read-only, reference counted. */
struct topo_plan;

const int *topo_plan_pi(const struct topo_plan *plan);
const int *topo_plan_pi_inverse(const struct topo_plan *plan);

/* Collective over `comm` (the private one), whose ranks `tree` describes. Rank 0
 * builds the mapping, or takes a remembered one of an equal tree, and sends it;
 * every rank keeps equal plans once. All ranks get the same status. Release
 * *plan with topo_plan_release(). */
enum topo_status topo_plan_get(MPI_Comm comm, const struct topo_tree *tree, enum topo_graph_kind graph,
                               struct topo_plan **plan);

/* NULL is harmless. A few plans without users are kept: programs create and free
 * the same communicators again and again. */
void topo_plan_release(struct topo_plan *plan);

#endif
