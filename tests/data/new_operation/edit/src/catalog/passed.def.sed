/^PASSED_LARGE(Neighbor_allgather,/d
