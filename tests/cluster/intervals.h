/* Intervals of the programs that predictions are compared with: told to the trace where
 * the library is there, timed here in any case. */
#ifndef INTERVALS_H
#define INTERVALS_H

#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { INTERVALS_MAX = 8 };

static struct {
    const char *name;
    double seconds, since;
} intervals[INTERVALS_MAX];
static int interval_count;

/* The name is a literal; intervals do not nest. Returns a number for interval_end(). */
static int interval_begin(const char *name)
{
    static void (*begin)(const char *, const char *, int);
    int i = 0;
    if (!interval_count)
        begin = (void (*)(const char *, const char *, int))dlsym(RTLD_DEFAULT, "topompi_interval_begin");
    while (i < interval_count && intervals[i].name != name)
        i++;
    if (i == INTERVALS_MAX)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (i == interval_count)
        intervals[interval_count++].name = name;
    if (begin)
        begin(name, NULL, 0);
    intervals[i].since = MPI_Wtime();
    return i;
}

static void interval_end(int i)
{
    static void (*end)(void);
    static int looked;
    intervals[i].seconds += MPI_Wtime() - intervals[i].since;
    if (!looked)
        end = (void (*)(void))dlsym(RTLD_DEFAULT, "topompi_interval_end");
    looked = 1;
    if (end)
        end();
}

/* "interval NAME SECONDS" for each, the longest over the ranks. */
static void intervals_print(void)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < interval_count; i++) {
        double longest;
        MPI_Reduce(&intervals[i].seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("interval %s %.6f\n", intervals[i].name, longest);
    }
}

#endif
