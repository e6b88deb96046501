/* Jobs that are to survive the loss of a rank (ULFM; MPI forum ticket 20: User Level Failure Mitigation). */
#ifndef TOPO_JOB_RECOVERY_H
#define TOPO_JOB_RECOVERY_H

#include <stdbool.h>

/* True where the MPI library was started to tell ranks of others that were lost, as Open MPI 5 is by mpirun --with-ft ulfm.
 * A rank that waits in shared memory would never learn of it, so such jobs run natively. After MPI_Init. */
bool topo_recovers(void);

#endif
