/* topo-bench guidelines: what a call must not take longer than, natively and by auto. */
#ifndef TOPO_BENCH_GUIDELINES_COMMAND_H
#define TOPO_BENCH_GUIDELINES_COMMAND_H

/* argv[0] is "guidelines". Under mpirun; starts and ends MPI. Returns the exit status: rank 0's, the others have 0. */
int bench_guidelines_command(int argc, char **argv);

#endif
