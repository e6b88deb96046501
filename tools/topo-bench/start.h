/* What commands that run under mpirun do before MPI runs. */
#ifndef TOPO_BENCH_START_H
#define TOPO_BENCH_START_H

/* The rank by the launcher's word, before MPI runs; 0 when it says nothing. */
int bench_launched_as(void);

/* Our algorithms are named to the library by us: the variables that would name others, or switch it off, must not be
 * in force. */
void bench_clear_environment(void);

/* PMPI_Init(), in which a library that is preloaded learns that it is to do nothing: PMPI_X may be its own. */
void bench_start_mpi(int *argc, char ***argv);

#endif
