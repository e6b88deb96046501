/* In which order each form of a reduction adds up: a number for each form and machine, the same as in
 * tests/data/orders.txt. An operation whose results tell the order in which it was applied, and sums of doubles, over
 * some lengths and roots, where ranks share processors and where they do not. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coll/call/operations.h"
#include "job/job.h"
#include "mpi/harness.h"

enum { LONGEST = 70000 };

static int rank, ranks;
static uint64_t *own, *result;
static double *own_sum, *sum;
static MPI_Op op;

/* Neither commutative nor associative, though it was created as the former. */
static void follow(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const uint64_t *a = in;
    uint64_t *b = inout;
    (void)type;
    for (int i = 0; i < *count; i++)
        b[i] = (a[i] * UINT64_C(0x9e3779b97f4a7c15) ^ b[i] >> 31) * UINT64_C(0xd1342543de82ef95) + b[i];
}

static uint64_t hash(uint64_t before, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        before = (before ^ at[i]) * UINT64_C(1099511628211);
    return before;
}

/* One call; what this rank gets follows *before. */
static void call_once(const struct topo_algorithm *form, const void *from, void *to, int count, MPI_Datatype type,
                      MPI_Op with, int root, MPI_Comm comm, uint64_t *before)
{
    int *counts = malloc((size_t)ranks * sizeof *counts), got = count;
    for (int i = 0; i < ranks; i++)
        counts[i] = count / ranks + (i % 3 == 1) - (i % 3 == 2 && count >= ranks);
    memset(to, 0, LONGEST * sizeof(uint64_t));
    if (form->operation == TOPO_OPERATION_scan) {
        topo_scan(form, from, to, count, type, with, comm);
    } else if (form->operation == TOPO_OPERATION_exscan) {
        topo_exscan(form, from, to, count, type, with, comm);
    } else if (form->operation == TOPO_OPERATION_allreduce) {
        topo_allreduce(form, from, to, count, type, with, comm);
    } else if (form->operation == TOPO_OPERATION_reduce) {
        topo_reduce(form, from, to, count, type, with, root, comm);
        got = rank == root ? count : 0;
    } else if (form->operation == TOPO_OPERATION_reduce_scatter) {
        topo_reduce_scatter(form, from, to, counts, type, with, comm);
        got = counts[rank];
    } else {
        got = count / ranks;
        topo_reduce_scatter_block(form, from, to, got, type, with, comm);
    }
    *before = hash(*before, to, (size_t)got * sizeof(uint64_t));
    free(counts);
}

static void all_calls(const struct topo_algorithm *form, const char *machine)
{
    static const int counts[] = {3, 700, 9001, 65000};
    uint64_t mine = UINT64_C(14695981039346656037), *all = malloc((size_t)ranks * sizeof *all);
    const bool oversubscribed = topo_job.oversubscribed;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < 8; i++) {
        int root = (i * 5 + 1) % ranks;
        topo_job.oversubscribed = i >= 4;
        call_once(form, own, result, counts[i % 4], MPI_UINT64_T, op, root, comm, &mine);
        call_once(form, own_sum, sum, counts[i % 4], MPI_DOUBLE, MPI_SUM, root, comm, &mine);
    }
    topo_job.oversubscribed = oversubscribed;
    MPI_Gather(&mine, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, 0, comm);
    if (rank == 0)
        printf("%d ranks, %s, %s %s: %016llx\n", ranks, machine, topo_operation_name(form->operation), form->name,
               (unsigned long long)hash(UINT64_C(14695981039346656037), all, (size_t)ranks * sizeof *all));
    MPI_Comm_free(&comm);
    free(all);
}

static bool is_sum(const struct topo_algorithm *row)
{
    return row->operation == TOPO_OPERATION_allreduce || row->operation == TOPO_OPERATION_reduce ||
           row->operation == TOPO_OPERATION_reduce_scatter || row->operation == TOPO_OPERATION_reduce_scatter_block ||
           row->operation == TOPO_OPERATION_scan || row->operation == TOPO_OPERATION_exscan;
}

int main(int argc, char **argv)
{
    const char *machine, *why;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    own = calloc(LONGEST, sizeof *own);
    result = calloc(LONGEST, sizeof *result);
    own_sum = calloc(LONGEST, sizeof *own_sum);
    sum = calloc(LONGEST, sizeof *sum);
    for (int i = 0; i < LONGEST; i++) {
        own[i] = ((uint64_t)rank + 1) * UINT64_C(0xbf58476d1ce4e5b9) + (uint64_t)i;
        own_sum[i] = 1.0 / (1 + (i * 7 + rank * 13) % 1009) * (rank % 2 ? 1e8 : -1);
    }
    MPI_Op_create(follow, 1, &op);
    for (int m = 0; (machine = harness_machine(m)); m++) {
        if (!strncmp(machine, "auto", 4) || !strchr(machine, ':') || !harness_use_machine(machine))
            continue; /* of this host's we do not know what it is */
        for (int id = 0; id < TOPO_ALGORITHM_COUNT; id++) {
            const struct topo_algorithm *row = topo_algorithm((enum topo_algorithm_id)id);
            if (is_sum(row) && row != topo_algorithm_native(row->operation) && topo_algorithm_applies(row, ranks, &why))
                all_calls(row, machine);
        }
    }
    MPI_Op_free(&op);
    free(own);
    free(result);
    free(own_sum);
    free(sum);
    return harness_finish();
}
