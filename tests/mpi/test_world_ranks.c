/* The ranks in MPI_COMM_WORLD of groups in any order, as MPI_Group_translate_ranks() gives them, found as those of
 * large groups are. */
#include <stdlib.h>
#include <string.h>

#include "job/job.h"
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

/* All ranks in an order without a rule, of which one number may be looked at: not found, on all of them. */
static void refused(void)
{
    static const int world[] = {3, 0, 2, 1};
    int found[4];
    bool known = true;
    MPI_Group all, some;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 4, world, &some);
    int code = topo_world_ranks(some, 4, 1, found, &known);
    harness_check(code == MPI_SUCCESS && !known, "it would take too long");
    MPI_Group_free(&some);
    MPI_Group_free(&all);
}

static void refused_twice(void)
{
    refused();
    refused();
}

int main(int argc, char **argv)
{
    int ranks, own, world[RANKS_MOST], found[RANKS_MOST];
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
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (ranks >= 4) {
        topo_job.rank = own;
        const char *text = harness_said(refused_twice), *line = strstr(text, "a communicator of 4 ranks in an order");
        harness_check(own == 3 ? line && !strstr(line + 1, "topompi:") : !*text, "it is said once: %s", text);
    }
    return harness_finish();
}
