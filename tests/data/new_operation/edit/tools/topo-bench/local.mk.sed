/operands\.c/i\
	tools/topo-bench/bench_neighbor_allgather.c \\
