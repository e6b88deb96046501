/* An MPI program that knows nothing of TopoMPI and does what MPI allows, or what native calls let through, round
 * collectives of every operation: a library that makes communicators of its own inside them, lets ranks disagree, or
 * changes the form of a sum after some calls is found out.
 *
 *   promises idup        MPI_Comm_idup() pending on another communicator, begun by some ranks before and by others
 *                        after a collective
 *   promises idup_same   the same on the communicator of the collectives
 *   promises idup_last   MPI_Comm_idup() begun while a non-blocking collective of the same communicator is pending
 *   promises idup_first  the other way round, which Open MPI 4.1 does wrong without the library (docs/SEMANTICS.md)
 *   promises creation    another thread creates communicators meanwhile ("no MPI_THREAD_MULTIPLE" where there is none)
 *   promises early       ranks that rely on leaving MPI_Bcast, MPI_Scatter, MPI_Reduce and MPI_Gather before the others
 *                        come (erroneous by the standard, right with every native algorithm for short messages)
 *   promises bits        equal reductions of floating-point numbers give equal bits from a communicator's first call on
 *   promises extremes    so do their maxima and minima, with NaNs and zeros of both signs among them
 *   promises in_place    long sums in place
 *   promises groups      communicators of the same ranks, asked again after ranks kept and forgot different ones
 *
 * Prints "ok" on rank 0. A job that hangs ends after a while, saying where. */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "common/native.h"

enum { SECONDS = 100, LONGEST = 1 << 17 };

static int rank, ranks, wrong;
static volatile int step;
static int send[LONGEST], receive[LONGEST];

static void on_alarm(int number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "hang: rank %d in step %d\n", rank, step);
    (void)number;
    if (write(2, text, (size_t)length) > 0)
        _exit(8);
    _exit(9);
}

static void check(bool good)
{
    wrong += !good;
}

/* One collective of `which` of seven operations, with `count` numbers a rank. */
static void collective(MPI_Comm comm, int which, int count)
{
    int n, me;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &me);
    for (int i = 0; i < count; i++)
        send[i] = me + i;
    switch (which % 7) {
    case 0: MPI_Barrier(comm); break;
    case 1:
        MPI_Allreduce(send, receive, count, MPI_INT, MPI_SUM, comm);
        check(receive[count - 1] == n * (n - 1) / 2 + n * (count - 1));
        break;
    case 2:
        count = count < LONGEST / n ? count : LONGEST / n;
        MPI_Allgather(send, count, MPI_INT, receive, count, MPI_INT, comm);
        check(receive[n * count - 1] == n - 1 + count - 1);
        break;
    case 3:
        memset(receive, 0, (size_t)count * sizeof *receive);
        MPI_Bcast(me == n - 1 ? send : receive, count, MPI_INT, n - 1, comm);
        check(me == n - 1 || receive[count - 1] == n - 1 + count - 1);
        break;
    case 4:
        MPI_Reduce(send, receive, count, MPI_INT, MPI_MAX, 0, comm);
        check(me != 0 || receive[count - 1] == n - 1 + count - 1);
        break;
    case 5:
        count = count < LONGEST / n ? count : LONGEST / n;
        for (int i = 0; i < n * count; i++)
            send[i] = me;
        MPI_Alltoall(send, count, MPI_INT, receive, count, MPI_INT, comm);
        check(receive[n * count - 1] == n - 1);
        break;
    default:
        count = count < LONGEST / n ? count : LONGEST / n;
        for (int i = 0; i < n * count; i++)
            send[i] = 1;
        MPI_Reduce_scatter_block(send, receive, count, MPI_INT, MPI_SUM, comm);
        check(receive[count - 1] == n);
    }
}

static void idup(bool same)
{
    for (int round = 0; round < 6; round++) {
        MPI_Comm comm, other, copy;
        MPI_Request request;
        MPI_Comm_dup(MPI_COMM_WORLD, round % 2 ? &comm : &other);
        MPI_Comm_dup(MPI_COMM_WORLD, round % 2 ? &other : &comm);
        for (int i = 0; i < 70; i++, step++) {
            MPI_Comm from = same ? comm : other;
            int count = i % 10 == 9 ? 30000 : 1 + i;
            bool first = same || (rank + i) % 2;
            if (first)
                MPI_Comm_idup(from, &copy, &request);
            collective(comm, i + round, count);
            if (!first)
                MPI_Comm_idup(from, &copy, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Comm_free(&copy);
        }
        MPI_Comm_free(&comm);
        MPI_Comm_free(&other);
    }
}

/* Ranks make progress between the two, and do not. */
static void idup_beside(bool first)
{
    enum { INTS = 100 };
    MPI_Comm comm, copy;
    MPI_Request request[2];
    int found;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    collective(comm, 0, INTS);
    for (int i = 0; i < INTS; i++)
        send[i] = rank + i;
    if (first)
        MPI_Comm_idup(comm, &copy, &request[0]);
    else
        MPI_Iallreduce(send, receive, INTS, MPI_INT, MPI_SUM, comm, &request[1]);
    for (int i = 0; i < 100 && rank % 2; i++, usleep(1000))
        MPI_Iprobe(MPI_ANY_SOURCE, 7, comm, &found, MPI_STATUS_IGNORE);
    if (first)
        MPI_Iallreduce(send, receive, INTS, MPI_INT, MPI_SUM, comm, &request[1]);
    else
        MPI_Comm_idup(comm, &copy, &request[0]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < INTS; i++)
        wrong += receive[i] != ranks * (ranks - 1) / 2 + ranks * i;
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
}

static MPI_Comm of_thread;

static void *collectives(void *unused)
{
    for (int i = 0; i < 60; i++)
        collective(of_thread, i, 1 + 300 * i);
    return unused;
}

/* Odd ranks first take part in all collectives and then in the creation, which even ranks began in another thread. */
static void creation(void)
{
    for (int round = 0; round < 6; round++, step++) {
        MPI_Comm first, second, other, copy;
        pthread_t thread;
        MPI_Comm_dup(MPI_COMM_WORLD, &first);
        MPI_Comm_dup(MPI_COMM_WORLD, &second);
        of_thread = round % 2 ? first : second;
        other = round % 2 ? second : first;
        if (rank % 2) {
            collectives(NULL);
            MPI_Comm_split(other, 0, rank, &copy);
        } else {
            pthread_create(&thread, NULL, collectives, NULL);
            MPI_Comm_split(other, 0, rank, &copy);
            pthread_join(thread, NULL);
        }
        MPI_Comm_free(&copy);
        MPI_Comm_free(&first);
        MPI_Comm_free(&second);
    }
}

/* Rank 0 waits for a message of rank 1 that comes before rank 1's part in the calls, the other way round in MPI_Reduce
 * and MPI_Gather. */
static void early(MPI_Comm comm, int calls)
{
    enum { MOST = 1000, RANKS = 64 };
    char bytes[MOST] = {0}, sum[MOST], *all = calloc((size_t)ranks, MOST);
    int token = 0, counts[RANKS], places[RANKS];
    for (int i = 0; i < ranks; i++) {
        counts[i] = 7 * i;
        places[i] = MOST * i;
    }
    for (int i = 0; i < calls; i++, step++) {
        int count = i % 3 ? MOST : 1 + i % 7;
        if (rank == 1)
            MPI_Ssend(&token, 1, MPI_INT, 0, 3, comm);
        MPI_Bcast(bytes, count, MPI_CHAR, 0, comm);
        MPI_Scatter(all, count, MPI_CHAR, bytes, count, MPI_CHAR, 0, comm);
        MPI_Scatterv(all, counts, places, MPI_CHAR, bytes, counts[rank], MPI_CHAR, 0, comm);
#ifdef OMPI_MAJOR_VERSION /* in MPICH's own a rank waits for higher ones */
        MPI_Scan(bytes, sum, count, MPI_BYTE, MPI_BOR, comm);
        MPI_Exscan(bytes, sum, count, MPI_BYTE, MPI_BOR, comm);
#endif
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_INT, 1, 3, comm, MPI_STATUS_IGNORE);
        if (ranks == 2) /* Open MPI's MPI_Reduce waits there */
            continue;
        if (rank == 0)
            MPI_Recv(&token, 1, MPI_INT, 1, 4, comm, MPI_STATUS_IGNORE);
        MPI_Reduce(bytes, sum, count, MPI_CHAR, MPI_BOR, 0, comm);
        MPI_Gather(bytes, count, MPI_CHAR, all, count, MPI_CHAR, 0, comm);
        MPI_Gatherv(bytes, counts[rank], MPI_CHAR, all, counts, places, MPI_CHAR, 0, comm);
        if (rank == 1)
            MPI_Ssend(&token, 1, MPI_INT, 0, 4, comm);
    }
    free(all);
}

/* Sums in place of lengths that are just above a multiple of what ours has in memory at a time. */
static void in_place(void)
{
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < 10; call++, step++) {
        int count = (call % 2 + 1) * 65536 - call % 3 * 32768 + 1 + call % 5 * 700;
        for (int i = 0; i < count; i++)
            receive[i] = rank + i;
        MPI_Allreduce(MPI_IN_PLACE, receive, count, MPI_INT, MPI_SUM, comm);
        for (int i = 0; i < count; i++)
            check(receive[i] == ranks * (ranks - 1) / 2 + ranks * i);
    }
    MPI_Comm_free(&comm);
}

/* Reductions of `count` numbers whose sum depends on the order of the ranks. */
static void reduction(MPI_Comm comm, int which, const double *from, double *to, int count)
{
    int n;
    MPI_Comm_size(comm, &n);
    memset(to, 0, (size_t)count * sizeof *to);
    switch (which) {
    case 0: MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_SUM, comm); break;
    case 1: MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_PROD, n - 1, comm); break;
    default: MPI_Reduce_scatter_block(from, to, count / n, MPI_DOUBLE, MPI_SUM, comm);
    }
}

/* Long sums have memory and then short ones have none. */
static void bits_again(void)
{
    enum { LONG = 5000, SHORT = 600, OPERATIONS = 3 };
    static double from[LONG], to[LONG], kept[OPERATIONS][LONG];
    for (int i = 0; i < LONG; i++)
        from[i] = 0.5 + rand() / 1e9;
    for (int which = 0; which < OPERATIONS; which++) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < 4; call++, step++) {
            reduction(comm, which, from, to, LONG);
            if (call == 0)
                memcpy(kept[which], to, sizeof to);
            check(!memcmp(kept[which], to, sizeof to));
            reduction(comm, which, from, to, SHORT);
        }
        MPI_Comm_free(&comm);
    }
}

static void bits(void)
{
    enum { SIZES = 5, OPERATIONS = 3, CALLS = 200 };
    static const int count[SIZES] = {16, 64, 600, 5000, 40000};
    static double from[40000], to[40000], kept[OPERATIONS][SIZES][40000];
    srand(rank + 1);
    for (int i = 0; i < count[SIZES - 1]; i++)
        from[i] = 0.5 + rand() / 1e9;
    bits_again();
    for (int round = 0; round < 3; round++) {
        MPI_Comm comm = MPI_COMM_WORLD;
        if (round > 0)
            MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < CALLS; call++, step++)
            for (int size = 0; size < (call % 20 < 2 ? SIZES : 2); size++)
                for (int which = 0; which < OPERATIONS; which++) {
                    size_t bytes = (size_t)count[size] * sizeof *to;
                    reduction(comm, which, from, to, count[size]);
                    if (call == 0)
                        memcpy(kept[which][size], to, bytes);
                    else if (memcmp(kept[which][size], to, bytes))
                        check(false);
                    if (call % 7 == 3)
                        MPI_Barrier(comm);
                }
        if (round > 0)
            MPI_Comm_free(&comm);
    }
}

/* Maxima and minima of `count` numbers, or of half as many pairs of a number and a place. */
static void extreme(MPI_Comm comm, int which, const double *from, double *to, int count)
{
    int n;
    MPI_Comm_size(comm, &n);
    memset(to, 0, (size_t)count * sizeof *to);
    switch (which) {
    case 0: MPI_Allreduce(from, to, count, MPI_DOUBLE, MPI_MAX, comm); break;
    case 1: MPI_Reduce(from, to, count, MPI_DOUBLE, MPI_MIN, n - 1, comm); break;
    case 2: MPI_Reduce_scatter_block(from, to, count / n, MPI_DOUBLE, MPI_MAX, comm); break;
    default: MPI_Allreduce(from, to, count / 2, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, comm);
    }
}

static void extremes(void)
{
    enum { SIZES = 4, LONG = 20000, OPERATIONS = 4, CALLS = 120 };
    static const int count[SIZES] = {14, 500, LONG, 4000};
    static const double special[] = {__builtin_nan(""), -0.0, 0.0, -0.0, 1.0};
    static double from[LONG], to[LONG], kept[OPERATIONS][SIZES][LONG];
    MPI_Comm comm;
    srand(rank + 1);
    for (int i = 0; i < LONG; i++)
        from[i] = special[rand() % (i % 2 ? 5 : 4)];
    for (int i = 1; i < LONG; i += 3) /* and places where the zeros alone are */
        from[i] = special[1 + rand() % 2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int call = 0; call < CALLS; call++, step++)
        for (int size = 0; size < (call % 20 < 2 ? SIZES : 2); size++)
            for (int which = 0; which < OPERATIONS; which++) {
                extreme(comm, which, from, to, count[size]);
                if (call == 0)
                    memcpy(kept[which][size], to, sizeof to);
                check(!memcmp(kept[which][size], to, (size_t)count[size] * sizeof *to));
            }
    MPI_Comm_free(&comm);
}

/* Members of communicator `i`: all but those whose bit is missing in a number that changes. */
static bool is_member(int i)
{
    return rank < 2 || ((unsigned)i * 2654435761U >> (8 + rank)) & 1;
}

static void groups(void)
{
    enum { LIVE = 24 };
    MPI_Comm live[LIVE], some;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < LIVE; i++, step++) {
            MPI_Comm_dup(MPI_COMM_WORLD, &live[i]);
            collective(live[i], 1, LONGEST);
            collective(live[i], i, 5000);
            collective(live[i], 0, 1);
        }
        for (int i = 0; i < 30; i++, step++) {
            MPI_Comm_split(MPI_COMM_WORLD, is_member(i) ? 0 : MPI_UNDEFINED, i % 3 ? -rank : rank, &some);
            if (some == MPI_COMM_NULL)
                continue;
            collective(some, i, 4);
            MPI_Comm_free(&some);
        }
        for (int i = 0; i < LIVE; i++, step++) {
            for (int k = 0; k < 20; k++)
                collective(live[i], k, 1 + 1000 * k);
            MPI_Comm_free(&live[i]);
        }
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int level, all = 0;
    bool threads = !strcmp(what, "creation");
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    signal(SIGALRM, on_alarm);
    alarm(SECONDS);
    if (threads && level != MPI_THREAD_MULTIPLE) {
        if (rank == 0)
            puts("no MPI_THREAD_MULTIPLE");
        MPI_Finalize();
        return 0;
    }
    if (!strcmp(what, "idup") || !strcmp(what, "idup_same"))
        idup(what[4]);
    else if (!strncmp(what, "idup_", 5))
        idup_beside(!strcmp(what, "idup_first"));
    else if (threads)
        creation();
    else if (!strcmp(what, "early")) {
        MPI_Comm comm;
        early(MPI_COMM_WORLD, 300);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        early(comm, 300);
        MPI_Barrier(comm);
        early(comm, 300);
        MPI_Comm_free(&comm);
    } else if (!strcmp(what, "bits"))
        bits();
    else if (!strcmp(what, "extremes"))
        extremes();
    else if (!strcmp(what, "in_place"))
        in_place();
    else if (!strcmp(what, "groups"))
        groups();
    else
        wrong++;
    NATIVE(Allreduce)(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", all ? "wrong" : "ok");
    MPI_Finalize();
    return all != 0;
}
