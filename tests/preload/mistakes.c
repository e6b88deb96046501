/* An MPI program that knows nothing of TopoMPI: calls with a mistake in the arguments, made by all ranks on a
 * communicator whose errors return. The class of the error must be that of MPI's own function, no call may hang, and
 * the right call that follows must work. With the argument "alone": by one rank, where the others' part is not
 * hindered by it; with "beside": by one rank that makes them beside the calls of all, as a program does that tries an
 * argument. Prints "ok" on rank 0, else what differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { CALLS = 150 }; /* beyond the short calls that stay native */

static MPI_Comm comm;
static MPI_Datatype loose; /* not committed */
static MPI_Op least;       /* the application's own */
static int rank, ranks, wrong;
static int *out, *in, *counts, *places, *negative;

static void lesser(void *one, void *both, int *count, MPI_Datatype *type)
{
    int *a = one, *b = both;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = a[i] < b[i] ? a[i] : b[i];
}

static int class_of(int code)
{
    int class;
    MPI_Error_class(code, &class);
    return class;
}

/* A right call of each operation. */
static int works(void)
{
    int sum = 0, good = 1;
    for (int i = 0; i < ranks; i++)
        out[i] = rank * 100 + i;
    good &= MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, comm) == MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        good &= in[i] == i * 100 + rank;
    good &= MPI_Allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm) == MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        good &= in[i] == i;
    good &= MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm) == MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        good &= in[i] == i * 100 + rank;
    good &= MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
    good &= sum == ranks * (ranks - 1) / 2;
    sum = rank;
    good &= MPI_Barrier(comm) == MPI_SUCCESS && MPI_Bcast(&sum, 1, MPI_INT, ranks - 1, comm) == MPI_SUCCESS;
    good &= sum == ranks - 1;
    good &= MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, ranks - 1, comm) == MPI_SUCCESS;
    good &= sum == (rank == ranks - 1 ? ranks * (ranks - 1) / 2 : ranks - 1);
    good &= MPI_Reduce_scatter_block(out, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
    good &= sum == ranks * (ranks - 1) / 2 * 100 + ranks * rank;
    good &= MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS;
    return good && sum == rank * (rank + 1) / 2;
}

static void compare(const char *what, int ours, int native)
{
    if (class_of(ours) != class_of(native)) {
        wrong++;
        printf("rank %d: %s: class %d, natively %d\n", rank, what, class_of(ours), class_of(native));
    }
    if (!works()) {
        wrong++;
        printf("rank %d: %s: the next calls are wrong\n", rank, what);
    }
    fflush(stdout);
}

/* The same arguments to both. */
#define BOTH(function, ...) \
    compare(#function "(" #__VA_ARGS__ ")", MPI_##function(__VA_ARGS__), NATIVE(function)(__VA_ARGS__))

static void mistakes(void)
{
    BOTH(Allgather, out, -1, MPI_INT, in, 1, MPI_INT, comm);
    BOTH(Allgather, out, 1, MPI_INT, in, -1, MPI_INT, comm);
    BOTH(Allgather, out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
    BOTH(Allgather, out, 1, MPI_INT, in, 1, MPI_DATATYPE_NULL, comm);
    BOTH(Allgather, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);
    BOTH(Allgather, out, 1, loose, in, 1, MPI_INT, comm);
    BOTH(Allgather, out, 1, MPI_INT, in, 1, loose, comm);
    BOTH(Allgather, MPI_IN_PLACE, 0, MPI_INT, in, 1, loose, comm);
    BOTH(Allreduce, out, in, -1, MPI_INT, MPI_SUM, comm);
    BOTH(Allreduce, out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    BOTH(Allreduce, out, in, 1, MPI_INT, MPI_OP_NULL, comm);
    BOTH(Allreduce, out, in, 1, MPI_DOUBLE, MPI_BAND, comm);
    BOTH(Allreduce, out, in, 1, MPI_INT, MPI_MAXLOC, comm);
    BOTH(Allreduce, out, in, 1, loose, MPI_SUM, comm);
    BOTH(Allreduce, out, in, 1, loose, least, comm);
    BOTH(Allreduce, out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Allreduce, out, out, 2, MPI_INT, MPI_SUM, comm);
    BOTH(Alltoallv, out, negative, places, MPI_INT, in, counts, places, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, MPI_INT, in, negative, places, MPI_INT, comm);
    BOTH(Alltoallv, out, NULL, places, MPI_INT, in, counts, places, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, MPI_INT, in, counts, NULL, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, MPI_DATATYPE_NULL, in, counts, places, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, MPI_INT, in, counts, places, MPI_DATATYPE_NULL, comm);
    BOTH(Alltoallv, out, counts, places, MPI_INT, MPI_IN_PLACE, counts, places, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, loose, in, counts, places, MPI_INT, comm);
    BOTH(Alltoallv, out, counts, places, MPI_INT, in, counts, places, loose, comm);
    BOTH(Alltoall, out, -1, MPI_INT, in, 1, MPI_INT, comm);
    BOTH(Alltoall, out, 1, MPI_INT, in, -1, MPI_INT, comm);
    BOTH(Alltoall, out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
    BOTH(Alltoall, out, 1, MPI_INT, in, 1, MPI_DATATYPE_NULL, comm);
    BOTH(Alltoall, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);
    BOTH(Alltoall, out, 1, loose, in, 1, MPI_INT, comm);
    BOTH(Alltoall, out, 1, MPI_INT, in, 1, loose, comm);
    BOTH(Alltoall, MPI_IN_PLACE, 0, MPI_INT, in, 1, loose, comm);
    /* Raised on MPI_COMM_WORLD. */
    BOTH(Allreduce, out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL);
    BOTH(Bcast, out, 1, MPI_INT, ranks, comm);
    BOTH(Bcast, out, 1, MPI_INT, -5, comm);
    BOTH(Bcast, out, -1, MPI_INT, 0, comm);
    BOTH(Bcast, out, 1, MPI_DATATYPE_NULL, 0, comm);
    BOTH(Bcast, out, 1, loose, 0, comm);
    BOTH(Bcast, MPI_IN_PLACE, 1, MPI_INT, 0, comm);
    BOTH(Barrier, MPI_COMM_NULL);
    BOTH(Reduce, out, in, 1, MPI_INT, MPI_SUM, -5, comm);
    BOTH(Reduce, out, in, 1, MPI_INT, MPI_SUM, ranks, comm);
    BOTH(Reduce, out, in, -1, MPI_INT, MPI_SUM, 0, comm);
    BOTH(Reduce, out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, 0, comm);
    BOTH(Reduce, out, in, 1, MPI_INT, MPI_OP_NULL, 0, comm);
    BOTH(Reduce, out, in, 1, MPI_DOUBLE, MPI_BAND, 0, comm);
    BOTH(Reduce, out, in, 1, loose, least, 0, comm);
    BOTH(Reduce_scatter_block, out, in, -1, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    BOTH(Reduce_scatter_block, out, in, 1, MPI_INT, MPI_OP_NULL, comm);
    BOTH(Reduce_scatter_block, out, in, 1, MPI_DOUBLE, MPI_BAND, comm);
    BOTH(Reduce_scatter_block, out, in, 1, loose, least, comm);
    BOTH(Reduce_scatter_block, out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter, out, in, NULL, MPI_INT, MPI_SUM, comm);
    BOTH(Reduce_scatter, out, in, counts, MPI_DATATYPE_NULL, MPI_SUM, comm);
    BOTH(Reduce_scatter, out, in, counts, MPI_INT, MPI_OP_NULL, comm);
    BOTH(Reduce_scatter, out, in, counts, MPI_DOUBLE, MPI_BAND, comm);
    BOTH(Reduce_scatter, out, in, counts, loose, least, comm);
    BOTH(Reduce_scatter, out, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM, comm);
    BOTH(Gather, out, 1, MPI_INT, in, 1, MPI_INT, -5, comm);
    BOTH(Gather, out, 1, MPI_INT, in, 1, MPI_INT, ranks, comm);
    BOTH(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, -5, comm);
    BOTH(Scatter, out, 1, MPI_INT, in, 1, MPI_INT, ranks, comm);
    BOTH(Gatherv, out, 1, MPI_INT, in, counts, counts, MPI_INT, -5, comm);
    BOTH(Scatterv, out, counts, counts, MPI_INT, in, 1, MPI_INT, ranks, comm);
    BOTH(Scan, out, in, -1, MPI_INT, MPI_SUM, comm);
    BOTH(Scan, out, in, 1, MPI_DATATYPE_NULL, MPI_SUM, comm);
    BOTH(Scan, out, in, 1, MPI_INT, MPI_OP_NULL, comm);
    BOTH(Scan, out, in, 1, MPI_DOUBLE, MPI_BAND, comm);
    BOTH(Scan, out, in, 1, loose, least, comm);
    BOTH(Scan, out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
    BOTH(Exscan, out, in, -1, MPI_INT, MPI_SUM, comm);
    BOTH(Exscan, out, in, 1, loose, least, comm);
    /* An operation that the library leaves alone. */
    BOTH(Alltoallw, out, counts, places, NULL, in, counts, places, NULL, MPI_COMM_NULL);
}

/* The class that the native call has for such arguments, on a communicator of this rank alone, where nobody waits. */
#define CLASS(function, ...) class_of(NATIVE(function)(__VA_ARGS__, 0, own))

/* One call by which `mistaken` ranks make a mistake: they get the native class, the others none. */
#define ALONE(mistaken, function, root, ...) \
    do { \
        int wanted = mistaken ? CLASS(function, __VA_ARGS__) : MPI_SUCCESS; \
        int got = class_of(MPI_##function(__VA_ARGS__, root, comm)); \
        if (got != wanted || (mistaken && got == MPI_SUCCESS)) { \
            wrong++; \
            printf("rank %d: %s by one rank: class %d, natively %d\n", rank, #function "(" #__VA_ARGS__ ")", got, \
                   wanted); \
        } \
    } while (0)

/* More rows than there are places in memory that ranks share, with short and long vectors. */
static void alone(void)
{
    enum { ROWS = 40, LONG = 30000 };
    MPI_Comm own;
    int *a = calloc(LONG, sizeof *a), *b = calloc(LONG, sizeof *b);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    for (int row = 0; row < ROWS; row++) {
        int count = row % 4 == 3 ? LONG : 1 + row, root = row % ranks, other = (root + 1) % ranks;
        int is_root = rank == root, errs = rank == other;
        ALONE(is_root, Reduce, root, a, is_root ? a : b, count, MPI_INT, MPI_SUM);
        ALONE(is_root, Reduce, root, a, is_root ? MPI_IN_PLACE : b, count, MPI_INT, MPI_SUM);
        ALONE(is_root, Reduce, root, is_root ? MPI_IN_PLACE : a, is_root ? MPI_IN_PLACE : b, count, MPI_INT, least);
        ALONE(is_root, Reduce, root, a, b, count, is_root ? loose : MPI_INT, least);
        ALONE(errs, Bcast, root, errs ? MPI_IN_PLACE : a, count, MPI_INT);
        ALONE(errs, Bcast, root, a, count, errs ? loose : MPI_INT);
        for (int i = 0; i < count; i++)
            a[i] = is_root ? i + row : -1;
        wrong += MPI_Bcast(a, count, MPI_INT, root, comm) != MPI_SUCCESS || a[count - 1] != count - 1 + row;
        wrong += MPI_Reduce(a, b, count, MPI_INT, MPI_SUM, root, comm) != MPI_SUCCESS ||
                 (is_root && b[count - 1] != ranks * (count - 1 + row));
        wrong += !works();
    }
    MPI_Comm_free(&own);
    free(a);
    free(b);
}

/* A call of this rank alone, which the native function refuses before it waits for anybody. */
#define REFUSED(function, ...) \
    do { \
        int ours = class_of(MPI_##function(__VA_ARGS__)), native = class_of(NATIVE(function)(__VA_ARGS__)); \
        if (ours != native || native == MPI_SUCCESS) { \
            wrong++; \
            printf("rank %d: %s beside the others: class %d, natively %d\n", rank, #function "(" #__VA_ARGS__ ")", \
                   ours, native); \
        } \
    } while (0)

/* What the ranks count of calls alike must stay equal: counts and types are those of works(). */
static void beside(void)
{
    enum { ROUNDS = 20, REPEATED = 20, BETWEEN = 250 };
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < REPEATED && rank == ranks - 1; i++) {
            REFUSED(Bcast, out, 1, MPI_INT, ranks, comm);
            REFUSED(Bcast, out, 1, MPI_INT, -5, comm);
            REFUSED(Reduce, out, in, 1, MPI_INT, MPI_SUM, ranks, comm);
            REFUSED(Reduce, out, in, 1, MPI_INT, MPI_SUM, -5, comm);
            REFUSED(Reduce, MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, (rank + 1) % ranks, comm);
            REFUSED(Allreduce, out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
            REFUSED(Allgather, out, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm);
            REFUSED(Allgather, out, -1, MPI_INT, in, 1, MPI_INT, comm);
            REFUSED(Alltoall, out, 1, MPI_DATATYPE_NULL, in, 1, MPI_INT, comm);
            REFUSED(Reduce_scatter_block, out, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm);
        }
        for (int i = 0; i < BETWEEN; i++)
            wrong += !works();
    }
}

int main(int argc, char **argv)
{
    int everywhere;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(1, MPI_INT, &loose);
    MPI_Op_create(lesser, 1, &least);
    out = calloc((size_t)ranks, sizeof *out);
    in = calloc((size_t)ranks, sizeof *in);
    counts = calloc((size_t)ranks, sizeof *counts);
    places = calloc((size_t)ranks, sizeof *places);
    negative = calloc((size_t)ranks, sizeof *negative);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        places[i] = i;
        negative[i] = i == ranks - 1 ? -1 : 1;
    }
    for (int i = 0; i < CALLS; i++)
        wrong += !works();
    if (argc > 1 && !strcmp(argv[1], "alone"))
        alone();
    else if (argc > 1 && !strcmp(argv[1], "beside"))
        beside();
    else
        mistakes();
    NATIVE(Allreduce)(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Op_free(&least);
    MPI_Type_free(&loose);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "wrong: %d\n" : "ok\n", everywhere);
    free(out);
    free(in);
    free(counts);
    free(places);
    free(negative);
    return everywhere != 0;
}
