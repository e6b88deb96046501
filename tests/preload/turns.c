/* An MPI program in which the faster of native and ours changes, while half of the ranks call with a type of their own
 * for the same bytes: whether a rank remembers a call (coll/call/native_cache.h) depends on its type, what runs must
 * not. turns_tool.c, preloaded after the library, makes first ours slow, then native. Rank 0 prints "ok", and how many
 * calls were native in both spells, or "wrong" with the call. */
#include <dlfcn.h>
#include <stdio.h>

#include <mpi.h>

#include "preload/turns.h"

enum { RANKS_MOST = 16, SPELLS = 2 };

/* The second spell is as long as it takes until the first one's finding is doubted, and some more. */
static const int calls_of[SPELLS] = {400, 6000};

int main(int argc, char **argv)
{
    struct turns_tool *tool = dlsym(RTLD_DEFAULT, "turns_tool");
    int rank, ranks, wrong = 0, first = 0, call = 0, natives[SPELLS] = {0};
    MPI_Datatype own;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > RANKS_MOST || !tool)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_contiguous(2, MPI_INT, &own);
    MPI_Type_commit(&own);
    for (int spell = 0, begun = 0; spell < SPELLS; spell++) {
        tool->slow = spell ? TURNS_NATIVE : TURNS_OURS;
        for (int i = 0; i < calls_of[spell]; i++, call++) {
            int send[2] = {rank, call}, receive[2 * RANKS_MOST] = {0};
            if (rank % 2)
                MPI_Allgather(send, 1, own, receive, 1, own, MPI_COMM_WORLD);
            else
                MPI_Allgather(send, 2, MPI_INT, receive, 2, MPI_INT, MPI_COMM_WORLD);
            for (int r = 0; r < ranks; r++)
                if (receive[2 * r] != r || receive[2 * r + 1] != call)
                    wrong = call + 1;
        }
        natives[spell] = tool->natives - begun;
        begun = tool->natives;
    }
    tool->slow = TURNS_NOTHING;
    PMPI_Allreduce(&wrong, &first, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && first)
        printf("wrong: call %d\n", first - 1);
    else if (rank == 0)
        printf("ok: %d of %d and %d of %d calls native\n", natives[0], calls_of[0], natives[1], calls_of[1]);
    MPI_Type_free(&own);
    MPI_Finalize();
    return first != 0;
}
