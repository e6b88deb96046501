/* Calls of all operations of catalog/operations.def, one after the other, "short_way CALLS BYTES": CALLS to warm up, in
 * which it is found out that they are native, then some more in batched(), whose instructions
 * tests/preload/test_short_way.sh counts. Behind the library is nothing_tool.c. */
#include <dlfcn.h>
#include <stdlib.h>

#include <mpi.h>

#include "preload/short_way.h"

enum { RANKS_MOST = 64, BYTES_MOST = 1024 };

static char from[RANKS_MOST * BYTES_MOST], to[RANKS_MOST * BYTES_MOST];
static int counts[RANKS_MOST], places[RANKS_MOST], ranks, rank, elements;

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
    MPI_Bcast(from, elements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void reduce(void)
{
    MPI_Reduce(from, to, elements, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(from, to, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void allgather(void)
{
    MPI_Allgather(from, elements, MPI_INT, to, elements, MPI_INT, MPI_COMM_WORLD);
}

static void allgatherv(void)
{
    MPI_Allgatherv(from, counts[rank], MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void alltoall(void)
{
    MPI_Alltoall(from, elements, MPI_INT, to, elements, MPI_INT, MPI_COMM_WORLD);
}

static void alltoallv(void)
{
    MPI_Alltoallv(from, counts, places, MPI_INT, to, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static void reduce_scatter(void)
{
    MPI_Reduce_scatter(from, to, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_scatter_block(void)
{
    MPI_Reduce_scatter_block(from, to, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void gather(void)
{
    MPI_Gather(from, elements, MPI_INT, to, elements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatter(void)
{
    MPI_Scatter(from, elements, MPI_INT, to, elements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void gatherv(void)
{
    MPI_Gatherv(from, elements, MPI_INT, to, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scatterv(void)
{
    MPI_Scatterv(from, counts, places, MPI_INT, to, elements, MPI_INT, 0, MPI_COMM_WORLD);
}

static void scan(void)
{
    MPI_Scan(from, to, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(void)
{
    MPI_Exscan(from, to, elements, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void batched(void (*call)(void))
{
    for (int i = 0; i < SHORT_WAY_BATCH; i++)
        call();
}

int main(int argc, char **argv)
{
    static void (*const calls[])(void) = {
#define OPERATION(name, ...) name,
#include "catalog/operations.def"
    };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    elements = argc == 3 ? atoi(argv[2]) / (int)sizeof(int) : -1;
    if (elements < 0 || ranks > RANKS_MOST || elements > BYTES_MOST / (int)sizeof(int))
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < ranks; i++) {
        counts[i] = elements;
        places[i] = i * elements;
    }
    /* What the ranks agree on at first needs MPI's own collectives. */
    for (int i = 0; i < 200; i++)
        MPI_Allreduce(from, to, 1, MPI_SHORT, MPI_SUM, MPI_COMM_WORLD);
    void (*begins)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "nothing_begins");
    if (!begins)
        MPI_Abort(MPI_COMM_WORLD, 2);
    begins();
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        for (int warm = atoi(argv[1]); warm > 0; warm--)
            calls[i]();
        for (int batch = 0; batch < SHORT_WAY_BATCHES; batch++)
            batched(calls[i]);
    }
    MPI_Finalize();
    return 0;
}
