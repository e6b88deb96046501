/^FUNCTION(COLLECTIVE, Neighbor_allgather,/d
