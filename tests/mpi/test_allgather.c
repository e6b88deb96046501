/* Every algorithm of MPI_Allgather against PMPI_Allgather: byte for byte, gaps included. */
#include <stdlib.h>
#include <string.h>

#include "coll/allgather/allgather.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/types.h"

/* One call in both ways; true when the receive buffers are equal and codes are too. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *send_type,
                 const struct test_type *receive_type, int ints, bool in_place)
{
    int rank, ranks, inter;
    void *send_base, *base[2];
    size_t send_bytes, bytes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &ranks);
    else
        MPI_Comm_size(comm, &ranks);
    int send_count = ints / send_type->ints, count = ints / receive_type->ints;
    void *send = test_buffer(send_type, send_count, 0x11, &send_base, &send_bytes);
    void *receive[2];
    test_fill(send_type, send_count, send_base, (unsigned)rank);
    for (int i = 0; i < 2; i++) {
        receive[i] = test_buffer(receive_type, (long)count * ranks, 0x22, &base[i], &bytes);
        if (in_place) {
            MPI_Aint lb, extent;
            PMPI_Type_get_extent(receive_type->type, &lb, &extent);
            test_fill(receive_type, count, (char *)base[i] + extent * count * rank, (unsigned)rank);
        }
    }
    const void *from = in_place ? MPI_IN_PLACE : send_base;
    int ours = topo_allgather(algorithm, from, send_count, send_type->type, base[0], count, receive_type->type, comm);
    int native = PMPI_Allgather(from, send_count, send_type->type, base[1], count, receive_type->type, comm);
    bool equal = ours == native && !memcmp(receive[0], receive[1], bytes);
    free(send);
    free(receive[0]);
    free(receive[1]);
    return equal;
}

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 200, 6 * 1000}; /* the last one is long: block by block */
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TEST_TYPES; t++)
            for (int in_place = 0; in_place < 2; in_place++)
                harness_check(same(algorithm, comm, &types[(t + 2) % TEST_TYPES], &types[t], sizes[s], in_place),
                              "%s on %s: %d ints as %s%s", algorithm->name, machine, sizes[s], types[t].name,
                              in_place ? ", in place" : "");
}

/* Ranks may describe one signature by different types. */
static void types_differ_by_rank(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    harness_check(same(algorithm, comm, &types[(rank + 1) % TEST_TYPES], &types[rank % TEST_TYPES], 60, false),
                  "%s with another type on each rank", algorithm->name);
}

static void all_comms(const struct topo_algorithm *algorithm, const struct test_type *types)
{
    struct test_comm comms[TEST_COMMS_MAX];
    int count = test_comms_make(comms);
    for (int i = 0; i < count; i++)
        harness_check(comms[i].comm == MPI_COMM_NULL || same(algorithm, comms[i].comm, &types[1], &types[2], 12, false),
                      "%s on communicator %s", algorithm->name, comms[i].name);
    test_comms_free(comms, count);
}

/* A receive of anything, posted before, must not catch a message of ours. */
static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    int rank, ranks, got = -1, token;
    MPI_Request request;
    MPI_Status status;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    token = 1000 + rank;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    bool equal = same(algorithm, comm, &types[0], &types[0], 90, false);
    MPI_Send(&token, 1, MPI_INT, (rank + 1) % ranks, 1, comm);
    MPI_Wait(&request, &status);
    harness_check(equal && got == 1000 + (rank + ranks - 1) % ranks, "%s with a receive of anything pending",
                  algorithm->name);
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
                types_differ_by_rank(algorithm, comm, types);
                application_messages(algorithm, comm, types);
                all_comms(algorithm, types);
            }
        }
        MPI_Comm_free(&comm);
    }
    test_types_free(types);
    return harness_finish();
}
