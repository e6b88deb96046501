/* A constructor returns on no rank of the communicator that it makes before all its ranks have come: what ranks know of
 * earlier communicators as one is made is equal on all of them by that (comm/refusals.h). */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "mpi/harness.h"

static int rank, ranks;

enum constructor {
#define CONSTRUCTOR(Name, ...) Name,
#include "catalog/constructors.def"
    CONSTRUCTORS
};
static const char *const names[] = {
#define CONSTRUCTOR(Name, ...) #Name,
#include "catalog/constructors.def"
};

/* Two halves, to be merged. */
static MPI_Comm inter(void)
{
    MPI_Comm half, made;
    const int upper = rank >= ranks / 2;
    MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : ranks / 2, 9, &made);
    MPI_Comm_free(&half);
    return made;
}

/* What a constructor is called on. */
static MPI_Comm base_of(enum constructor which)
{
    MPI_Comm base;
    if (which == Intercomm_merge)
        return inter();
    if (which == Cart_sub)
        MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, ranks / 2}, (int[]){0, 0}, 0, &base);
    else
        MPI_Comm_dup(MPI_COMM_WORLD, &base);
    return base;
}

/* MPI_COMM_NULL on ranks that are in none. */
static MPI_Comm make(enum constructor which, MPI_Comm base, MPI_Group some)
{
    const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks, one = 1;
    int index[] = {1, 2, 3, 4}, edges[] = {1, 2, 3, 0}, place;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Group_rank(some, &place);
    switch (which) {
    case Comm_create: MPI_Comm_create(base, some, &made); break;
    case Comm_create_group:
        if (place != MPI_UNDEFINED) /* MPICH to 4.3 crashes on a copy */
            MPI_Comm_create_group(MPI_COMM_WORLD, some, 5, &made);
        break;
    case Comm_dup: MPI_Comm_dup(base, &made); break;
    case Comm_dup_with_info: MPI_Comm_dup_with_info(base, MPI_INFO_NULL, &made); break;
    case Comm_split: MPI_Comm_split(base, place == MPI_UNDEFINED ? place : 0, -rank, &made); break;
    case Comm_split_type:
        MPI_Comm_split_type(base, place == MPI_UNDEFINED ? place : MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &made);
        break;
    case Cart_create: MPI_Cart_create(base, 1, (int[]){ranks}, (int[]){1}, 1, &made); break;
    case Cart_sub: MPI_Cart_sub(base, (int[]){0, 1}, &made); break;
    case Graph_create: MPI_Graph_create(base, ranks, index, edges, 0, &made); break;
    case Dist_graph_create: MPI_Dist_graph_create(base, 1, &rank, &one, &right, &one, MPI_INFO_NULL, 0, &made); break;
    case Dist_graph_create_adjacent:
        MPI_Dist_graph_create_adjacent(base, 1, &left, &one, 1, &right, &one, MPI_INFO_NULL, 0, &made);
        break;
    case Intercomm_merge: MPI_Intercomm_merge(base, rank >= ranks / 2, &made); break;
    case CONSTRUCTORS: break;
    }
    return made;
}

/* Whether a rank is in a communicator with this one. */
static bool has(MPI_Comm comm, int world_rank)
{
    MPI_Group world, group;
    int place = MPI_UNDEFINED;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    MPI_Group_translate_ranks(world, 1, &world_rank, group, &place);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return place != MPI_UNDEFINED;
}

/* `returned` lies where all ranks see it. */
static void compare(enum constructor which, int late, MPI_Group some, atomic_int *returned)
{
    MPI_Comm base = base_of(which);
    bool good = true;
    if (rank == late)
        atomic_store(returned, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == late) {
        usleep(3000);
        good = atomic_load(returned) == 0;
    }
    MPI_Comm made = make(which, base, some);
    if (made != MPI_COMM_NULL && rank != late && has(made, late))
        atomic_fetch_add(returned, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    harness_check(good, "MPI_%s with rank %d late", names[which], late);
    if (made != MPI_COMM_NULL)
        MPI_Comm_free(&made);
    MPI_Comm_free(&base);
}

int main(int argc, char **argv)
{
    MPI_Group world, some;
    MPI_Win window;
    MPI_Aint bytes;
    int unit;
    atomic_int *returned;
    harness_start(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 3, (int[]){0, 2, 3}, &some);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *returned : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &returned, &window);
    MPI_Win_shared_query(window, 0, &bytes, &unit, &returned);
    for (int which = 0; ranks == 4 && which < CONSTRUCTORS; which++)
        for (int late = 0; late < ranks; late++)
            compare((enum constructor)which, late, some, returned);
    MPI_Win_free(&window);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    return harness_finish();
}
