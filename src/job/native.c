#include "job/native.h"

struct topo_native topo_native = {
    .allgather = PMPI_Allgather,
    .allreduce = PMPI_Allreduce,
    .alltoallv = PMPI_Alltoallv,
    .bcast = PMPI_Bcast,
    .barrier = PMPI_Barrier,
    .reduce = PMPI_Reduce,
    .allgatherv = PMPI_Allgatherv,
    .alltoall = PMPI_Alltoall,
    .reduce_scatter = PMPI_Reduce_scatter,
    .reduce_scatter_block = PMPI_Reduce_scatter_block,
};
