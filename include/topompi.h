/* TopoMPI's public interface. A program never needs it: preloading is enough.
 * One that uses it links with -ltopompi or looks the functions up with dlsym(). */
#ifndef TOPOMPI_H
#define TOPOMPI_H

#include <stddef.h>

#define TOPOMPI_VERSION "1.0.0"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, e.g. "1.0.0"; static, never NULL. */
const char *topompi_version(void);

/* The machine as the library sees it after MPI_Init: units at each level, "2 x switch, 8 x node, 64 x core"; static.
 * NULL where it does nothing: it is off, not in every rank, of another MPI, or there is one rank alone. */
const char *topompi_machine(void);

/* Marks a part of the program, an interval, in the trace that TOPOMPI_TRACE asks
 * for; without a trace they do nothing. Intervals nest; every rank marks its own.
 * `name` and `file` (either may be NULL) are copied; usually
 *     topompi_interval_begin("solve", __FILE__, __LINE__); ... topompi_interval_end();
 * MPI_Pcontrol() marks intervals too: MPI_Pcontrol(L) with L > 0 begins one of
 * level L and ends those of level L and inside, MPI_Pcontrol(0) ends all of them. */
void topompi_interval_begin(const char *name, const char *file, int line);
void topompi_interval_end(void);

#ifdef MPI_VERSION /* mpi.h was included before */
/* The algorithm that MPI_<operation> ("allgather", ...) takes on `comm` for
 * messages of `bytes`: its name in TOPOMPI_<OPERATION>, "native" for the MPI
 * library's own; static. For allgather `bytes` is one rank's block. A local call.
 * NULL when the operation is not one that TopoMPI takes over, or memory is out. */
const char *topompi_algorithm(MPI_Comm comm, const char *operation, size_t bytes);
#endif

#ifdef __cplusplus
}
#endif

#endif
