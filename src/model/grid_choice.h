/* Which grid the cyclic all-reduce takes: the published cost formula and its
 * minimum (docs/REFERENCES.md, Reduction 3 and 4). */
#ifndef TOPO_MODEL_GRID_CHOICE_H
#define TOPO_MODEL_GRID_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "machine/tree.h"
#include "patterns/grid.h"
#include "patterns/stripes.h"
#include "model/params.h"

struct topo_grid_request {
    size_t bytes;
    bool synchronous; /* additions are not hidden behind transfers: beta^ = 2 beta + gamma, else 2 beta */
    bool rings_only;  /* the published grids (Reduction 2); else DIRECT and EXCHANGE dimensions compete too */
};

/* Seconds of the formula
 *   T = sum_k 2 alpha_k (r_k - 1) + m sum_k (beta^_k / prod_{i<k} r_i)(1 - 1/r_k)
 * where alpha_k and beta_k are those of a step of dimension k when all ranks send
 * at once, so that a link shared by several ranks counts as such (model/load.h).
 * A DIRECT dimension pays its start-up once, an EXCHANGE dimension alpha_k + m
 * (beta_k + gamma) / prod once. Negative when memory is out. */
double topo_grid_cost(const struct topo_tree *tree, const struct topo_params *params, const struct topo_grid *grid,
                      const struct topo_grid_request *request);

/* The cheapest of all grids with tree->ranks positions, by dynamic programming over
 * the divisors. Deterministic. *seconds (may be NULL) is its cost. Errors: TOPO_NOMEM. */
enum topo_status topo_grid_choose(const struct topo_tree *tree, const struct topo_params *params,
                                  const struct topo_grid_request *request, struct topo_grid *grid, double *seconds,
                                  struct topo_error *error);

/* Seconds of the stripes scheme in the same model; negative when memory is out. */
double topo_stripes_cost(const struct topo_stripes *stripes, const struct topo_tree *tree,
                         const struct topo_params *params, const struct topo_grid_request *request);

#endif
