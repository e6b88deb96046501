/* The ranks in MPI_COMM_WORLD of the processes of a group. */
#ifndef TOPO_JOB_WORLD_RANKS_H
#define TOPO_JOB_WORLD_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* Groups of at most so many ranks are left to MPI_Group_translate_ranks(). Tests set it. */
extern int topo_world_ranks_short;

/* What finding out may take in a call of the program: processes that are compared, in Open MPI (base/numbers_search.h).
 * A second or so; as many as MPI_Group_translate_ranks() compares for 16,384 ranks. */
#define TOPO_WORLD_RANKS_MOST ((uint64_t)1 << 27)

/* world[ranks]: those of all processes of `group`. No message. *all is false, on all ranks that have such a group
 * alike, where one of them is of another job, or where their order follows no rule and it would take more than `most`,
 * which is said. Open MPI's MPI_Group_translate_ranks() looks for each process among all others, which takes a time
 * that grows with the square of the ranks. Returns an MPI error code. */
int topo_world_ranks(MPI_Group group, int ranks, uint64_t most, int *world, bool *all);

#endif
