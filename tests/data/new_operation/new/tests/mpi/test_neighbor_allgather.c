/* Every algorithm of MPI_Neighbor_allgather against PMPI_Neighbor_allgather, on grids of one and two dimensions. */
#include <stdlib.h>
#include <string.h>

#include "coll/neighbor_allgather/neighbor_allgather.h"
#include "mpi/harness.h"

static bool same(const struct topo_algorithm *algorithm, MPI_Comm grid, int dims, int count)
{
    int rank, blocks = 2 * dims, *send = malloc(((size_t)count + 1) * sizeof *send), *to[2];
    const size_t bytes = ((size_t)(blocks * count) + 1) * sizeof *send;
    MPI_Comm_rank(grid, &rank);
    for (int i = 0; i < count; i++)
        send[i] = rank * 7 + i;
    for (int i = 0; i < 2; i++)
        to[i] = calloc(1, bytes);
    int ours = topo_neighbor_allgather(algorithm, send, count, MPI_INT, to[0], count, MPI_INT, grid);
    int native = PMPI_Neighbor_allgather(send, count, MPI_INT, to[1], count, MPI_INT, grid);
    bool equal = ours == native && !memcmp(to[0], to[1], bytes);
    free(send);
    free(to[0]);
    free(to[1]);
    return equal;
}

static void all_counts(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    static const int counts[] = {0, 1, 1000};
    int ranks;
    (void)node;
    (void)thorough;
    (void)context;
    MPI_Comm_size(comm, &ranks);
    for (int dims = 1; dims < 3; dims++) {
        int size[2] = {0, 0}, periodic[2] = {1, 0};
        MPI_Comm grid;
        MPI_Dims_create(ranks, dims, size);
        MPI_Cart_create(comm, dims, size, periodic, 0, &grid);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
            for (int i = 0; i < 3 && topo_algorithm(id)->operation == TOPO_OPERATION_neighbor_allgather; i++)
                harness_check(same(topo_algorithm(id), grid, dims, counts[i]), "%s on %s, %d dimensions: %d integers",
                              topo_algorithm(id)->name, machine, dims, counts[i]);
        MPI_Comm_free(&grid);
    }
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    harness_on_machines(all_counts, "64K", NULL);
    return harness_finish();
}
