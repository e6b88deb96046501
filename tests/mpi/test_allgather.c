/* Every algorithm of MPI_Allgather against PMPI_Allgather: byte for byte, gaps included. */
#include <string.h>

#include "coll/call/operations.h"
#include "job/job.h"
#include "mpi/blocks.h"
#include "mpi/harness.h"

static const struct test_blocks operation = {topo_allgather, PMPI_Allgather, false};

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 200, 6 * 1000}; /* the last one is long: block by block */
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TEST_TYPES; t++)
            for (int in_place = 0; in_place < 2; in_place++)
                harness_check(test_blocks_same(&operation, algorithm, comm, &types[(t + 2) % TEST_TYPES], &types[t],
                                               sizes[s], in_place),
                              "%s on %s: %d ints as %s%s", algorithm->name, machine, sizes[s], types[t].name,
                              in_place ? ", in place" : "");
}

/* As where each rank has a processor to itself: lanes between more than four nodes go by trees, and long blocks between
 * nodes with different numbers of ranks by synchronous sends. */
static void with_processors(const struct test_type *types, const char *machine)
{
    const struct topo_algorithm *lanes = topo_algorithm_find(TOPO_OPERATION_allgather, "lanes");
    struct topo_algorithm pieces = *lanes;
    pieces.parameters.segment = 2048;
    MPI_Comm comm;
    if (!harness_use_processors(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    all_types(lanes, comm, types, machine);
    test_blocks_types_by_rank(&operation, lanes, comm, types);
    test_blocks_application(&operation, lanes, comm, types);
    all_types(&pieces, comm, types, machine);
    test_blocks_application(&operation, &pieces, comm, types);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];
    const char *machine;
    harness_start(&argc, &argv);
    test_types_make(types);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        MPI_Comm comm;
        if (!harness_use_machine(machine))
            continue;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            const struct topo_algorithm *algorithm = topo_algorithm(id);
            if (algorithm->operation != TOPO_OPERATION_allgather)
                continue;
            all_types(algorithm, comm, types, machine);
            if (i == 0 || strstr(machine, "by:node")) {
                test_blocks_types_by_rank(&operation, algorithm, comm, types);
                test_blocks_application(&operation, algorithm, comm, types);
                test_blocks_all_comms(&operation, algorithm, types);
            }
        }
        MPI_Comm_free(&comm);
        if (topo_job.active && topo_job.tree->units[topo_tree_node_level(topo_job.tree)] > 1)
            with_processors(types, machine);
    }
    test_types_free(types);
    return harness_finish();
}
