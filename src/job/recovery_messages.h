/* What the two files of job/recovery.h share. */
#ifndef TOPO_JOB_RECOVERY_MESSAGES_H
#define TOPO_JOB_RECOVERY_MESSAGES_H

#include "job/mpi.h"
#include "job/recovery.h"

/* The MPI library's functions, of which some are replaced. */
extern struct topo_mpi topo_recovery_own;

/* The call under way in this thread; NULL: there is none that may be left. */
extern _Thread_local struct topo_recovery_point *topo_recovery_point __attribute__((tls_model("initial-exec")));

/* Leaves it; `code` as in struct topo_recovery_point. */
_Noreturn void topo_recovery_leave(int code);

/* So that no message of a call which is left writes to memory of the program. */
void topo_recovery_end_messages(const struct topo_recovery_point *left);

/* Messages are those of a call under way from here on. */
void topo_recovery_replace_messages(void);

#endif
