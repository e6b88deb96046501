/* What ranks publish of themselves by their launcher, for job/presence.c: presence_pmix.c for Open MPI, presence_pmi.c
 * for MPICH. Nothing here waits for a rank without the library. */
#ifndef TOPO_JOB_PRESENCE_EXCHANGE_H
#define TOPO_JOB_PRESENCE_EXCHANGE_H

#include <stdbool.h>

enum topo_presence_answer {
    TOPO_PRESENCE_HAS,   /* this very version */
    TOPO_PRESENCE_OTHER, /* another one */
    TOPO_PRESENCE_LACKS
};

/* Before PMPI_Init(): publishes this rank's version, or prepares that. False where the launcher offers no way. */
bool topo_presence_publish(void);

/* After PMPI_Init(), where that was true: can others be asked? */
bool topo_presence_published(void);

/* Then: what `rank` of MPI_COMM_WORLD published; final. */
enum topo_presence_answer topo_presence_of(int rank);

#endif
