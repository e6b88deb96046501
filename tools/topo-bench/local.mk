# topo-bench
