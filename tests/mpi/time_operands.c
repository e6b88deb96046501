/* usage: mpirun -n RANKS time_operands: sums of doubles in one pass beside those by PMPI_Reduce_local(), in turn in the
 * same processes. One rank: the additions alone, of 4 to 32 vectors, the best of some times. More: reductions on one
 * node, medians of 41 pairs of samples, and the median and quartiles of their ratios. No test: it measures. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/allreduce/allreduce.h"
#include "coll/call/choose.h"
#include "coll/reduce/reduce.h"
#include "coll/reduction/operands.h"
#include "mpi/harness.h"

enum { SAMPLES = 41, VECTORS = 32, LONGEST = 4 << 20, SLOT = LONGEST + 64 };

static bool one_by_one;

/* In the place of topo_combine_find() (-Wl,--wrap). */
topo_combine *__real_topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size);
topo_combine *__wrap_topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size);
topo_combine *__wrap_topo_combine_find(MPI_Op op, MPI_Datatype type, size_t size)
{
    return one_by_one ? NULL : __real_topo_combine_find(op, type, size);
}

/* -- additions alone ------------------------------------------------------- */

/* Vectors `slot` bytes apart to the first of them. */
static void add(char *vectors, size_t slot, int number, int count)
{
    topo_combine *combine = topo_combine_find(MPI_SUM, MPI_DOUBLE, sizeof(double));
    const char *operand[TOPO_OPERANDS_MOST] = {vectors};
    int have = 1;
    for (int i = 1; i < number; i++) {
        char *next = vectors + (size_t)i * slot;
        if (combine)
            operand[have++] = next;
        else
            PMPI_Reduce_local(next, vectors, count, MPI_DOUBLE, MPI_SUM);
        if (have == TOPO_OPERANDS_MOST || (have > 1 && i == number - 1)) {
            combine(operand, have, vectors, (size_t)count);
            have = 1;
        }
    }
}

static void time_additions(void)
{
    char *vectors = aligned_alloc(64, (size_t)VECTORS * SLOT);
    for (size_t i = 0; i < (size_t)VECTORS * SLOT / sizeof(double); i++)
        ((double *)vectors)[i] = 1;
    for (int number = 4; number <= VECTORS; number *= 2)
        for (size_t bytes = 8; bytes <= LONGEST; bytes *= 8) {
            double best[2] = {1, 1};
            int calls = (int)(200000 / ((double)number * (10 + (double)bytes / 20))) + 1;
            for (int sample = 0; sample < SAMPLES; sample++) {
                one_by_one = sample % 2;
                double start = MPI_Wtime();
                for (int i = 0; i < calls; i++)
                    add(vectors, (bytes + 63) / 64 * 64, number, (int)(bytes / sizeof(double)));
                double took = (MPI_Wtime() - start) / calls;
                if (took < best[one_by_one])
                    best[one_by_one] = took;
            }
            printf("%2d vectors of %7zu bytes: one by one %10.3f us, one pass %10.3f us\n", number, bytes,
                   best[1] * 1e6, best[0] * 1e6);
        }
    free(vectors);
}

/* -- reductions ------------------------------------------------------------ */

struct calls {
    const struct topo_algorithm *algorithm;
    bool all; /* ranks get the sum */
    double *send, *receive;
    int count, number;
    MPI_Comm comm;
};

/* Seconds of a call, where it took longest. */
static double time_calls(const struct calls *calls)
{
    double took, longest;
    PMPI_Barrier(calls->comm);
    took = MPI_Wtime();
    for (int i = 0; i < calls->number; i++)
        if (calls->all)
            topo_allreduce(calls->algorithm, calls->send, calls->receive, calls->count, MPI_DOUBLE, MPI_SUM,
                           calls->comm);
        else
            topo_reduce(calls->algorithm, calls->send, calls->receive, calls->count, MPI_DOUBLE, MPI_SUM, 0,
                        calls->comm);
    if (!calls->all)
        PMPI_Barrier(calls->comm);
    took = (MPI_Wtime() - took) / calls->number;
    PMPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, calls->comm);
    return longest;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_reduction(struct calls *calls, int ranks)
{
    double seconds[2][SAMPLES], ratio[SAMPLES];
    calls->number = 1;
    time_calls(calls);
    calls->number = (int)(0.01 / time_calls(calls)) + 1;
    for (int i = 0; i < SAMPLES; i++) {
        for (int half = 0; half < 2; half++) {
            one_by_one = (i + half) % 2;
            seconds[one_by_one][i] = time_calls(calls);
        }
        ratio[i] = seconds[0][i] / seconds[1][i];
    }
    one_by_one = false;
    qsort(ratio, SAMPLES, sizeof *ratio, by_size);
    for (int i = 0; i < 2; i++)
        qsort(seconds[i], SAMPLES, sizeof **seconds, by_size);
    int rank;
    MPI_Comm_rank(calls->comm, &rank);
    if (rank == 0)
        printf("%2d ranks, %s %s, %zu bytes: one by one %.2f us, one pass %.2f us, ratio %.2f (%.2f to %.2f)\n", ranks,
               calls->all ? "allreduce" : "reduce", calls->algorithm->name, (size_t)calls->count * sizeof(double),
               seconds[1][SAMPLES / 2] * 1e6, seconds[0][SAMPLES / 2] * 1e6, ratio[SAMPLES / 2], ratio[SAMPLES / 4],
               ratio[SAMPLES * 3 / 4]);
}

static void time_reductions(int ranks)
{
    static const struct {
        int operation;
        const char *name;
        int least;
    } rows[] = {{TOPO_OPERATION_allreduce, "leader", 8},
                {TOPO_OPERATION_allreduce, "lanes", 65536},
                {TOPO_OPERATION_reduce, "leader", 8},
                {TOPO_OPERATION_reduce, "chain", 65536}};
    static const int sizes[] = {8, 1024, 65536, 1 << 20};
    static double send[1 << 17], receive[1 << 17];
    char machine[40];
    struct calls calls = {.send = send, .receive = receive};
    snprintf(machine, sizeof machine, "synthetic:node:1 core:%d", ranks);
    if (!harness_use_machine(machine))
        return;
    MPI_Comm_dup(MPI_COMM_WORLD, &calls.comm);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            calls.algorithm = topo_algorithm_find(rows[r].operation, rows[r].name);
            calls.all = rows[r].operation == TOPO_OPERATION_allreduce;
            calls.count = sizes[s] / (int)sizeof(double);
            if (sizes[s] >= rows[r].least)
                time_reduction(&calls, ranks);
        }
    MPI_Comm_free(&calls.comm);
}

int main(int argc, char **argv)
{
    int ranks;
    harness_start(&argc, &argv);
    topo_combine_start();
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks == 1) {
        time_additions();
        MPI_Finalize();
        return 0;
    }
    time_reductions(ranks);
    return harness_finish();
}
