/bench_reduce_scatter\.c/i\
	tools/topo-bench/bench_neighbor_allgather.c \\
