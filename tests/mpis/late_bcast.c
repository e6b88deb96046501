/* A broadcast and then a short all-reduce, natively: with Intel MPI 2021.16 ranks that share processors find bytes of the
 * all-reduce in what was broadcast, at 16,384 (docs/FUZZING.md).
 *
 *   late_bcast [BYTES [LONGS]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

enum { ROOT = 0, ROUNDS = 400 };

int main(int argc, char **argv)
{
    int rank, ranks, bytes = argc > 1 ? atoi(argv[1]) : 29652, longs = argc > 2 ? atoi(argv[2]) : 10, wrong = 0, all;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    unsigned char *data = malloc((size_t)bytes), *right = malloc((size_t)bytes);
    long *send = malloc((size_t)longs * sizeof *send), *receive = malloc((size_t)longs * sizeof *receive);
    memset(send, 0xff, (size_t)longs * sizeof *send);
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        for (int call = 0; call < 3; call++) {
            memset(right, round % 200 + call, (size_t)bytes);
            memset(data, rank == ROOT ? round % 200 + call : 0xee, (size_t)bytes);
            MPI_Bcast(data, bytes, MPI_CHAR, ROOT, comm);
        }
        MPI_Allreduce(send, receive, longs, MPI_LONG, MPI_MIN, comm);
        wrong += memcmp(data, right, (size_t)bytes) != 0;
        MPI_Comm_free(&comm);
    }
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d of %d broadcasts wrong\n", ranks, all, ROUNDS * ranks);
    MPI_Finalize();
    return all > 0;
}
