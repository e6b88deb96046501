/src\/model\/cost_parts\.h/a\
	src/model/cost_neighbor_allgather.c \\
