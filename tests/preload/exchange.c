/* An MPI program that knows nothing of TopoMPI: MPI_Alltoallv as often as the
 * argument says, on a copy of MPI_COMM_WORLD, the counts change now and then on one rank. With a second argument
 * every other call is one in place. Prints "ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 600 };

static int count_of(int from, int to, int phase)
{
    return (from * 7 + to * 3 + (from == 1 ? phase : 0)) % 11 == 0 ? MOST : (from + to) % 5;
}

int main(int argc, char **argv)
{
    int rank, ranks, good = 1, everywhere;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int *out = malloc((size_t)ranks * MOST * sizeof *out), *in = malloc((size_t)ranks * MOST * sizeof *in);
    int *sent = malloc((size_t)ranks * sizeof *sent), *got = malloc((size_t)ranks * sizeof *got);
    int *place = malloc((size_t)ranks * sizeof *place);
    for (int call = 0, calls = argc > 1 ? atoi(argv[1]) : 1; call < calls; call++) {
        for (int i = 0; i < ranks; i++) {
            place[i] = i * MOST;
            sent[i] = count_of(rank, i, call / 50);
            got[i] = count_of(i, rank, call / 50);
            for (int k = 0; k < sent[i] || k < 1; k++)
                out[i * MOST + k] = call + rank * 100000 + i * 1000 + k;
        }
        if (argc > 2 && call % 2 == 1) {
            for (int i = 0; i < ranks; i++)
                got[i] = 1;
            MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, out, got, place, MPI_INT, comm);
            for (int i = 0; i < ranks; i++)
                good &= out[i * MOST] == call + i * 100000 + rank * 1000;
            continue;
        }
        MPI_Alltoallv(out, sent, place, MPI_INT, in, got, place, MPI_INT, comm);
        for (int i = 0; i < ranks; i++)
            for (int k = 0; k < got[i]; k++)
                good &= in[i * MOST + k] == call + i * 100000 + rank * 1000 + k;
    }
    MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (rank == 0)
        printf(everywhere ? "ok\n" : "wrong\n");
    free(out);
    free(in);
    free(sent);
    free(got);
    free(place);
    return !everywhere;
}
