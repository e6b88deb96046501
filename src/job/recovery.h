/* Jobs that are to survive the loss of a rank (ULFM; MPI forum ticket 20: User Level Failure Mitigation), as those of
 * Open MPI 5 by mpirun --with-ft ulfm are.
 *
 * What MPI gives: whoever makes progress learns of each lost rank of the job sooner or later, and of each communicator
 * that was revoked. From then on every native collective on a communicator with such a rank, or a revoked one, fails at
 * once. So a rank that waits in a call of ours asks MPI now and then whether its communicator is lost in that sense,
 * and leaves the call when it is; its native call then says so to the program, in MPI's words. The others need not be
 * told: each of them learns the same. No rank takes part again: for who has left, the communicator is native, and no
 * native call on it succeeds. Other communicators of the same ranks go on, and what MPIX_Comm_shrink() makes is new.
 *
 * A rank leaves by longjmp() from its wait to where the call began: none holds a lock there. Receives that it started
 * are cancelled. Sends cannot be; so that none reads memory which is the program's again, what is sent is copied first,
 * up to 2 GiB.
 * Messages that nobody takes any more carry tags which are never used again (topo_channel_close()). */
#ifndef TOPO_JOB_RECOVERY_H
#define TOPO_JOB_RECOVERY_H

#include <setjmp.h>
#include <stdbool.h>

#include <mpi.h>

/* True once topo_recovery_start() has found such a job. */
extern bool topo_recovers;

/* Was the MPI library started so? False in *possible: but it has not all functions that this takes. After MPI_Init. */
bool topo_recovery_wanted(bool *possible);

/* From here on what waits in messages may leave, too: the functions of job/mpi.h are replaced by those that do. */
void topo_recovery_start(void);
void topo_recovery_stop(void);

/* Is a rank of this communicator known to be lost, or was it revoked? */
bool topo_recovery_is_lost(MPI_Comm comm);

/* Where what waits of a call on `comm` began; it may be left until it ends. The caller's frame:
 *     topo_recovery_begin(&point, comm);
 *     if (setjmp(point.left) == 0) { ...; topo_recovery_end(&point); } else { it was left, and has ended }
 * No native call is made between the two, and none of MPI's functions there calls the program's error handlers but
 * those that are replaced (topo_recovery_start()), which forget the point meanwhile: the program may leave by itself,
 * out of a handler, and no point outlives its frame. */
struct topo_recovery_point {
    jmp_buf left;
    MPI_Comm comm;
    struct topo_recovery_point *outer;
    struct topo_recovery_message *messages; /* [count] that are under way */
    int count, room;
    int code; /* once left: an error that was raised already; MPI_SUCCESS: none was */
};
void topo_recovery_begin(struct topo_recovery_point *point, MPI_Comm comm);
void topo_recovery_end(struct topo_recovery_point *point);

/* In each iteration of a loop that waits: asks now and then, and leaves. */
void topo_recovery_ask(void);
static inline void topo_recovery_poll(void)
{
    if (topo_recovers)
        topo_recovery_ask();
}

#endif
