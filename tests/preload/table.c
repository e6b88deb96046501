/* An MPI program that knows nothing of TopoMPI: MPI_Alltoallv by a table, "0530 0000 0000 4030": row i has what
 * rank i sends to every rank, a digit each, in units of 4,000 bytes. Four calls, of which
 * recording_tool.c records the last. Prints "ok" on rank 0. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "preload/recording.h"

int main(int argc, char **argv)
{
    enum { UNIT = 4000, CALLS = 4 };
    int rank, ranks, good = argc == 2, everywhere;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t most = (size_t)ranks * 9 * UNIT;
    unsigned char *out = malloc(most), *in = malloc(most);
    int *sent = malloc((size_t)ranks * sizeof *sent), *got = malloc((size_t)ranks * sizeof *got);
    int *place = malloc((size_t)ranks * sizeof *place);
    for (int i = 0; i < ranks; i++) {
        const char *table = argv[1];
        place[i] = i * 9 * UNIT;
        sent[i] = UNIT * (table[rank * (ranks + 1) + i] - '0');
        got[i] = UNIT * (table[i * (ranks + 1) + rank] - '0');
    }
    for (int call = 0; call < CALLS; call++) {
        for (int i = 0; i < ranks; i++)
            for (int k = 0; k < sent[i]; k++)
                out[place[i] + k] = (unsigned char)(call + rank * 5 + i * 3 + k * 7);
        if (call == CALLS - 1)
            record(1);
        MPI_Alltoallv(out, sent, place, MPI_BYTE, in, got, place, MPI_BYTE, MPI_COMM_WORLD);
        record(0);
        for (int i = 0; i < ranks; i++)
            for (int k = 0; k < got[i]; k++)
                good &= in[place[i] + k] == (unsigned char)(call + i * 5 + rank * 3 + k * 7);
    }
    MPI_Allreduce(&good, &everywhere, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
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
