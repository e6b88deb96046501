/* An MPI program in whose communicator the MPI library itself leaves a message behind, as Open MPI 4.1.4 does after a
 * broadcast of nothing that the root describes by an empty type: what it calls then must not meet it. Schedules of
 * exchanges are agreed on again and again, as the counts change. Prints "ok" on rank 0. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <mpi.h>

enum { CALLS = 12, MOST = 16, LONGEST = 700 };

static int rank, ranks, wrong;

static int count_of(int from, int to, int call)
{
    return (from * 31 + to * 17 + call / 3 * 101) % LONGEST;
}

static void exchange(MPI_Comm comm, int call)
{
    static int send[MOST * LONGEST], receive[MOST * LONGEST];
    int sent[MOST], received[MOST], places[MOST];
    for (int other = 0; other < ranks; other++) {
        sent[other] = count_of(rank, other, call);
        received[other] = count_of(other, rank, call);
        places[other] = other * LONGEST;
        for (int i = 0; i < sent[other]; i++)
            send[places[other] + i] = rank * 1000003 + other * 1009 + i + call;
    }
    MPI_Alltoallv(send, sent, places, MPI_INT, receive, received, places, MPI_INT, comm);
    for (int other = 0; other < ranks; other++)
        for (int i = 0; i < received[other]; i++)
            wrong += receive[places[other] + i] != other * 1000003 + rank * 1009 + i + call;
}

static void add(MPI_Comm comm, int count)
{
    static double own[LONGEST], sum[LONGEST];
    for (int i = 0; i < count; i++)
        own[i] = rank + i;
    MPI_Allreduce(own, sum, count, MPI_DOUBLE, MPI_SUM, comm);
    for (int i = 0; i < count; i++)
        wrong += sum[i] != ranks * (ranks - 1) / 2.0 + ranks * i;
}

int main(int argc, char **argv)
{
    MPI_Datatype empty;
    MPI_Comm comm;
    double nothing[9];
    int all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    alarm(60);
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    for (int live = 0; live < 2; live++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < CALLS; call++) {
            if (call == 4 * live) /* before and after the first call of ours */
                MPI_Bcast(nothing, rank == 0 ? 9 : 0, rank == 0 ? empty : MPI_DOUBLE, 0, comm);
            exchange(comm, call);
            add(comm, 1 + call * 50);
            MPI_Barrier(comm);
        }
        MPI_Comm_free(&comm);
    }
    MPI_Type_free(&empty);
    MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", all ? "wrong" : "ok");
    MPI_Finalize();
    return 0;
}
