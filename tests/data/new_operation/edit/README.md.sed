s/`MPI_Reduce_scatter_block`/&, `MPI_Scan`/
