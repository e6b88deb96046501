/* topo-bench levels: what messages cost at every level of the machine's tree. */
#ifndef TOPO_BENCH_LEVELS_H
#define TOPO_BENCH_LEVELS_H

#include <mpi.h>

#include "machine/tree.h"
#include "topo-bench/request.h"

/* Payload bytes per second through the link of a unit of every level (the better
 * direction), rate[tree->levels]; 0 for levels inside a node, whose units have no
 * link of their own. Collective. Errors: TOPO_NOMEM, equal on all ranks. */
enum topo_status bench_link_rates(MPI_Comm comm, const struct topo_tree *tree, double *rate, struct topo_error *error);

/* The machine's parameters, as lines of a tuning file, from ping-pong of the
 * request's sizes and from filled links. Collective; *out is filled on rank 0. */
void bench_levels_params(const struct bench_request *request, MPI_Comm comm, const struct topo_tree *tree,
                         struct topo_text *out);

/* The whole command; rank 0 writes. Collective. Returns an exit status. */
int bench_levels(const struct bench_request *request, MPI_Comm comm, const struct topo_tree *tree);

#endif
