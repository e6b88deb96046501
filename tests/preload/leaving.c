/* An MPI program that knows nothing of TopoMPI, whose error handler does not return: it leaves the failing call by
 * longjmp, or by an exception where this file is compiled as C++.
 *
 *   leaving one    rank 0 alone makes calls of every kind whose arguments are wrong
 *   leaving all    every rank makes a call that ends in an error of its own: TOPOMPI_STRICT=1 and an algorithm for
 *                  MPI_Allgather that does not apply
 *
 * Checked collectives run before, between and after. Prints "ok" on rank 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { RANKS = 16, CALLS = 300 };

static int rank, ranks, wrong, left;

#ifdef __cplusplus
#define LEAVE throw 1
#define ATTEMPT(call) \
    try { \
        call; \
    } catch (int) { \
        left++; \
    }
#else
#include <setjmp.h>
static jmp_buf before;
#define LEAVE longjmp(before, 1)
#define ATTEMPT(call) \
    if (setjmp(before) == 0) \
        call; \
    else \
        left++;
#endif

static void handler(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    LEAVE;
}

/* Checked calls of all kinds. */
static void use(MPI_Comm comm, int calls)
{
    int own, count, counts[RANKS], places[RANKS], out[RANKS], in[RANKS];
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &count);
    for (int i = 0; i < count; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    for (int call = 0; call < calls; call++) {
        int mine = own + call, sum = 0, all = count * (count - 1) / 2 + count * call;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        wrong += sum != all;
        MPI_Allgather(&mine, 1, MPI_INT, in, 1, MPI_INT, comm);
        for (int i = 0; i < count; i++) {
            wrong += in[i] != i + call;
            out[i] = own * 1000 + i + call;
        }
        MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm);
        for (int i = 0; i < count; i++)
            wrong += in[i] != i * 1000 + own + call;
        MPI_Bcast(&mine, 1, MPI_INT, call % count, comm);
        wrong += mine != call % count + call;
        MPI_Reduce(&call, &sum, 1, MPI_INT, MPI_SUM, 0, comm);
        wrong += own == 0 && sum != count * call;
        MPI_Barrier(comm);
    }
}

static void collectives(void)
{
    int a[RANKS] = {0}, b[RANKS] = {0}, bad[RANKS], places[RANKS] = {0};
    for (int i = 0; i < RANKS; i++)
        bad[i] = -1;
    ATTEMPT(MPI_Allgather(a, -1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD))
    ATTEMPT(MPI_Allgatherv(a, 1, MPI_INT, b, bad, places, MPI_DATATYPE_NULL, MPI_COMM_WORLD))
    ATTEMPT(MPI_Allreduce(a, b, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
    ATTEMPT(MPI_Alltoall(a, -1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD))
    ATTEMPT(MPI_Alltoallv(a, bad, places, MPI_INT, b, bad, places, MPI_INT, MPI_COMM_WORLD))
    ATTEMPT(MPI_Barrier(MPI_COMM_NULL))
    ATTEMPT(MPI_Bcast(a, -1, MPI_INT, 0, MPI_COMM_WORLD))
    ATTEMPT(MPI_Reduce(a, b, -1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD))
    ATTEMPT(MPI_Reduce_scatter(a, b, bad, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
    ATTEMPT(MPI_Reduce_scatter_block(a, b, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
    wrong += left != 10;
}

static void constructors(void)
{
    MPI_Comm made;
    int size = ranks + 1, yes = 1;
    ATTEMPT(MPI_Comm_dup(MPI_COMM_NULL, &made))
    ATTEMPT(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &made))
    ATTEMPT(MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_NULL, &made))
    ATTEMPT(MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &yes, 0, &made))
    ATTEMPT(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made))
    wrong += left != 15;
}

static void messages(void)
{
    int a = 0, b[RANKS];
    MPI_Request request;
    ATTEMPT(MPI_Send(&a, -1, MPI_INT, 0, 0, MPI_COMM_WORLD))
    ATTEMPT(MPI_Irecv(&a, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD, &request))
    ATTEMPT(MPI_Gather(&a, -1, MPI_INT, b, 1, MPI_INT, 0, MPI_COMM_WORLD))
    ATTEMPT(MPI_Scan(&a, b, -1, MPI_INT, MPI_SUM, MPI_COMM_WORLD))
    wrong += left != 19;
}

/* The algorithm that was asked for does not apply to any rank. */
static void strict(void)
{
    int all[RANKS];
    for (int i = 0; i < 5; i++)
        ATTEMPT(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD))
    wrong += left != 5;
}

/* All that use() does but MPI_Allgather, which has no algorithm here. */
static void use_others(int calls)
{
    for (int call = 0; call < calls; call++) {
        int sum = 0, from = rank;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Bcast(&from, 1, MPI_INT, call % ranks, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        wrong += sum != ranks * (ranks - 1) / 2 || from != call % ranks;
    }
}

int main(int argc, char **argv)
{
    int everywhere = 0, one = argc > 1 && !strcmp(argv[1], "one");
    MPI_Errhandler leaves;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > RANKS)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_create_errhandler(handler, &leaves);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, leaves);
    if (one) {
        void (*const kinds[])(void) = {collectives, constructors, messages};
        use(MPI_COMM_WORLD, 10);
        for (int i = 0; i < 3; i++) {
            if (rank == 0)
                kinds[i]();
            use(MPI_COMM_WORLD, CALLS);
        }
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
        use(comm, CALLS);
        MPI_Comm_free(&comm);
    } else {
        use_others(CALLS);
        strict();
        use_others(CALLS);
    }
    MPI_Allreduce(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Errhandler_free(&leaves);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "wrong: %d\n" : "ok\n", everywhere);
    return everywhere != 0;
}
