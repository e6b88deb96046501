#include "mpi/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/remember.h"

bool test_blocks_same(const struct test_blocks *operation, const struct topo_algorithm *algorithm, MPI_Comm comm,
                      const struct test_type *send_type, const struct test_type *receive_type, int ints, bool in_place)
{
    int rank, ranks, inter;
    void *send_base, *base[2], *receive[2];
    size_t send_bytes, bytes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &ranks);
    else
        MPI_Comm_size(comm, &ranks);
    int send_count = ints / send_type->ints, count = ints / receive_type->ints;
    long sent = (long)send_count * (operation->to_each ? ranks : 1), received = (long)count * ranks;
    void *send = test_buffer(send_type, sent, 0x11, &send_base, &send_bytes);
    test_fill(send_type, sent, send_base, (unsigned)rank);
    for (int i = 0; i < 2; i++) {
        receive[i] = test_buffer(receive_type, received, 0x22, &base[i], &bytes);
        if (in_place && operation->to_each) {
            test_fill(receive_type, received, base[i], (unsigned)rank);
        } else if (in_place) {
            MPI_Aint lb, extent;
            PMPI_Type_get_extent(receive_type->type, &lb, &extent);
            test_fill(receive_type, count, (char *)base[i] + extent * count * rank, (unsigned)rank);
        }
    }
    const void *from = in_place ? MPI_IN_PLACE : send_base;
    int ours = operation->ours(algorithm, from, send_count, send_type->type, base[0], count, receive_type->type, comm);
    const struct key {
        const char *send, *receive;
        int ints, in_place;
    } key = {send_type->name, receive_type->name, ints, in_place};
    int native;
    if (!test_recall(&key, sizeof key, comm, receive[1], bytes, &native)) {
        native = operation->native(from, send_count, send_type->type, base[1], count, receive_type->type, comm);
        test_remember(&key, sizeof key, comm, receive[1], bytes, native);
    }
    bool equal = ours == native && !memcmp(receive[0], receive[1], bytes);
    free(send);
    free(receive[0]);
    free(receive[1]);
    return equal;
}

void test_blocks_types_by_rank(const struct test_blocks *operation, const struct topo_algorithm *algorithm,
                               MPI_Comm comm, const struct test_type *types)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    harness_check(test_blocks_same(operation, algorithm, comm, &types[(rank + 1) % TEST_TYPES],
                                   &types[rank % TEST_TYPES], 60, false),
                  "%s with another type on each rank", algorithm->name);
}

struct blocks_of {
    const struct test_blocks *operation;
    const struct test_type *types;
};

static bool is_same_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    const struct blocks_of *of = context;
    return test_blocks_same(of->operation, algorithm, comm->comm, &of->types[1], &of->types[2], 12, false);
}

void test_blocks_all_comms(const struct test_blocks *operation, const struct topo_algorithm *algorithm,
                           const struct test_type *types)
{
    test_each_comm(algorithm, is_same_on, &(struct blocks_of){operation, types});
}

void test_blocks_application(const struct test_blocks *operation, const struct topo_algorithm *algorithm, MPI_Comm comm,
                             const struct test_type *types)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, test_blocks_same(operation, algorithm, comm, &types[0], &types[0], 90, false),
                     algorithm->name);
}
