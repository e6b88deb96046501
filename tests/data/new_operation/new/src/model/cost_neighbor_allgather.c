/* Costs of MPI_Neighbor_allgather: of a ring, as the model knows no neighbours. */
#include "model/cost_parts.h"

double topo_cost_neighbor_allgather_direct(const struct topo_cost_input *in)
{
    const int n = in->tree->ranks;
    for (int rank = 0; rank < n && n > 1; rank++) {
        topo_load_message(in->load, rank, (rank + 1) % n, (double)in->call->bytes);
        topo_load_message(in->load, (rank + 1) % n, rank, (double)in->call->bytes);
    }
    return topo_load_step(in->load);
}

double topo_cost_neighbor_allgather_native(const struct topo_cost_input *in)
{
    return topo_cost_neighbor_allgather_direct(in);
}
