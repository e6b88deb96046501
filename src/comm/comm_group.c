#include "comm/comm_group.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "job/job.h"
#include "job/world_ranks.h"

/* Programs make communicators of the same ranks again and again, often for a few calls: those of the newest ones are
 * kept, most recently used first, each counted as a user. The lock is held for look-ups only. */
enum { KEPT = 8 };
static struct topo_comm_group *kept[KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_members(struct topo_comm_group *comm_group)
{
    topo_tree_free(comm_group->tree);
    topo_numbers_free(&comm_group->world);
    if (comm_group->group != MPI_GROUP_NULL)
        PMPI_Group_free(&comm_group->group);
    topo_free(comm_group);
}

/* Moves `first` to the front, from place `at` or new at KEPT - 1; with the lock held. */
static void to_front(struct topo_comm_group *first, int at)
{
    memmove(kept + 1, kept, (size_t)at * sizeof *kept);
    kept[0] = first;
}

static bool are_same(const struct topo_comm_group *comm_group, const int *world_ranks, int ranks)
{
    const struct topo_numbers numbers = topo_numbers_view(world_ranks, world_ranks ? ranks : 0);
    return comm_group->ranks == ranks && topo_numbers_equal(&comm_group->world, &numbers);
}

/* With one user more, or NULL; by its group where that is one, else by its ranks as struct topo_comm_group has them. A
 * group's handle cannot be another's while it is kept, and copies of a communicator have its handle. MPICH 5.0 gives a
 * grid of a communicator's first ranks the handle of them all, so `ranks` counts, too. */
static struct topo_comm_group *find(MPI_Group group, const int *world_ranks, int ranks)
{
    struct topo_comm_group *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && kept[i] && !found; i++) {
        if (group != MPI_GROUP_NULL ? kept[i]->group != group || kept[i]->ranks != ranks
                                    : !are_same(kept[i], world_ranks, ranks))
            continue;
        found = kept[i];
        found->users++;
        to_front(found, i);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(struct topo_comm_group *comm_group)
{
    pthread_mutex_lock(&lock);
    struct topo_comm_group *last = kept[KEPT - 1];
    comm_group->users++;
    to_front(comm_group, KEPT - 1);
    pthread_mutex_unlock(&lock);
    topo_comm_group_release(last);
}

void topo_comm_group_release(struct topo_comm_group *comm_group)
{
    if (!comm_group)
        return;
    pthread_mutex_lock(&lock);
    bool last = --comm_group->users == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        free_members(comm_group);
}

void topo_comm_group_forget(void)
{
    for (int i = 0; i < KEPT; i++) {
        pthread_mutex_lock(&lock);
        struct topo_comm_group *comm_group = kept[i];
        kept[i] = NULL;
        pthread_mutex_unlock(&lock);
        topo_comm_group_release(comm_group);
    }
}

/* Ranks of MPI_COMM_WORLD, as struct topo_comm_group has them; *all as topo_world_ranks() gives it. Free *world_ranks
 * with topo_free(), also after an error. */
static int translate(MPI_Group group, int ranks, int **world_ranks, bool *all)
{
    MPI_Group world;
    int same = 0, code = PMPI_Comm_group(MPI_COMM_WORLD, &world);
    *world_ranks = NULL;
    if (code != MPI_SUCCESS)
        return code;
    *all = group == world && ranks == topo_job.tree->ranks; /* with Open MPI also that of copies */
    PMPI_Group_free(&world);
    if (*all)
        return MPI_SUCCESS;
    if (!(*world_ranks = topo_alloc((size_t)ranks, sizeof **world_ranks)))
        return MPI_ERR_NO_MEM;
    code = topo_world_ranks(group, ranks, TOPO_WORLD_RANKS_MOST, *world_ranks, all);
    while (code == MPI_SUCCESS && *all && same < ranks && (*world_ranks)[same] == same)
        same++;
    if (ranks == topo_job.tree->ranks && same == ranks) {
        topo_free(*world_ranks);
        *world_ranks = NULL;
    }
    return code;
}

/* Takes over `world_ranks`; NULL when memory is out. */
static struct topo_comm_group *make(int *world_ranks, int ranks)
{
    struct topo_comm_group *comm_group = topo_calloc(1, sizeof *comm_group);
    if (!comm_group) {
        topo_free(world_ranks);
        return NULL;
    }
    comm_group->users = 1;
    comm_group->group = MPI_GROUP_NULL;
    comm_group->ranks = ranks;
    if (!world_ranks) {
        comm_group->tree = topo_tree_share(topo_job.tree);
    } else {
        comm_group->members = topo_hash_bytes(TOPO_HASH_START, world_ranks, (size_t)ranks * sizeof *world_ranks);
        topo_numbers_take(&comm_group->world, world_ranks, ranks);
        if (topo_tree_restrict(topo_job.tree, world_ranks, ranks, &comm_group->tree, NULL) == TOPO_OK)
            topo_tree_shorten(comm_group->tree);
        topo_numbers_shorten(&comm_group->world);
    }
    if (!comm_group->tree || topo_layout_of(comm_group->tree, &comm_group->layout) != TOPO_OK) {
        free_members(comm_group);
        return NULL;
    }
    comm_group->layout.has_processors = !topo_job.oversubscribed;
    comm_group->layout.has_shm = topo_job.options.value[TOPO_OPTION_SHARED].size > 0;
    return comm_group;
}

/* topo_comm_group_of() by the ranks. Those that are new keep *group, which is MPI_GROUP_NULL then. */
static int by_ranks(MPI_Group *group, int ranks, struct topo_comm_group **comm_group)
{
    int *world_ranks = NULL;
    bool all = false;
    int code = translate(*group, ranks, &world_ranks, &all);
    if (code != MPI_SUCCESS || !all || (*comm_group = find(MPI_GROUP_NULL, world_ranks, ranks))) {
        topo_free(world_ranks);
        return code;
    }
    if (!(*comm_group = make(world_ranks, ranks)))
        return MPI_ERR_NO_MEM;
    (*comm_group)->group = *group;
    *group = MPI_GROUP_NULL;
    keep(*comm_group);
    return MPI_SUCCESS;
}

int topo_comm_group_of(MPI_Comm comm, int ranks, struct topo_comm_group **comm_group)
{
    MPI_Group group;
    int code = PMPI_Comm_group(comm, &group);
    *comm_group = NULL;
    if (code != MPI_SUCCESS)
        return code;
    if (!(*comm_group = find(group, NULL, ranks)))
        code = by_ranks(&group, ranks, comm_group);
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    return code;
}
