/* Every algorithm of MPI_Bcast against PMPI_Bcast: byte for byte, gaps included, from every root. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "mpi/comms.h"
#include "mpi/harness.h"
#include "mpi/pending.h"
#include "mpi/remember.h"
#include "mpi/types.h"

/* One call in both ways; true when the buffers are equal and codes are too. On an
 * inter-communicator `root` is a rank of the lower group's. */
static bool same(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *type, int ints,
                 int root)
{
    int rank, inter, world, ranks;
    void *buffer[2], *base[2];
    size_t bytes;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_test_inter(comm, &inter);
    bool sends = rank == root;
    if (inter) {
        MPI_Comm_rank(MPI_COMM_WORLD, &world);
        MPI_Comm_size(MPI_COMM_WORLD, &ranks);
        sends = world == 0;
        root = world >= ranks / 2 ? 0 : sends ? MPI_ROOT : MPI_PROC_NULL;
    }
    int count = ints / type->ints;
    for (int i = 0; i < 2; i++) {
        buffer[i] = test_buffer(type, count, 0x22, &base[i], &bytes);
        if (sends)
            test_fill(type, count, base[i], 77u + (unsigned)ints);
    }
    int ours = topo_bcast(algorithm, base[0], count, type->type, root, comm);
    const struct key {
        const char *type;
        int ints, root;
    } key = {type->name, ints, root};
    int native;
    if (!test_recall(&key, sizeof key, comm, buffer[1], bytes, &native)) {
        native = PMPI_Bcast(base[1], count, type->type, root, comm);
        test_remember(&key, sizeof key, comm, buffer[1], bytes, native);
    }
    bool equal = ours == native && !memcmp(buffer[0], buffer[1], bytes);
    free(buffer[0]);
    free(buffer[1]);
    return equal;
}

static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 200, 6 * 20000};
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int s = 0; s < 4; s++)
        for (int t = 0; t < TEST_TYPES; t++)
            harness_check(same(algorithm, comm, &types[t], sizes[s], (s * TEST_TYPES + t) % ranks),
                          "%s on %s: %d ints as %s", algorithm->name, machine, sizes[s], types[t].name);
    for (int root = 0; root < ranks; root++)
        /* Ranks may describe one signature by different types. */
        harness_check(same(algorithm, comm, &types[(rank + root) % TEST_TYPES], 60, root),
                      "%s on %s from rank %d, another type on each rank", algorithm->name, machine, root);
}

static bool is_right_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    const struct test_type *types = context;
    return same(algorithm, comm->comm, &types[2], 12, comm->ranks - 1);
}

static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types)
{
    struct test_pending pending;
    test_pending_begin(&pending, comm);
    test_pending_end(&pending, same(algorithm, comm, &types[0], 90, pending.ranks / 2), algorithm->name);
}

/* Calls in a row from changing roots, among others that use the same memory of the node, while some ranks are late:
 * what a call left there must not be taken for another's. */
static void in_a_row(MPI_Comm comm, const char *machine, const char *node)
{
    enum { CALLS = 120 };
    static const int sizes[] = {1, 700, 1, 400000, 3, 100};
    const struct topo_algorithm *const bcast[] = {
        topo_algorithm_find(TOPO_OPERATION_bcast, "leader"),    topo_algorithm_find(TOPO_OPERATION_bcast, "chain"),
        topo_algorithm_find(TOPO_OPERATION_bcast, "circulant"), topo_algorithm_find(TOPO_OPERATION_bcast, "halving"),
        topo_algorithm_find(TOPO_OPERATION_bcast, "trees"),     NULL};
    const struct topo_algorithm *gather = topo_algorithm_find(TOPO_OPERATION_allgather, "leader");
    const struct topo_algorithm *reduce = topo_algorithm_find(TOPO_OPERATION_allreduce, "leader");
    int rank, ranks, *data = malloc(400000 * sizeof *data);
    bool good = true;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *all = malloc((size_t)ranks * sizeof *all);
    for (int call = 0; call < CALLS; call++) {
        int root = call * 5 / 3 % ranks, ints = sizes[call % 6], sum = 0;
        if (call % 7 == rank % 7)
            usleep(300);
        for (int i = 0; i < ints; i++)
            data[i] = rank == root ? call * 1009 + i : -1;
        good &= topo_bcast(bcast[call % 4 == 3 ? 5 : call / 2 % 5], data, ints, MPI_INT, root, comm) == MPI_SUCCESS;
        for (int i = 0; i < ints; i++)
            good &= data[i] == call * 1009 + i;
        if (call % 5 == 2) {
            topo_allgather(gather, &rank, 1, MPI_INT, all, 1, MPI_INT, comm);
            for (int i = 0; i < ranks; i++)
                good &= all[i] == i;
        }
        if (call % 5 == 4) {
            topo_allreduce(reduce, &rank, &sum, 1, MPI_INT, MPI_SUM, comm);
            good &= sum == ranks * (ranks - 1) / 2;
        }
    }
    harness_check(good, "calls in a row on %s, %s shared", machine, node);
    free(data);
    free(all);
}

/* Calls that the library chooses for wait for nobody: another operation makes what they need. Memory that a long call
 * asked for may be seen by short ones first; what they left there must not be taken for a later long one's. */
static void granted_for_long(MPI_Comm comm, const char *machine)
{
    enum { LONG = 20000, WARM = 140 /* beyond the short calls that stay native */, CALLS = WARM + 12 };
    int rank, ranks, sum, wrong = 0, *data = malloc(LONG * sizeof *data);
    MPI_Comm fresh;
    MPI_Comm_dup(comm, &fresh);
    MPI_Comm_rank(fresh, &rank);
    MPI_Comm_size(fresh, &ranks);
    for (int call = 0; call < CALLS; call++) {
        int root = call % ranks, ints = call >= WARM && (call == WARM + 1 || call > WARM + 5) ? LONG : 1;
        for (int i = 0; i < ints; i++)
            data[i] = rank == root ? call * 1009 + i : -1;
        if (rank == root && call >= WARM)
            usleep(2000);
        wrong += topo_bcast(NULL, data, ints, MPI_INT, root, fresh) != MPI_SUCCESS;
        for (int i = 0; i < ints; i++)
            wrong += data[i] != call * 1009 + i;
        if (call >= WARM - 2 && call <= WARM + 1)
            topo_allreduce(NULL, &rank, &sum, 1, MPI_INT, MPI_SUM, fresh);
    }
    harness_check(wrong == 0, "memory granted for long calls on %s: %d wrong", machine, wrong);
    MPI_Comm_free(&fresh);
    free(data);
}

/* The others come when they hear of it from a root that is through. */
static void root_goes_on(MPI_Comm comm, const char *machine)
{
    const struct topo_algorithm *leader = topo_algorithm_find(TOPO_OPERATION_bcast, "leader");
    int rank, ranks, data, token = 0;
    bool good = true;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int root = 0; root < ranks; root++) {
        if (rank != root)
            MPI_Recv(&token, 1, MPI_INT, root, 1, comm, MPI_STATUS_IGNORE);
        data = rank == root ? 31 * root : -1;
        topo_bcast(leader, &data, 1, MPI_INT, root, comm);
        good &= data == 31 * root;
        for (int to = 0; rank == root && to < ranks; to++)
            if (to != root)
                MPI_Send(&token, 1, MPI_INT, to, 1, comm);
    }
    harness_check(good, "root goes on on %s", machine);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *context)
{
    const struct test_type *types = context;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (algorithm->operation != TOPO_OPERATION_bcast)
            continue;
        all_types(algorithm, comm, types, machine);
        if (thorough) {
            application_messages(algorithm, comm, types);
            test_each_comm(algorithm, is_right_on, types);
        }
    }
    in_a_row(comm, machine, node);
    if (thorough) {
        granted_for_long(comm, machine);
        root_goes_on(comm, machine);
    }
}

int main(int argc, char **argv)
{
    struct test_type types[TEST_TYPES];
    harness_start(&argc, &argv);
    test_types_make(types);
    harness_on_machines(on_machine, "20K", types);
    test_types_free(types);
    return harness_finish();
}
