/* What differs between the families of MPI libraries, whose members share one binary interface: Open MPI; MPICH with
 * those of Intel, Cray and MVAPICH; MPI 5's standard ABI. Each family has a core of its own, libtopompi-core-FAMILY.so,
 * compiled from the same sources with the headers of one of its libraries, or ours (abi/mpi.h). openmpi.h, mpich.h and
 * abi.h have what the sources need when they are compiled: the compiler is told which one by TOPO_FAMILY, and job/mpi.h
 * includes it. It defines
 *
 *   TOPO_MPI_FUNCTIONS         rows of job/mpi.def of this family alone
 *   TOPO_MPI_TABLES            what is defined besides topo_mpi and topo_native
 *   TOPO_MPI_CALLERS           objects of the library that call it by PMPI_ names, or what their names begin with
 *   TOPO_MPI_CALLS_ITSELF      is the library itself, where MPI_Init lies, one of these?
 *   TOPO_MPI_RECOVERS          a variable of the library: are ranks told of others that were lost? NULL: never
 *   TOPO_MPI_LOST(class)       is this class of errors one of lost ranks, or of a communicator that was revoked?
 *   TOPO_MPI_PROGRESS, _YIELDS a function that lets it make progress, a variable: does that yield? NULL: there is none
 *   TOPO_MPI_GROUP_SHORT       up to so many ranks a group's are translated at once (job/world_ranks.h)
 *   TOPO_MPI_SCANS_SAME        MPI_Scan and MPI_Exscan take equal buffers as MPI_IN_PLACE; else they are an error
 *   TOPO_MPI_UNWEIGHTED        MPI_UNWEIGHTED
 *   TOPO_FORTRAN_77, _08, _OWN intercept/fortran.h
 *   TOPO_FORTRAN_HANDLE        the Comm, Op or Type of a number in Fortran; TOPO_FORTRAN_NUMBER of a Comm: its number
 *
 * Nothing else in src/ asks which MPI it is. */
#ifndef TOPO_FAMILY_FAMILY_H
#define TOPO_FAMILY_FAMILY_H

#include <stdbool.h>

#include TOPO_FAMILY

/* The variable or function `name` of the library that has `function`, which stays loaded, and of what it needs. NULL
 * where there is none. Leaves no error of dlsym(). */
void *topo_family_beside(void (*function)(void), const char *name);

/* A variable or function of the program's MPI library or of what it needs, as that library itself finds it: in a
 * program that names a variable of it, that is the program's copy. NULL where there is none, or no name. Leaves no
 * error of dlsym(). */
void *topo_family_symbol(const char *name);

/* Fills what takes the place of the library's variables. The name of the first one that is missing; NULL when all are
 * there. */
const char *topo_family_start(void);

#endif
