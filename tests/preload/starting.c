/* What the library does in MPI_Init.
 *
 *   mpirun -np N -x LD_PRELOAD=src/.libs/libtopompi.so tests/preload/starting
 *
 * Rank 0 prints how many collective calls of its own the library makes there, the most of any rank, and the longest
 * time on a rank from its first of them to the end of MPI_Init:
 *
 *   3 Allreduce, 5 Bcast, 1 Comm_dup: 9 calls, 3.1 ms
 *
 * The functions below stand before those of the MPI library, as the program's own do. */
#include <dlfcn.h>
#include <stdio.h>

#include <mpi.h>

/* CALL(name, parameters, arguments) */
#define CALLS(CALL) \
    CALL(Allgather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, MPI_Comm g), \
         (a, b, c, d, e, f, g)) \
    CALL(Allreduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f), (a, b, c, d, e, f)) \
    CALL(Barrier, (MPI_Comm a), (a)) \
    CALL(Bcast, (void *a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e)) \
    CALL(Comm_dup, (MPI_Comm a, MPI_Comm * b), (a, b)) \
    CALL(Comm_split, (MPI_Comm a, int b, int c, MPI_Comm *d), (a, b, c, d)) \
    CALL(Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm *e), (a, b, c, d, e)) \
    CALL(Gather, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h), \
         (a, b, c, d, e, f, g, h)) \
    CALL(Reduce, (const void *a, void *b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g), (a, b, c, d, e, f, g)) \
    CALL(Scatter, (const void *a, int b, MPI_Datatype c, void *d, int e, MPI_Datatype f, int g, MPI_Comm h), \
         (a, b, c, d, e, f, g, h))

#define NUMBER(name, parameters, arguments) name,
enum { CALLS(NUMBER) KINDS };

#define NAME(name, parameters, arguments) #name,
static const char *const names[KINDS] = {CALLS(NAME)};

static int counts[KINDS + 1]; /* the last: all of them */
static double begun;

static void count(int kind)
{
    if (counts[KINDS]++ == 0)
        begun = PMPI_Wtime();
    counts[kind]++;
}

#define COUNTED(name, parameters, arguments) \
    int PMPI_##name parameters \
    { \
        int(*next) parameters = (int(*) parameters)dlsym(RTLD_NEXT, "PMPI_" #name); \
        count(name); \
        return next arguments; \
    }
CALLS(COUNTED)

int main(int argc, char **argv)
{
    int rank, most[KINDS + 1];
    double longest;
    MPI_Init(&argc, &argv);
    double took = counts[KINDS] ? PMPI_Wtime() - begun : 0;
    int here[KINDS + 1];
    for (int i = 0; i <= KINDS; i++)
        here[i] = counts[i];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Reduce(here, most, KINDS + 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
    PMPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        const char *comma = "";
        for (int i = 0; i < KINDS; i++)
            if (most[i]) {
                printf("%s%d %s", comma, most[i], names[i]);
                comma = ", ";
            }
        printf(": %d calls, %.1f ms\n", most[KINDS], longest * 1e3);
    }
    MPI_Finalize();
    return 0;
}
