/* Cyclic all-reduce on a grid that follows the machine (docs/REFERENCES.md, Reduction 2 and 3).
 *
 * Cost: sum_k 2 alpha_k (r_k - 1) + m sum_k (beta^_k / prod_{i<k} r_i)(1 - 1/r_k),
 * beta^_k = 2 beta_k with asynchronous packets, 2 beta_k + gamma without. */
#include "coll/allreduce/allreduce.h"

#include <stdatomic.h>

#include "base/log.h"
#include "coll/call/call.h"
#include "job/job.h"

/* TOPOMPI_CYCLIC_GRID in place of the automatic grid, where it has as many places as
 * there are ranks. Where not, said once, the automatic one stays, or strictly an error. */
static int use_given_grid(const struct topo_allreduce *call, struct topo_allreduce_shape *shape)
{
    static atomic_bool said;
    const char *name = topo_option_info(TOPO_OPTION_CYCLIC_GRID)->name;
    const char *text = topo_job.options.value[TOPO_OPTION_CYCLIC_GRID].text;
    bool strict = topo_job.options.value[TOPO_OPTION_STRICT].flag;
    struct topo_grid grid;
    if (topo_grid_option(name, text, &grid, NULL) != TOPO_OK || grid.dims == 0)
        return MPI_SUCCESS;
    if (topo_grid_fits(&grid, call->comm->ranks)) {
        shape->grid = grid;
        shape->stripes = false;
        return MPI_SUCCESS;
    }
    if (!atomic_exchange(&said, true) && call->comm->rank == 0)
        topo_say("%s=%s has %d places, a communicator of %d ranks has not; %s", name, text, grid.ranks,
                 call->comm->ranks, strict ? "an MPI error, as TOPOMPI_STRICT=1 says" : "it gets the automatic grid");
    if (!strict)
        return MPI_SUCCESS;
    topo_call_await_reason(TOPO_OPERATION_allreduce, call->comm);
    return MPI_ERR_UNSUPPORTED_OPERATION;
}

int topo_allreduce_cyclic(const struct topo_allreduce *call)
{
    struct topo_allreduce_shape shape;
    int code = topo_allreduce_shape_of(call, TOPO_SHAPE_CYCLIC, &shape);
    if (code == MPI_SUCCESS)
        code = use_given_grid(call, &shape);
    return code == MPI_SUCCESS ? topo_allreduce_by_shape(call, &shape, 1) : code;
}
