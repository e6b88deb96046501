/* Many messages of a call between the same two ranks, where a channel has few tags: on nodes of many and of single
 * ranks each form that sends in segments, lists or lanes, in rows of calls of different lengths, with a rank that is
 * late. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi/calls.h"
#include "mpi/harness.h"

static int rank, ranks;

static unsigned value(int of, size_t at, int count)
{
    return (unsigned)(of + 1) * 2654435761U + (unsigned)at * 40503U + (unsigned)count;
}

/* One call by ours and natively. */
static void compare(const struct topo_algorithm *algorithm, int count, int late, MPI_Comm comm)
{
    struct test_call call = {.operation = algorithm->operation,
                             .count = count,
                             .send_type = MPI_UNSIGNED,
                             .receive_type = MPI_UNSIGNED,
                             .op = MPI_SUM};
    const size_t sent = (size_t)test_call_sends(&call, comm);
    const size_t bytes = (size_t)test_call_receives(&call, comm) * sizeof(unsigned);
    unsigned *send = malloc(sent * sizeof *send + 1), *expected = calloc(bytes + 1, 1), *receive = calloc(bytes + 1, 1);
    for (size_t i = 0; i < sent; i++)
        send[i] = value(rank, i, count);
    call.send = send;
    call.receive = expected;
    int code = test_call(&call, NULL, comm);
    call.receive = receive;
    if (rank == late)
        usleep(2000);
    if (code == MPI_SUCCESS)
        code = test_call(&call, algorithm, comm);
    harness_check(code == MPI_SUCCESS && (bytes == 0 || !memcmp(expected, receive, bytes)), "%s %s of %d, rank %d late",
                  topo_operation_name(algorithm->operation), algorithm->name, count, late);
    free(send);
    free(expected);
    free(receive);
}

static void run(const char *machine)
{
    static const int counts[] = {50000, 1, 3000, 20000, 100};
    enum { COUNTS = sizeof counts / sizeof *counts, ROUNDS = 4 };
    MPI_Comm comm;
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (!strstr("lanes chain trees halving cyclic mixed_grid", algorithm->name) ||
            algorithm->operation == TOPO_OPERATION_bcast || !topo_algorithm_applies(algorithm, ranks, NULL))
            continue;
        /* Which of two sums is there first is chance, and has to be the wrong one for a mistake to show. */
        const int rounds = !strcmp(algorithm->name, "lanes") ? ROUNDS : 1;
        for (int i = 0; i < rounds * COUNTS; i++)
            compare(algorithm, counts[i % COUNTS], (id + i) % (rounds > 1 ? ranks : 2 * ranks), comm);
    }
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    char machine[64];
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    harness_option("TOPOMPI_PACKET", "1K"); /* many of them */
    snprintf(machine, sizeof machine, "synthetic:node:3 core:%d,1,1", ranks - 2);
    run(machine);
    snprintf(machine, sizeof machine, "synthetic:switch:2 node:2 core:1,%d,1,%d", (ranks - 2) / 2, (ranks - 1) / 2);
    run(machine);
    return harness_finish();
}
