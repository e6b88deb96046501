/* An MPI program in which the faster of native and ours changes, while odd ranks call with a type of their own.
 * turns_tool.c, preloaded after the library, makes first ours slow, then native. Rank 0 prints "ok", and how many calls
 * were native in both spells, or "wrong" with the call. */
#include <dlfcn.h>
#include <stdio.h>

#include <mpi.h>

#include "common/native.h"
#include "preload/pairs.h"
#include "preload/turns.h"

enum { SPELLS = 2 };

/* The second spell is as long as it takes until the first one's finding is doubted, and some more. */
static const int calls_of[SPELLS] = {400, 6000};

int main(int argc, char **argv)
{
    struct turns_tool *tool = dlsym(RTLD_DEFAULT, "turns_tool");
    int rank, ranks, wrong = 0, first = 0, call = 0, natives[SPELLS] = {0};
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > PAIRS_RANKS_MOST || !tool)
        MPI_Abort(MPI_COMM_WORLD, 1);
    pair = pairs_type();
    for (int spell = 0, begun = 0; spell < SPELLS; spell++) {
        tool->slow = spell ? TURNS_NATIVE : TURNS_OURS;
        for (int i = 0; i < calls_of[spell]; i++, call++)
            if (!pairs_gather(MPI_COMM_WORLD, pair, call))
                wrong = call + 1;
        natives[spell] = tool->natives - begun;
        begun = tool->natives;
    }
    tool->slow = TURNS_NOTHING;
    NATIVE(Allreduce)(&wrong, &first, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && first)
        printf("wrong: call %d\n", first - 1);
    else if (rank == 0)
        printf("ok: %d of %d and %d of %d calls native\n", natives[0], calls_of[0], natives[1], calls_of[1]);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return first != 0;
}
