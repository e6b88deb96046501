/* A program that loses ranks, or revokes communicators, and goes on (ULFM): lost HOW BYTES FORM OPERATION...
 * FORM: int; counts: the forms with large counts; leave: the error handler leaves the call by longjmp(). HOW: before: a
 * rank dies before its call; in: another one kills it when it may be in its call; after: it dies after it; revoke:
 * nobody dies, one rank revokes the communicator while the others are in calls. Each operation in turn. What succeeds
 * is right; what fails fails once, as MPI says; what comes after it goes on. */
#include <mpi.h>
#include <mpi-ext.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "catalog/arguments.h"

#define OPERATION(name, Name, NAME, number, communication, waits, count, kinds, record) \
    TOPO_IF_COUNTS(count, __attribute__((weak)) int MPI_##Name##_c(TOPO_PARAMETERS_c(count, kinds));)
#include "catalog/operations.def"

enum { OPERATIONS = 10, RANKS = 64 };
static const char *const names[OPERATIONS] = {
    "allgather", "allreduce",  "alltoallv", "barrier",        "bcast",
    "reduce",    "allgatherv", "alltoall",  "reduce_scatter", "reduce_scatter_block"};
static int world_rank, errors, count, *in, *out;
static bool has_counts, leaves;
static jmp_buf before_call;
static int raised;

static void fail(const char *what, int number)
{
    printf("rank %d: %s (%d)\n", world_rank, what, number);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}

static void on_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    errors++;
    raised = *code;
    if (leaves)
        longjmp(before_call, 1);
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* Element i of what rank `from` has for rank `to`. */
static int value(int from, int to, int i)
{
    return 1000 * from + 10 * to + i % 7;
}

static int sum(int ranks, int to, int i)
{
    return 1000 * ranks * (ranks - 1) / 2 + ranks * (10 * to + i % 7);
}

static int call_plain(int operation, MPI_Comm comm, int root, int n)
{
    int counts[RANKS], at[RANKS];
    for (int i = 0; i < n; i++) {
        counts[i] = count;
        at[i] = i * count;
    }
    switch (operation) {
    case 0: return MPI_Allgather(in, count, MPI_INT, out, count, MPI_INT, comm);
    case 1: return MPI_Allreduce(in, out, count, MPI_INT, MPI_SUM, comm);
    case 2: return MPI_Alltoallv(in, counts, at, MPI_INT, out, counts, at, MPI_INT, comm);
    case 3: return MPI_Barrier(comm);
    case 4: return MPI_Bcast(out, count, MPI_INT, root, comm);
    case 5: return MPI_Reduce(in, out, count, MPI_INT, MPI_SUM, root, comm);
    case 6: return MPI_Allgatherv(in, count, MPI_INT, out, counts, at, MPI_INT, comm);
    case 7: return MPI_Alltoall(in, count, MPI_INT, out, count, MPI_INT, comm);
    case 8: return MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    default: return MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
    }
}

static int call_large(int operation, MPI_Comm comm, int root, int n)
{
    MPI_Count counts[RANKS];
    MPI_Aint at[RANKS];
    for (int i = 0; i < n; i++) {
        counts[i] = count;
        at[i] = (MPI_Aint)i * count;
    }
    switch (operation) {
    case 0: return MPI_Allgather_c(in, count, MPI_INT, out, count, MPI_INT, comm);
    case 1: return MPI_Allreduce_c(in, out, count, MPI_INT, MPI_SUM, comm);
    case 2: return MPI_Alltoallv_c(in, counts, at, MPI_INT, out, counts, at, MPI_INT, comm);
    case 3: return MPI_Barrier(comm);
    case 4: return MPI_Bcast_c(out, count, MPI_INT, root, comm);
    case 5: return MPI_Reduce_c(in, out, count, MPI_INT, MPI_SUM, root, comm);
    case 6: return MPI_Allgatherv_c(in, count, MPI_INT, out, counts, at, MPI_INT, comm);
    case 7: return MPI_Alltoall_c(in, count, MPI_INT, out, count, MPI_INT, comm);
    case 8: return MPI_Reduce_scatter_c(in, out, counts, MPI_INT, MPI_SUM, comm);
    default: return MPI_Reduce_scatter_block_c(in, out, count, MPI_INT, MPI_SUM, comm);
    }
}

/* One call; what it gives is right where it succeeds. */
static int call(int operation, MPI_Comm comm, int root)
{
    int rank, n, code;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    const bool to_each = operation == 2 || operation == 7 || operation >= 8;
    for (int to = 0; to < (to_each ? n : 1); to++)
        for (int i = 0; i < count; i++)
            in[to * count + i] = value(rank, to_each ? to : 0, i);
    memset(out, 0xff, (size_t)n * (size_t)count * sizeof *out);
    if (operation == 4 && rank == root)
        memcpy(out, in, (size_t)count * sizeof *out);
    if (setjmp(before_call) != 0)
        return raised;
    code = has_counts ? call_large(operation, comm, root, n) : call_plain(operation, comm, root, n);
    if (code != MPI_SUCCESS || operation == 3 || (operation == 5 && rank != root))
        return code;
    const bool from_each = operation == 0 || operation == 2 || operation == 6 || operation == 7;
    const bool sums = operation == 1 || operation == 5 || operation >= 8;
    for (int from = 0; from < (from_each ? n : 1); from++)
        for (int i = 0; i < count; i++)
            if (out[from * count + i] != (sums        ? sum(n, to_each ? rank : 0, i)
                                          : from_each ? value(from, to_each ? rank : 0, i)
                                                      : value(root, 0, i)))
                fail(names[operation], i);
    return code;
}

static void must_work(MPI_Comm comm, int calls)
{
    int n;
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < calls; i++)
        for (int operation = 0; operation < OPERATIONS; operation++)
            if (call(operation, comm, i % n) != MPI_SUCCESS)
                fail("a call fails where all ranks live", operation);
}

static void must_fail(int code, int before)
{
    if (class_of(code) != MPIX_ERR_PROC_FAILED && class_of(code) != MPIX_ERR_REVOKED)
        fail("not the class of a loss", class_of(code));
    if (errors != before + 1)
        fail("its handler was not called once", errors - before);
}

/* `comm` loses a rank, or is revoked, in calls of `operation`. What is left is in *rest, without attributes of it. */
static void lose(MPI_Comm comm, int operation, const char *how, MPI_Comm *rest, MPI_Errhandler handler)
{
    enum { CALLS = 9, LAST = 5 };
    MPI_Comm lost, others, side;
    int rank, n, left, code = MPI_SUCCESS, before = 0, pid = getpid(), other = 0;
    const bool revokes = !strcmp(how, "revoke");
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    const int victim = 1 + (operation + n) % (n - 1), killer = (victim + 1) % n;
    MPI_Comm_dup(comm, &lost);
    MPI_Comm_dup(comm, &side);
    MPI_Comm_split(comm, rank == victim, rank, &others); /* all the others: these go on */
    MPI_Comm_set_errhandler(lost, handler);
    MPI_Comm_set_errhandler(others, handler);
    MPI_Comm_set_errhandler(side, MPI_ERRORS_RETURN);
    must_work(lost, 1);
    if (!strcmp(how, "in") && rank == victim)
        MPI_Send(&pid, 1, MPI_INT, killer, 0, side);
    if (!strcmp(how, "in") && rank == killer)
        MPI_Recv(&other, 1, MPI_INT, victim, 0, side, MPI_STATUS_IGNORE);
    for (int i = 0; i < CALLS && code == MPI_SUCCESS; i++) {
        if (i == LAST && rank == victim && !strcmp(how, "before"))
            raise(SIGKILL);
        if (i == LAST && rank == victim && revokes)
            MPIX_Comm_revoke(lost);
        if (i == LAST && rank == killer && other)
            kill(other, SIGKILL);
        before = errors;
        code = call(operation, lost, i % n);
        if (i == LAST && rank == victim && !strcmp(how, "after"))
            raise(SIGKILL);
    }
    if (!revokes && rank == victim && !strcmp(how, "in"))
        for (;;)
            pause();
    if (code == MPI_SUCCESS) { /* who need not wait */
        before = errors;
        code = call(3, lost, 0);
    }
    must_fail(code, before);
    before = errors;
    must_fail(call((operation + 1) % OPERATIONS, lost, 0), before);
    MPIX_Comm_revoke(lost);
    before = errors;
    must_fail(code = call(operation, lost, 0), before);
    if (class_of(code) != MPIX_ERR_REVOKED)
        fail("not revoked", class_of(code));
    if (MPIX_Comm_shrink(lost, rest) != MPI_SUCCESS)
        fail("shrink", 0);
    MPI_Comm_set_errhandler(*rest, handler);
    MPI_Comm_size(*rest, &left);
    if (left != n - !revokes)
        fail("ranks that are left", left);
    MPI_Comm_free(&lost);
    must_work(*rest, 2);
    must_work(others, 2);
    MPI_Comm_free(&others);
    MPI_Comm_free(&side);
}

int main(int argc, char **argv)
{
    MPI_Errhandler handler;
    MPI_Comm now, next;
    int n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_create_errhandler(on_error, &handler);
    has_counts = !strcmp(argv[3], "counts");
    leaves = !strcmp(argv[3], "leave");
    count = atoi(argv[2]) / (int)sizeof(int);
    in = malloc((size_t)n * (size_t)count * sizeof *in + 1);
    out = malloc((size_t)n * (size_t)count * sizeof *out + 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &now);
    MPI_Comm_set_errhandler(now, handler);
    for (int at = 4; at < argc; at++) {
        int operation = atoi(argv[at]);
        lose(now, operation, argv[1], &next, handler);
        MPI_Comm_free(&now);
        now = next;
    }
    MPI_Comm_free(&now);
    MPI_Errhandler_free(&handler);
    if (world_rank == 0) {
        puts("ok");
        fflush(stdout);
    }
    alarm(60); /* Open MPI's own hangs now and then after a loss */
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
