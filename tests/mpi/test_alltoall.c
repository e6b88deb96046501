/* Every algorithm of MPI_Alltoall against the native one: byte for byte, gaps included. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "coll/alltoall/alltoall.h"
#include "mpi/blocks.h"
#include "mpi/harness.h"

/* PMPI_Alltoall by other means: Bruck's form of Open MPI 4.1, which it takes for 16 ranks and short blocks, crashes on
 * some derived types. */
static int native(const void *send, int send_count, MPI_Datatype send_type, void *receive, int receive_count,
                  MPI_Datatype receive_type, MPI_Comm comm)
{
    int inter, ranks;
    MPI_Comm_test_inter(comm, &inter);
    if (inter)
        MPI_Comm_remote_size(comm, &ranks);
    else
        MPI_Comm_size(comm, &ranks);
    int *numbers = malloc(4 * (size_t)ranks * sizeof *numbers);
    int *sent = numbers, *received = sent + ranks, *from = received + ranks, *to = from + ranks;
    for (int i = 0; i < ranks; i++) {
        sent[i] = send_count;
        received[i] = receive_count;
        from[i] = i * send_count;
        to[i] = i * receive_count;
    }
    int code = PMPI_Alltoallv(send, sent, from, send_type, receive, received, to, receive_type, comm);
    free(numbers);
    return code;
}

static const struct test_blocks operation = {topo_alltoall, native, true};

/* The last two are more bytes than node_aware puts together, and than a piece of direct has. */
static void all_types(const struct topo_algorithm *algorithm, MPI_Comm comm, const struct test_type *types,
                      const char *machine)
{
    static const int sizes[] = {0, 6, 6 * 50, 6 * 900, 6 * 3000};
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < TEST_TYPES; t++)
            harness_check(test_blocks_same(&operation, algorithm, comm, &types[(t + 2) % TEST_TYPES], &types[t],
                                           sizes[s], (s + t) % 2),
                          "%s on %s: %d ints as %s%s", algorithm->name, machine, sizes[s], types[t].name,
                          (s + t) % 2 ? ", in place" : "");
}

/* Calls of all forms and lengths follow one another while some ranks are late: nobody waits for anyone between them. */
static void in_a_row(MPI_Comm comm, const char *machine)
{
    enum { CALLS = 40, INTS = 2048, FORMS = 4 };
    const struct topo_algorithm *form[FORMS] = {NULL};
    int rank, ranks, forms = 1, wrong = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    size_t n = (size_t)ranks;
    int *send = malloc(n * INTS * sizeof *send), *receive = malloc(n * INTS * sizeof *receive);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT && forms < FORMS; id++)
        if (topo_algorithm((enum topo_algorithm_id)id)->operation == TOPO_OPERATION_alltoall)
            form[forms++] = topo_algorithm((enum topo_algorithm_id)id);
    for (int call = 0; call < CALLS; call++) {
        int ints = call % 7 == 5 ? INTS : 1 + call % 11;
        for (size_t i = 0; i < n * (size_t)ints; i++)
            send[i] = call * 1000003 + rank * 65537 + (int)i;
        if (call % 5 == rank % 5)
            usleep(500);
        wrong += topo_alltoall(form[call % forms], send, ints, MPI_INT, receive, ints, MPI_INT, comm) != MPI_SUCCESS;
        for (int from = 0; from < ranks; from++)
            for (int i = 0; i < ints; i++)
                wrong += receive[from * ints + i] != call * 1000003 + from * 65537 + rank * ints + i;
    }
    harness_check(wrong == 0, "calls of all forms in a row on %s", machine);
    free(send);
    free(receive);
}

static void on_machine(const char *machine, const struct test_type *types, bool thorough)
{
    MPI_Comm comm;
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
        const struct topo_algorithm *algorithm = topo_algorithm((enum topo_algorithm_id)id);
        if (algorithm->operation != TOPO_OPERATION_alltoall || algorithm->id == TOPO_ALGORITHM_alltoall_native)
            continue;
        all_types(algorithm, comm, types, machine);
        test_blocks_types_by_rank(&operation, algorithm, comm, types);
        if (!thorough)
            continue;
        test_blocks_application(&operation, algorithm, comm, types);
        test_blocks_all_comms(&operation, algorithm, types);
    }
    in_a_row(comm, machine);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    static const char *const node[] = {"0", "20K"};
    struct test_type types[TEST_TYPES];
    const char *machine, *last = "auto";
    harness_start(&argc, &argv);
    test_types_make(types);
    for (int i = 0; (machine = harness_machine(i)); i++) {
        on_machine(machine, types, i == 0 || strstr(machine, "by:node"));
        last = machine;
    }
    for (int i = 0; i < 2; i++) {
        harness_option("TOPOMPI_SHARED", node[i]);
        on_machine(last, types, false);
    }
    test_types_free(types);
    return harness_finish();
}
