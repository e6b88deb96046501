/* Scan along the ranks: each adds its operands to what the one before it sends, and sends the sum on.
 *
 * Cost: (n-1)(alpha + m (beta + gamma)). */
#include "coll/scan/scan.h"

#include "coll/base/scratch.h"
#include "coll/base/transport.h"

int topo_scan_chain(const struct topo_scan *call)
{
    const struct topo_vector *vector = &call->vector;
    int rank = call->comm->rank, count = (int)vector->count, code = MPI_SUCCESS;
    void *block = NULL;
    char *before;
    if (!vector->in_place)
        code = topo_vector_copy(vector, vector->input, vector->result, vector->count);
    if (rank > 0 && code == MPI_SUCCESS) {
        MPI_Request request;
        if (!topo_vector_scratch(vector, vector->count, &block, &before))
            return MPI_ERR_NO_MEM;
        code = topo_irecv_typed(before, count, vector->type, rank - 1, TOPO_TAG, vector->channel, &request);
        if (code == MPI_SUCCESS)
            code = PMPI_Wait(&request, MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS)
            code = PMPI_Reduce_local(before, vector->result, count, vector->type, vector->op);
    }
    if (rank + 1 < call->comm->ranks && code == MPI_SUCCESS) {
        MPI_Request request;
        code = topo_isend_typed(vector->result, count, vector->type, rank + 1, TOPO_TAG, vector->channel, &request);
        if (code == MPI_SUCCESS)
            code = PMPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    topo_scratch_give(block);
    return code;
}
