/* An MPI program of operations with counts whose sizes vary, none among them, on some communicators, as long as calls
 * are told from others in all ways. Odd ranks call with a type of their own, and so remember no call of theirs. Rank 0
 * prints "ok", or "wrong" with the call. */
#include <stdio.h>

#include <mpi.h>

#include "common/native.h"
#include "preload/pairs.h"

/* Pairs from a rank to another, call by call. */
static const int sizes[] = {32, 32, 32, 0, 0, 0, 0, 256, 256, 256, 4, 4, 0, 32, 256, 256, 0, 4};

enum { SIZES = sizeof sizes / sizeof *sizes, PAIRS_MOST = 256, COMMS = 3, CALLS = 10 * SIZES };

static int send[PAIRS_RANKS_MOST][2 * PAIRS_MOST], receive[PAIRS_RANKS_MOST][2 * PAIRS_MOST];

struct vectors {
    MPI_Comm comm;
    MPI_Datatype type;
    int ranks, rank, unit; /* elements of the type that are a pair */
    int counts[PAIRS_RANKS_MOST], places[PAIRS_RANKS_MOST];
};

static void fill(struct vectors *vectors, int pairs)
{
    for (int r = 0; r < vectors->ranks; r++) {
        vectors->counts[r] = pairs * vectors->unit;
        vectors->places[r] = r * PAIRS_MOST * vectors->unit;
        for (int i = 0; i < pairs; i++)
            receive[r][2 * i] = receive[r][2 * i + 1] = -1;
    }
}

static bool exchange_is_right(struct vectors *vectors, int pairs, int call)
{
    bool right = true;
    fill(vectors, pairs);
    for (int r = 0; r < vectors->ranks; r++)
        for (int i = 0; i < pairs; i++)
            send[r][2 * i] = vectors->rank + call, send[r][2 * i + 1] = r + i;
    MPI_Alltoallv(send, vectors->counts, vectors->places, vectors->type, receive, vectors->counts, vectors->places,
                  vectors->type, vectors->comm);
    for (int r = 0; r < vectors->ranks; r++)
        for (int i = 0; i < pairs; i++)
            right = right && receive[r][2 * i] == r + call && receive[r][2 * i + 1] == vectors->rank + i;
    return right;
}

static bool gather_is_right(struct vectors *vectors, int pairs, int call)
{
    bool right = true;
    fill(vectors, pairs);
    for (int i = 0; i < pairs; i++)
        send[0][2 * i] = vectors->rank + call, send[0][2 * i + 1] = i;
    MPI_Allgatherv(send, vectors->counts[vectors->rank], vectors->type, receive, vectors->counts, vectors->places,
                   vectors->type, vectors->comm);
    for (int r = 0; r < vectors->ranks; r++)
        for (int i = 0; i < pairs; i++)
            right = right && receive[r][2 * i] == r + call && receive[r][2 * i + 1] == i;
    return right;
}

/* All ranks call alike, as the types of operands must be. */
static bool reduce_is_right(const struct vectors *vectors, int pairs, int call)
{
    int counts[PAIRS_RANKS_MOST], own[2 * PAIRS_MOST], *all = &send[0][0];
    bool right = true;
    for (int r = 0; r < vectors->ranks; r++)
        counts[r] = 2 * pairs;
    for (int i = 0; i < 2 * pairs * vectors->ranks; i++)
        all[i] = vectors->rank + call + i;
    MPI_Reduce_scatter(all, own, counts, MPI_INT, MPI_MAX, vectors->comm);
    for (int i = 0; i < 2 * pairs; i++)
        right = right && own[i] == vectors->ranks - 1 + call + 2 * pairs * vectors->rank + i;
    return right;
}

int main(int argc, char **argv)
{
    int number, wrong = 0, call = 0;
    struct vectors vectors;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    MPI_Datatype pair = pairs_type();
    for (int comm = 0; comm < COMMS; comm++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &vectors.comm);
        MPI_Comm_rank(vectors.comm, &vectors.rank);
        MPI_Comm_size(vectors.comm, &vectors.ranks);
        if (vectors.ranks > PAIRS_RANKS_MOST)
            MPI_Abort(MPI_COMM_WORLD, 1);
        vectors.type = number % 2 ? pair : MPI_INT;
        vectors.unit = number % 2 ? 1 : 2;
        for (int i = 0; i < CALLS; i++, call++) {
            const int pairs = sizes[i % SIZES];
            bool right = exchange_is_right(&vectors, pairs, call);
            right = gather_is_right(&vectors, pairs, call) && right;
            if (!right || (i % 4 == 0 && !reduce_is_right(&vectors, pairs, call)))
                wrong = call + 1;
        }
        MPI_Comm_free(&vectors.comm);
    }
    const bool good = pairs_are_right(wrong);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return !good;
}
