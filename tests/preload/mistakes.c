/* An MPI program that knows nothing of TopoMPI: calls with a mistake in the arguments, made by all ranks on a
 * communicator whose errors return. The class of the error must be that of the PMPI function, no call may hang, and
 * the right call that follows must work. Prints "ok" on rank 0, else what differs. */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

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
    return good && sum == ranks * (ranks - 1) / 2 * 100 + ranks * rank;
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
    compare(#function "(" #__VA_ARGS__ ")", MPI_##function(__VA_ARGS__), PMPI_##function(__VA_ARGS__))

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
    /* An operation that the library leaves alone. */
    BOTH(Gather, out, 1, MPI_INT, in, 1, MPI_INT, -5, comm);
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
    mistakes();
    PMPI_Allreduce(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
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
