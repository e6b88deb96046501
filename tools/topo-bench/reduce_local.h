/* topo-bench reduce_local: MPI_Reduce_local against plain loops of ours. */
#ifndef TOPO_BENCH_REDUCE_LOCAL_H
#define TOPO_BENCH_REDUCE_LOCAL_H

/* argv[0] is "reduce_local". Starts and ends MPI; one process. Returns the exit status. */
int bench_reduce_local(int argc, char **argv);

#endif
