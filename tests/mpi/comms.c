#include "mpi/comms.h"

#include <stdlib.h>

#include "mpi/harness.h"

enum { COMMS_MOST = 16 };

/* Returns how many. */
static int make(struct test_comm comms[COMMS_MOST])
{
    int rank, ranks, count = 0;
    MPI_Group world, some;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &world);

    comms[count].name = "dup";
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[count++].comm);

    MPI_Request request;
    comms[count].name = "idup";
    MPI_Comm_idup(MPI_COMM_WORLD, &comms[count++].comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    comms[count].name = "reversed";
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[count++].comm);

    comms[count].name = "odd and even";
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[count++].comm);

    comms[count].name = "all but the second";
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, (rank * 7) % ranks, &comms[count++].comm);

    comms[count].name = "split_type";
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &comms[count++].comm);

    int third[3] = {0, ranks - 1, 3};
    MPI_Group_range_incl(world, 1, &third, &some);
    comms[count].name = "create";
    MPI_Comm_create(MPI_COMM_WORLD, some, &comms[count++].comm);
    comms[count].name = "create_group";
    comms[count].comm = MPI_COMM_NULL;
    if (rank % 3 == 0)
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &comms[count].comm);
    count++;
    MPI_Group_free(&some);

    int dims[2] = {0, 0}, periods[2] = {1, 0}, keep[2] = {0, 1};
    MPI_Dims_create(ranks, 2, dims);
    comms[count].name = "cart";
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &comms[count++].comm);
    comms[count].name = "cart_sub";
    MPI_Cart_sub(comms[count - 1].comm, keep, &comms[count].comm);
    count++;

    int *index = malloc((size_t)ranks * sizeof *index), *edges = malloc((size_t)ranks * sizeof *edges);
    for (int i = 0; i < ranks; i++) {
        index[i] = i + 1;
        edges[i] = (i + 1) % ranks;
    }
    comms[count].name = "graph";
    MPI_Graph_create(MPI_COMM_WORLD, ranks, index, edges, 0, &comms[count++].comm);
    free(index);
    free(edges);

    int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, one = 1;
    comms[count].name = "dist_graph";
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &one, &right, &one, MPI_INFO_NULL, 0, &comms[count++].comm);
    comms[count].name = "dist_graph_adjacent";
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0,
                                   &comms[count++].comm);

    if (ranks > 1) {
        MPI_Comm half, inter;
        int upper = rank >= ranks / 2;
        MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : ranks / 2, 9, &inter);
        comms[count].name = "merged";
        MPI_Intercomm_merge(inter, !upper, &comms[count++].comm);
        comms[count].name = "inter-communicator";
        comms[count++].comm = inter;
        MPI_Comm_free(&half);
    }
    MPI_Group_free(&world);
    return count;
}

void test_each_comm(const struct topo_algorithm *algorithm, test_on_comm *is_right, const void *context)
{
    struct test_comm comms[COMMS_MOST];
    const int count = make(comms);
    for (int i = 0; i < count; i++) {
        struct test_comm *on = &comms[i];
        int inter = 0;
        const bool member = on->comm != MPI_COMM_NULL;
        if (member) {
            MPI_Comm_size(on->comm, &on->ranks);
            MPI_Comm_test_inter(on->comm, &inter);
        }
        on->inter = inter;
        harness_check(!member || is_right(algorithm, on, context), "%s %s on communicator %s",
                      topo_operation_name(algorithm->operation), algorithm->name, on->name);
        if (member)
            MPI_Comm_free(&on->comm);
    }
}
