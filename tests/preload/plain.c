/* An MPI program that knows nothing of TopoMPI: Allgather on several
 * communicators, blocks of different lengths, a broadcast, a sum and a barrier, results checked by itself, as often as
 * the argument says (default once); they leave nothing for dlerror() to say. Prints "ok" on rank 0. With the argument
 * "errors" it makes one call whose error comes back to it, and prints that: Open MPI loses its own message now and then
 * as it ends a job. "order": one MPI_Reduce of an operation that does not commute. "fatal": a wrong call on the last of 64 communicators. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MPI_COMM_WORLD, or with a second argument "copy" a duplicate of it; with "late" rank 0 comes late. */
static MPI_Comm all_ranks;

/* 1 when an allgather on `comm` gives every rank's number in order. */
static int gather(MPI_Comm comm, int in_place)
{
    int rank, ranks, good = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    int *all = malloc((size_t)ranks * sizeof *all);
    all[rank] = rank * 3 + 1;
    int own = all[rank];
    if (in_place)
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, comm);
    else
        MPI_Allgather(&own, 1, MPI_INT, all, 1, MPI_INT, comm);
    for (int i = 0; i < ranks; i++)
        good &= all[i] == i * 3 + 1;
    free(all);
    return good;
}

static int show_error(int rank, int ranks)
{
    char text[MPI_MAX_ERROR_STRING];
    int *all = calloc((size_t)ranks, sizeof *all), length;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int code = MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Error_string(code, text, &length);
    if (rank == 0)
        printf("allgather: %s\n", text);
    free(all);
    MPI_Finalize();
    return 0;
}

static int make_mistake(void)
{
    enum { COMMS = 64 };
    MPI_Comm copy[COMMS];
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &copy[i]);
    return MPI_Send(NULL, 0, MPI_INT, -100, 0, copy[COMMS - 1]);
}

static void keep_second(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

/* A reduction whose order counts, to rank 0, which comes late. */
static int reduce_in_order(int rank)
{
    int last = rank;
    MPI_Op op;
    MPI_Op_create(keep_second, 0, &op);
    sleep(rank == 0);
    MPI_Reduce(rank ? &rank : MPI_IN_PLACE, &last, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}

/* Rank r gives r ints. */
static int gather_all(void)
{
    int rank, ranks, total = 0, good = 1;
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Comm_size(all_ranks, &ranks);
    int *counts = calloc((size_t)ranks, sizeof *counts), *places = calloc((size_t)ranks, sizeof *places);
    for (int i = 0; i < ranks; i++) {
        counts[i] = i;
        places[i] = total;
        total += i;
    }
    int *own = calloc((size_t)ranks, sizeof *own), *all = calloc((size_t)total + 1, sizeof *all);
    for (int i = 0; i < rank; i++)
        own[i] = 100 * rank + i;
    MPI_Allgatherv(own, rank, MPI_INT, all, counts, places, MPI_INT, all_ranks);
    for (int from = 0; from < ranks; from++)
        for (int i = 0; i < from; i++)
            good &= all[places[from] + i] == 100 * from + i;
    free(counts);
    free(places);
    free(own);
    free(all);
    return good;
}

/* Rank r gives each rank a block of two ints; then the same blocks go back in place; then one int of each again. */
static int exchange(void)
{
    int rank, ranks, good = 1;
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Comm_size(all_ranks, &ranks);
    int *out = calloc((size_t)ranks, 2 * sizeof *out), *in = calloc((size_t)ranks, 2 * sizeof *in);
    for (int i = 0; i < 2 * ranks; i++)
        out[i] = 1000 * rank + i;
    MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, all_ranks);
    for (int i = 0; i < 2 * ranks; i++)
        good &= in[i] == 1000 * (i / 2) + 2 * rank + i % 2;
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, all_ranks);
    good &= !memcmp(in, out, 2 * (size_t)ranks * sizeof *in);
    int *counts = calloc((size_t)ranks, sizeof *counts), *places = calloc((size_t)ranks, sizeof *places);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        places[i] = 2 * i;
    }
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, all_ranks);
    for (int i = 0; i < ranks; i++)
        good &= in[2 * i] == 1000 * i + 2 * rank;
    free(counts);
    free(places);
    free(out);
    free(in);
    return good;
}

/* Sums of which every rank gets a part, one way and the other. */
static int scatter_sums(void)
{
    enum { MOST = 64 };
    int rank, ranks, vector[MOST], counts[MOST], part[2];
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Comm_size(all_ranks, &ranks);
    for (int i = 0; i < ranks; i++) {
        vector[i] = rank + i;
        counts[i] = 1;
    }
    MPI_Reduce_scatter_block(vector, &part[0], 1, MPI_INT, MPI_SUM, all_ranks);
    MPI_Reduce_scatter(vector, &part[1], counts, MPI_INT, MPI_SUM, all_ranks);
    return part[0] == ranks * (ranks - 1) / 2 + ranks * rank && part[1] == part[0];
}

/* The sums up to a rank, and before it. */
static int add_up(void)
{
    int rank, sum[2] = {0, 0};
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Scan(&rank, &sum[0], 1, MPI_INT, MPI_SUM, all_ranks);
    MPI_Exscan(&rank, &sum[1], 1, MPI_INT, MPI_SUM, all_ranks);
    return sum[0] == rank * (rank + 1) / 2 && sum[1] == rank * (rank - 1) / 2;
}

/* Two numbers of each rank to the last one, and back. */
static int to_root_and_back(void)
{
    enum { MOST = 64 };
    int rank, ranks, all[2 * MOST] = {0}, counts[MOST], places[MOST], own[2];
    MPI_Comm_rank(all_ranks, &rank);
    MPI_Comm_size(all_ranks, &ranks);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        places[i] = ranks + i;
    }
    own[0] = own[1] = rank + 5;
    MPI_Gather(&own[0], 1, MPI_INT, all, 1, MPI_INT, ranks - 1, all_ranks);
    MPI_Gatherv(&own[1], 1, MPI_INT, all, counts, places, MPI_INT, ranks - 1, all_ranks);
    own[0] = own[1] = -1;
    MPI_Scatter(all + ranks, 1, MPI_INT, &own[0], 1, MPI_INT, ranks - 1, all_ranks);
    MPI_Scatterv(all, counts, counts, MPI_INT, &own[1], 1, MPI_INT, ranks - 1, all_ranks);
    return own[0] == rank + 5 && own[1] == (ranks > 1 ? 6 : 5);
}

int main(int argc, char **argv)
{
    int rank, ranks, good = 1, everywhere;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && !strcmp(argv[1], "errors"))
        return show_error(rank, ranks);
    if (argc > 1 && !strcmp(argv[1], "fatal"))
        return make_mistake();
    if (argc > 1 && !strcmp(argv[1], "order"))
        return reduce_in_order(rank);
    dlerror();
    all_ranks = MPI_COMM_WORLD;
    if (argc > 2 && !strcmp(argv[2], "copy"))
        MPI_Comm_dup(MPI_COMM_WORLD, &all_ranks);
    bool late = argc > 2 && !strcmp(argv[2], "late") && rank == 0;
    sleep(late);
    for (int times = argc > 1 ? atoi(argv[1]) : 1; times > 0; times--)
        good &= gather(all_ranks, 0) & gather(all_ranks, 1);
    good &= dlerror() == NULL; /* before a look-up of another function that is there */
    MPI_Comm_split(all_ranks, rank < ranks / 2, 0, &half);
    good &= gather(half, 0);
    int last = rank;
    MPI_Bcast(&last, 1, MPI_INT, ranks - 1, all_ranks);
    good &= last == ranks - 1;
    MPI_Reduce(rank ? &rank : MPI_IN_PLACE, &last, 1, MPI_INT, MPI_SUM, 0, all_ranks);
    good &= rank > 0 || last == (ranks - 1) + ranks * (ranks - 1) / 2;
    good &= gather_all() & exchange() & scatter_sums() & to_root_and_back() & add_up();
    MPI_Barrier(all_ranks);
    MPI_Comm_free(&half);
    sleep(late);
    MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_LAND, all_ranks);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "ok\n" : "wrong\n");
    return !everywhere;
}
