/* Every algorithm of MPI_Barrier: nobody leaves before all have come. Each rank counts
 * its own arrivals in memory that all ranks of this host share, and looks at
 * the counts of the others when it leaves. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/call/operations.h"
#include "coll/allreduce/allreduce.h"
#include "coll/call/operations.h"
#include "mpi/comms.h"
#include "mpi/harness.h"

static MPI_Win window;
static _Atomic int *arrivals; /* [ranks of the world] */
static MPI_Group world;

/* Ranks of the world whose arrival a barrier on `comm` waits for; free(). */
static int *members_of(MPI_Comm comm, int *count)
{
    int inter;
    MPI_Group group;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_group(comm, &group);
    else
        MPI_Comm_group(comm, &group);
    MPI_Group_size(group, count);
    int *local = malloc((size_t)*count * sizeof *local), *members = malloc((size_t)*count * sizeof *members);
    for (int i = 0; i < *count; i++)
        local[i] = i;
    MPI_Group_translate_ranks(group, *count, local, world, members);
    MPI_Group_free(&group);
    free(local);
    return members;
}

/* Another call that uses the same memory of the node. */
static bool other_call(int which, MPI_Comm comm)
{
    int rank, ranks, sum = 0, *all;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (which % 2) {
        topo_allreduce(topo_algorithm_find(TOPO_OPERATION_allreduce, "leader"), &rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        return sum == ranks * (ranks - 1) / 2;
    }
    all = calloc((size_t)ranks, sizeof *all);
    topo_allgather(topo_algorithm_find(TOPO_OPERATION_allgather, "leader"), &rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    bool good = true;
    for (int i = 0; i < ranks; i++)
        good &= all[i] == i;
    free(all);
    return good;
}

/* Barriers in a row; before each another rank is late. `mixed`: with other calls between them. */
static bool holds(const struct topo_algorithm *algorithm, MPI_Comm comm, bool mixed)
{
    enum { CALLS = 12 };
    int self, count, *members = members_of(comm, &count);
    bool good = true;
    MPI_Comm_rank(MPI_COMM_WORLD, &self);
    int before = atomic_load(&arrivals[self]);
    /* All members have read their counts, and read those of the others from here on. */
    PMPI_Barrier(comm);
    int *start = malloc((size_t)count * sizeof *start);
    for (int i = 0; i < count; i++)
        start[i] = atomic_load(&arrivals[members[i]]);
    PMPI_Barrier(comm);
    for (int call = 1; call <= CALLS; call++) {
        if (call % 5 == self % 5)
            usleep(300);
        atomic_store(&arrivals[self], before + call);
        good &= topo_barrier(algorithm, comm) == MPI_SUCCESS;
        for (int i = 0; i < count; i++)
            good &= atomic_load(&arrivals[members[i]]) >= start[i] + call;
        if (mixed)
            good &= other_call(call, comm);
    }
    PMPI_Barrier(comm);
    free(start);
    free(members);
    return good;
}

/* A receive of anything, posted before, must not catch a message of ours; and a rank may come
 * to the barrier only when a long message to a rank that waits there is through (MPI 3.1, section 3.5). */
static void application_messages(const struct topo_algorithm *algorithm, MPI_Comm comm, const char *machine)
{
    enum { INTS = 1 << 18 };
    int rank, ranks, *data = calloc(INTS, sizeof *data);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    bool good = true;
    for (int sender = 0; sender < ranks; sender++) {
        int receiver = (sender + 1) % ranks;
        memset(data, 0, INTS * sizeof *data);
        if (sender == receiver)
            continue;
        if (rank == receiver)
            MPI_Irecv(data, INTS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        if (rank == sender) {
            data[INTS - 1] = 4711;
            MPI_Send(data, INTS, MPI_INT, receiver, 9, comm);
        }
        good &= topo_barrier(algorithm, comm) == MPI_SUCCESS;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (rank == receiver)
            good &= data[INTS - 1] == 4711;
    }
    harness_check(good, "%s on %s with messages of the program under way", algorithm->name, machine);
    free(data);
}

static bool holds_on(const struct topo_algorithm *algorithm, const struct test_comm *comm, const void *context)
{
    (void)context;
    return holds(algorithm, comm->comm, false);
}

static void on_machine(MPI_Comm comm, const char *machine, const char *node, bool thorough, const void *none)
{
    (void)none;
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm(id);
        if (algorithm->operation != TOPO_OPERATION_barrier)
            continue;
        harness_check(holds(algorithm, comm, false), "%s on %s, %s shared", algorithm->name, machine, node);
        harness_check(holds(algorithm, comm, true), "%s on %s, %s shared, among other calls", algorithm->name, machine,
                      node);
        application_messages(algorithm, comm, machine);
        for (size_t radix = 2; radix < 5 && algorithm->traits & TOPO_TRAIT_RADIX; radix++) {
            struct topo_algorithm given = *algorithm;
            given.parameters.radix = radix;
            harness_check(holds(&given, comm, false), "%s radix=%zu on %s, %s shared", algorithm->name, radix, machine,
                          node);
        }
        if (thorough)
            test_each_comm(algorithm, holds_on, NULL);
    }
    harness_check(holds(NULL, comm, true), "auto on %s, %s shared", machine, node);
}

int main(int argc, char **argv)
{
    int ranks, rank, unit;
    MPI_Aint bytes;
    void *base;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Win_allocate_shared(rank ? 0 : (MPI_Aint)((size_t)ranks * sizeof *arrivals), sizeof *arrivals, MPI_INFO_NULL,
                            MPI_COMM_WORLD, &base, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &base);
    arrivals = base;
    atomic_store(&arrivals[rank], 0);
    MPI_Barrier(MPI_COMM_WORLD);
    harness_on_machines(on_machine, "8K", NULL);
    MPI_Group_free(&world);
    MPI_Win_free(&window);
    return harness_finish();
}
