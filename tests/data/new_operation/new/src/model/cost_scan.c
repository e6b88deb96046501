/* Costs of MPI_Scan. */
#include "model/cost_parts.h"

double topo_cost_scan_native(const struct topo_cost_input *in)
{
    return topo_cost_folded(in, NULL, TOPO_DIM_EXCHANGE, (double)in->call->bytes, false);
}

double topo_cost_scan_chain(const struct topo_cost_input *in)
{
    double bytes = (double)in->call->bytes, seconds = 0;
    for (int rank = 1; rank < in->tree->ranks; rank++) {
        topo_load_message(in->load, rank - 1, rank, bytes);
        topo_load_rank_work(in->load, rank, in->params->gamma * bytes, false);
        seconds += topo_load_step(in->load);
    }
    return seconds;
}
