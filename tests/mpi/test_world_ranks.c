/* The ranks in MPI_COMM_WORLD of groups in any order, as MPI_Group_translate_ranks() gives them, found as those of
 * large groups are. */
#include <stdlib.h>
#include <string.h>

#include "job/world_ranks.h"
#include "mpi/harness.h"

enum { GROUPS = 200, RANKS_MOST = 64 };

static unsigned next(unsigned *seed, unsigned below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % below;
}

/* So many of the ranks: upwards, downwards, or in no order. */
static void choose(int *world, int ranks, int count, int order, unsigned *seed)
{
    int chosen = 0;
    for (int i = 0; i < ranks; i++)
        if ((int)next(seed, (unsigned)(ranks - i)) < count - chosen)
            world[chosen++] = i;
    for (int i = count - 1; i > 0 && order > 0; i--) {
        int k = order == 1 ? count - 1 - i : (int)next(seed, (unsigned)i + 1), kept = world[i];
        if (order == 1 && k >= i)
            break;
        world[i] = world[k];
        world[k] = kept;
    }
}

int main(int argc, char **argv)
{
    int ranks, world[RANKS_MOST], found[RANKS_MOST];
    unsigned seed = 1;
    MPI_Group all, some;
    harness_start(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    topo_world_ranks_short = 0;
    for (int i = 0; i < GROUPS && ranks <= RANKS_MOST; i++) {
        int count = 1 + (int)next(&seed, (unsigned)ranks);
        bool known = false;
        choose(world, ranks, count, i % 3, &seed);
        MPI_Group_incl(all, count, world, &some);
        int code = topo_world_ranks(some, count, TOPO_WORLD_RANKS_MOST, found, &known);
        harness_check(code == MPI_SUCCESS && known && !memcmp(found, world, (size_t)count * sizeof *found),
                      "group %d, of %d ranks", i, count);
        MPI_Group_free(&some);
    }
    MPI_Group_free(&all);
    return harness_finish();
}
