/* The library as a whole: begun once MPI runs, ended in MPI_Finalize. */
#ifndef TOPO_COLL_LIBRARY_H
#define TOPO_COLL_LIBRARY_H

#include <stdbool.h>

/* topo_job_start() (job/job.h), then what communicators need. It ends by itself in MPI_Finalize. */
void topo_library_start(bool trusted);

/* Ends it early, for another start: of the communicators that were used with it only MPI_COMM_WORLD may be used again.
 */
void topo_library_stop(void);

#endif
