s/`MPI_Reduce`,/`MPI_Neighbor_allgather`, &/
