/* Calls of which rank `late` comes 5 ms late to each all-reduce: late RANK [HOW]. HOW, after half of them: abort
 * (MPI_Abort by rank 1), exit (all without MPI_Finalize), stand (until a signal), rooted (broadcasts from rank RANK,
 * too). Prints "ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS = 20, LATE_US = 5000 };

int main(int argc, char **argv)
{
    double own[64] = {0}, sum[64];
    int rank, late = atoi(argv[1]);
    const char *how = argc > 2 ? argv[2] : "";
    MPI_Comm solver;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &solver);
    MPI_Comm_set_name(solver, "solver");
    for (int i = 0; i < CALLS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late)
            usleep(LATE_US);
        if (!strcmp(how, "rooted"))
            MPI_Bcast(own, 64, MPI_DOUBLE, late, solver);
        else
            MPI_Allreduce(own, sum, 64, MPI_DOUBLE, MPI_SUM, solver);
        if (i < CALLS / 2)
            continue;
        if (!strcmp(how, "abort") && rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (!strcmp(how, "exit"))
            _exit(4);
        if (!strcmp(how, "stand")) {
            if (rank == 0 && puts("stands") >= 0)
                fflush(stdout);
            sleep(60);
        }
    }
    MPI_Finalize();
    if (rank == 0)
        puts("ok");
    return 0;
}
