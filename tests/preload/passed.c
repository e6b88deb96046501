/* Collectives that the library does not take over, each once or more often, beside MPI's own on the same input. Rank 0
 * prints "passed MPI_X N" for each name that it called, and "ok". */
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "common/native.h"

enum { RANKS = 8 };

static int rank, ranks, wrong, send[4 * RANKS], receive[4 * RANKS], expected[4 * RANKS];
static int ones[RANKS], places[RANKS], bytes[RANKS];
static MPI_Aint large_bytes[RANKS];
static MPI_Datatype types[RANKS];
static MPI_Request request;

static void end(const char *name, int times)
{
    if (memcmp(receive, expected, sizeof receive)) {
        wrong++;
        printf("rank %d: %s\n", rank, name);
    }
    if (rank == 0)
        printf("passed %s %d\n", name, times);
}

static void begin(int *buffer)
{
    memset(buffer, 0x5a, sizeof receive);
    request = MPI_REQUEST_NULL;
}

/* `times` calls MPI_X `arguments`, which name `out`, beside MPI's own PMPI_Y. */
#define BESIDE(times, X, arguments, Y, native) \
    do { \
        int *out = expected; \
        begin(out); \
        NATIVE(Y) native; \
        MPI_Wait(&request, MPI_STATUS_IGNORE); \
        out = receive; \
        for (int time_ = 0; time_ < (times); time_++) { \
            begin(out); \
            MPI_##X arguments; \
            MPI_Wait(&request, MPI_STATUS_IGNORE); \
        } \
        end("MPI_" #X, times); \
    } while (0)
#define EACH(times, X, ...) BESIDE(times, X, (__VA_ARGS__), X, (__VA_ARGS__))
static void with_root(MPI_Comm comm)
{
    const int root = ranks - 1, garbage = rank == root ? 1 : -77; /* MPI looks at the root's alone */
    const int *counts = rank == root ? ones : NULL, *at = rank == root ? places : NULL;
    EACH(1, Igather, send, 1, MPI_INT, out, garbage, MPI_INT, root, comm, &request);
    EACH(1, Iscatter, send, garbage, MPI_INT, out, 1, MPI_INT, root, comm, &request);
    EACH(1, Igatherv, send, 1, MPI_INT, out, counts, at, MPI_INT, root, comm, &request);
    EACH(1, Iscatterv, send, counts, at, MPI_INT, out, 1, MPI_INT, root, comm, &request);
    EACH(1, Ibcast, out, 4, MPI_INT, root, comm, &request);
    EACH(1, Ireduce, send, out, 3, MPI_INT, MPI_SUM, root, comm, &request);
}

static void of_all(MPI_Comm comm)
{
    EACH(1, Alltoallw, send, ones, bytes, types, out, ones, bytes, types, comm);
    EACH(1, Ibarrier, comm, (out[0] = 0, &request));
    EACH(5, Iallreduce, send, out, 6, MPI_INT, MPI_SUM, comm, &request);
    EACH(1, Iscan, send, out, 6, MPI_INT, MPI_SUM, comm, &request);
    EACH(1, Iexscan, send, out, 6, MPI_INT, MPI_SUM, comm, &request);
    EACH(1, Iallgather, send, 1, MPI_INT, out, 1, MPI_INT, comm, &request);
    EACH(1, Ialltoall, send, 1, MPI_INT, out, 1, MPI_INT, comm, &request);
    EACH(1, Ireduce_scatter_block, send, out, 1, MPI_INT, MPI_SUM, comm, &request);
    EACH(1, Iallgatherv, send, 1, MPI_INT, out, ones, places, MPI_INT, comm, &request);
    EACH(1, Ialltoallv, send, ones, places, MPI_INT, out, ones, places, MPI_INT, comm, &request);
    EACH(1, Ialltoallw, send, ones, bytes, types, out, ones, bytes, types, comm, &request);
    EACH(1, Ireduce_scatter, send, out, ones, MPI_INT, MPI_SUM, comm, &request);
}

/* On a ring: two neighbours. */
static void of_neighbors(MPI_Comm comm)
{
    EACH(1, Neighbor_allgather, send, 1, MPI_INT, out, 1, MPI_INT, comm);
    EACH(1, Neighbor_alltoall, send, 1, MPI_INT, out, 1, MPI_INT, comm);
    EACH(1, Neighbor_allgatherv, send, 1, MPI_INT, out, ones, places, MPI_INT, comm);
    EACH(1, Neighbor_alltoallv, send, ones, places, MPI_INT, out, ones, places, MPI_INT, comm);
    EACH(1, Neighbor_alltoallw, send, ones, large_bytes, types, out, ones, large_bytes, types, comm);
    EACH(1, Ineighbor_allgather, send, 1, MPI_INT, out, 1, MPI_INT, comm, &request);
    EACH(1, Ineighbor_alltoall, send, 1, MPI_INT, out, 1, MPI_INT, comm, &request);
    EACH(1, Ineighbor_allgatherv, send, 1, MPI_INT, out, ones, places, MPI_INT, comm, &request);
    EACH(1, Ineighbor_alltoallv, send, ones, places, MPI_INT, out, ones, places, MPI_INT, comm, &request);
    EACH(1, Ineighbor_alltoallw, send, ones, large_bytes, types, out, ones, large_bytes, types, comm, &request);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 4 * RANKS; i++)
        send[i] = 1000 * rank + 7 * i;
    for (int i = 0; i < RANKS; i++) {
        ones[i] = 1;
        places[i] = 2 * i;
        large_bytes[i] = bytes[i] = 2 * i * (int)sizeof(int);
        types[i] = MPI_INT;
    }
    with_root(MPI_COMM_WORLD);
    of_all(MPI_COMM_WORLD);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, ones, 0, &comm);
    of_neighbors(comm);
    MPI_Comm_free(&comm);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && !wrong)
        puts("ok");
    MPI_Finalize();
    return wrong > 0;
}
