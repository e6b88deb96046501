/* An MPI program that knows nothing of TopoMPI: some threads, each with a communicator of its own, call collectives at
 * the same time, now and then on a duplicate that the thread makes and frees. Every result is checked.
 *
 *   threads [rounds]    rounds of one call of each operation, default 40
 *
 * Prints "ok" on rank 0, or "no MPI_THREAD_MULTIPLE". */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

enum { THREADS = 4, LONGEST = 3000 };

static int rank, ranks, rounds = 40;

struct thread {
    pthread_t id;
    int number;
    MPI_Comm comm;
    int wrong; /* results */
};

/* What `from` has for `to` in a round of a thread. */
static int value(int thread, int round, int from, int to, int k)
{
    return thread * 1000003 + round * 10007 + from * 1009 + to * 101 + k;
}

static int gather(MPI_Comm comm, int thread, int round, int *out, int *in)
{
    int wrong = 0, count = 1 + round * 61 % (LONGEST / 4);
    for (int k = 0; k < count; k++)
        out[k] = value(thread, round, rank, 0, k);
    wrong += MPI_Allgather(out, count, MPI_INT, in, count, MPI_INT, comm) != MPI_SUCCESS;
    for (int from = 0; from < ranks; from++)
        for (int k = 0; k < count; k++)
            wrong += in[from * count + k] != value(thread, round, from, 0, k);
    return wrong;
}

static int reduce(MPI_Comm comm, int thread, int round, int *out, int *in)
{
    int wrong = 0, count = 1 + round * 127 % LONGEST;
    for (int k = 0; k < count; k++)
        out[k] = value(thread, round, rank, 0, k);
    wrong += MPI_Allreduce(out, in, count, MPI_INT, MPI_MAX, comm) != MPI_SUCCESS;
    for (int k = 0; k < count; k++)
        wrong += in[k] != value(thread, round, ranks - 1, 0, k);
    return wrong;
}

static int exchange(MPI_Comm comm, int thread, int round, int *out, int *in)
{
    int wrong = 0;
    int *sent = malloc(3 * (size_t)ranks * sizeof *sent), *got = sent + ranks, *place = got + ranks;
    for (int i = 0; i < ranks; i++) {
        place[i] = i * LONGEST;
        sent[i] = (rank + i + round / 10) % 3 * 200;
        got[i] = (i + rank + round / 10) % 3 * 200;
        for (int k = 0; k < sent[i]; k++)
            out[i * LONGEST + k] = value(thread, round, rank, i, k);
    }
    wrong += MPI_Alltoallv(out, sent, place, MPI_INT, in, got, place, MPI_INT, comm) != MPI_SUCCESS;
    for (int i = 0; i < ranks; i++)
        for (int k = 0; k < got[i]; k++)
            wrong += in[i * LONGEST + k] != value(thread, round, i, rank, k);
    free(sent);
    return wrong;
}

/* The operations with a root, and a barrier. */
static int rooted(MPI_Comm comm, int thread, int round, int *out, int *in)
{
    int wrong = 0, count = 1 + round * 37 % LONGEST, root = round % ranks;
    for (int k = 0; k < count; k++) {
        out[k] = value(thread, round, rank, 0, k);
        in[k] = rank == root ? value(thread, round, root, 1, k) : -1;
    }
    wrong += MPI_Bcast(in, count, MPI_INT, root, comm) != MPI_SUCCESS;
    for (int k = 0; k < count; k++)
        wrong += in[k] != value(thread, round, root, 1, k);
    wrong += MPI_Barrier(comm) != MPI_SUCCESS;
    wrong += MPI_Reduce(out, in, count, MPI_INT, MPI_MAX, root, comm) != MPI_SUCCESS;
    for (int k = 0; k < count && rank == root; k++)
        wrong += in[k] != value(thread, round, ranks - 1, 0, k);
    return wrong;
}

/* Those that leave each rank its part. */
static int parted(MPI_Comm comm, int thread, int round, int *out, int *in)
{
    int wrong = 0, count = 1 + round * 53 % (LONGEST / 4);
    int *counts = malloc(2 * (size_t)ranks * sizeof *counts), *places = counts + ranks;
    for (int i = 0; i < ranks; i++) {
        counts[i] = count;
        places[i] = i * count;
        for (int k = 0; k < count; k++)
            out[i * count + k] = value(thread, round, rank, i, k);
    }
    wrong += MPI_Alltoall(out, count, MPI_INT, in, count, MPI_INT, comm) != MPI_SUCCESS;
    for (int i = 0; i < ranks * count; i++)
        wrong += in[i] != value(thread, round, i / count, rank, i % count);
    wrong += MPI_Allgatherv(out, count, MPI_INT, in, counts, places, MPI_INT, comm) != MPI_SUCCESS;
    for (int i = 0; i < ranks * count; i++)
        wrong += in[i] != value(thread, round, i / count, 0, i % count);
    for (int block = 0; block < 2; block++) {
        wrong += (block ? MPI_Reduce_scatter_block(out, in, count, MPI_INT, MPI_MAX, comm)
                        : MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_MAX, comm)) != MPI_SUCCESS;
        for (int k = 0; k < count; k++)
            wrong += in[k] != value(thread, round, ranks - 1, rank, k);
    }
    free(counts);
    return wrong;
}

/* As a Fortran program calls it, where a library with that name is loaded. MPICH's C programs have none, and ours hands
 * the call on to it; the standard ABI has none either. */
static int reduce_in_fortran(MPI_Comm comm, int thread, int round, int *in)
{
#if defined MPICH_VERSION || defined MPI_ABI_VERSION
    (void)comm, (void)thread, (void)round, (void)in;
    return 0;
#else
    union {
        void *object;
        void (*call)(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
    } allreduce = {dlsym(RTLD_DEFAULT, "mpi_allreduce_")};
    MPI_Fint count = 1, type = MPI_Type_c2f(MPI_INT), op = MPI_Op_c2f(MPI_MAX), handle = MPI_Comm_c2f(comm), error = -1;
    int mine = value(thread, round, rank, 0, 0);
    if (!allreduce.object)
        return 0;
    allreduce.call(&mine, in, &count, &type, &op, &handle, &error);
    return (error != MPI_SUCCESS) + (in[0] != value(thread, round, ranks - 1, 0, 0));
#endif
}

static void *run(void *argument)
{
    struct thread *thread = argument;
    int *out = calloc((size_t)ranks * LONGEST, sizeof *out), *in = calloc((size_t)ranks * LONGEST, sizeof *in);
    for (int round = 0; round < rounds; round++) {
        MPI_Comm comm = thread->comm;
        if (round % 8 == thread->number)
            MPI_Comm_dup(thread->comm, &comm);
        thread->wrong += gather(comm, thread->number, round, out, in);
        thread->wrong += reduce(comm, thread->number, round, out, in);
        thread->wrong += exchange(comm, thread->number, round, out, in);
        thread->wrong += rooted(comm, thread->number, round, out, in);
        thread->wrong += parted(comm, thread->number, round, out, in);
        thread->wrong += reduce_in_fortran(comm, thread->number, round, in);
        if (comm != thread->comm)
            MPI_Comm_free(&comm);
    }
    free(out);
    free(in);
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread threads[THREADS] = {{0}};
    int provided, wrong = 0, everywhere;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1)
        rounds = atoi(argv[1]);
    if (provided < MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            printf("no MPI_THREAD_MULTIPLE\n");
        MPI_Finalize();
        return 0;
    }
    for (int i = 0; i < THREADS; i++) {
        threads[i].number = i;
        MPI_Comm_dup(MPI_COMM_WORLD, &threads[i].comm);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i].id, NULL, run, &threads[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].id, NULL);
        MPI_Comm_free(&threads[i].comm);
        wrong += threads[i].wrong;
    }
    MPI_Allreduce(&wrong, &everywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "wrong: %d\n" : "ok\n", everywhere);
    return everywhere != 0;
}
