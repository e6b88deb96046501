/* Every algorithm of MPI_Scan against PMPI_Scan. */
#include <stdlib.h>
#include <string.h>

#include "coll/scan/scan.h"
#include "mpi/harness.h"

static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, int count, bool in_place)
{
    int rank, *send = malloc(((size_t)count + 1) * sizeof *send), *to[2];
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < count; i++)
        send[i] = rank * 7 + i;
    for (int i = 0; i < 2; i++) {
        to[i] = calloc((size_t)count + 1, sizeof **to);
        memcpy(to[i], send, (in_place ? (size_t)count : 0) * sizeof *send);
    }
    int ours = topo_scan(algorithm, in_place ? MPI_IN_PLACE : send, to[0], count, MPI_INT, MPI_SUM, comm);
    int native = PMPI_Scan(in_place ? MPI_IN_PLACE : send, to[1], count, MPI_INT, MPI_SUM, comm);
    bool equal = ours == native && !memcmp(to[0], to[1], ((size_t)count + 1) * sizeof *send);
    free(send);
    free(to[0]);
    free(to[1]);
    return equal;
}

static void all_counts(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    static const int counts[] = {0, 1, 1000};
    (void)node;
    (void)thorough;
    (void)context;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++)
        for (int i = 0; i < 6 && topo_algorithm((enum topo_algorithm_id)id)->operation == TOPO_OPERATION_scan; i++)
            harness_check(same(topo_algorithm((enum topo_algorithm_id)id), comm, counts[i / 2], i % 2),
                          "%s on %s: %d integers%s", topo_algorithm((enum topo_algorithm_id)id)->name, machine,
                          counts[i / 2], i % 2 ? ", in place" : "");
}

int main(int argc, char **argv)
{
    harness_start(&argc, &argv);
    harness_on_machines(all_counts, "64K", NULL);
    return harness_finish();
}
