/* A program with sessions (MPI-4.1, 11.3): sessions alone, without MPI_Init, or sessions beside, after it, or sessions
 * before it, or one that ends, unused, before MPI_Init; or all ranks meet in one, and rank 1 comes to MPI_Init when rank
 * 0 is through it. Prints ok on rank 0. */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

enum { MANY = 20 };

#include "usual_calls.h"

static MPI_Comm of_session(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

/* `beside`: after MPI_Init, and on after MPI_Finalize; `before`: MPI_Init comes later. */
static void sessions(int beside, int before)
{
    MPI_Session session, other;
    MPI_Comm comm, second, half;
    if (beside)
        MPI_Init(NULL, NULL);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    comm = of_session(session, "first");
    usual_calls(comm);
    if (before)
        MPI_Init(NULL, NULL);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
    second = of_session(other, "second");
    MPI_Comm_split(second, rank % 2, 0, &half);
    usual_calls(half);
    usual_calls(comm);
    usual_calls(second);
    if (beside || before) {
        usual_calls(MPI_COMM_WORLD);
        MPI_Finalize();
        usual_calls(second);
    }
    int first = rank == 0;
    MPI_Comm_free(&half);
    MPI_Comm_free(&second);
    MPI_Session_finalize(&other);
    usual_calls(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (first && !wrong)
        puts("ok");
}

static void ended(void)
{
    MPI_Session session;
    int mine = 1, all = 0, ranks;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_finalize(&session);
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0 && all == ranks)
        puts("ok");
}

static void late(void)
{
    MPI_Session session;
    MPI_Comm comm;
    int first;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    comm = of_session(session, "late");
    MPI_Comm_rank(comm, &rank);
    if (rank == 1)
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Init(NULL, NULL);
    if (rank == 0)
        MPI_Send(NULL, 0, MPI_INT, 1, 0, comm);
    usual_calls(MPI_COMM_WORLD);
    first = rank == 0;
    MPI_Finalize();
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (first && !wrong)
        puts("ok");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "ended"))
        ended();
    else if (!strcmp(mode, "late"))
        late();
    else
        sessions(!strcmp(mode, "beside"), !strcmp(mode, "before"));
    return wrong > 0;
}
