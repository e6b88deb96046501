#include "comm/comm_group.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "job/job.h"

/* Programs make communicators of the same ranks again and again, often for a few calls: those of the newest ones are
 * kept, most recently used first, each counted as a user. The lock is held for look-ups only. */
enum { KEPT = 8 };
static struct topo_members *kept[KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void free_members(struct topo_members *members)
{
    topo_tree_free(members->tree);
    topo_free(members->order);
    topo_free(members->world_ranks);
    if (members->group != MPI_GROUP_NULL)
        PMPI_Group_free(&members->group);
    topo_free(members);
}

/* Moves `first` to the front, from place `at` or new at KEPT - 1; with the lock held. */
static void to_front(struct topo_members *first, int at)
{
    memmove(kept + 1, kept, (size_t)at * sizeof *kept);
    kept[0] = first;
}

/* With one user more, or NULL; by its group where `world_ranks` is NULL. A group's handle cannot be another's while
 * it is kept, and copies of a communicator have its handle. */
static struct topo_members *find(MPI_Group group, const int *world_ranks, int ranks)
{
    struct topo_members *found = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < KEPT && kept[i] && !found; i++) {
        if (world_ranks ? kept[i]->ranks != ranks ||
                              memcmp(kept[i]->world_ranks, world_ranks, (size_t)ranks * sizeof *world_ranks)
                        : kept[i]->group != group)
            continue;
        found = kept[i];
        found->users++;
        to_front(found, i);
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void keep(struct topo_members *members)
{
    pthread_mutex_lock(&lock);
    struct topo_members *last = kept[KEPT - 1];
    members->users++;
    to_front(members, KEPT - 1);
    pthread_mutex_unlock(&lock);
    topo_members_release(last);
}

void topo_members_release(struct topo_members *members)
{
    if (!members)
        return;
    pthread_mutex_lock(&lock);
    bool last = --members->users == 0;
    pthread_mutex_unlock(&lock);
    if (last)
        free_members(members);
}

void topo_members_forget(void)
{
    for (int i = 0; i < KEPT; i++) {
        pthread_mutex_lock(&lock);
        struct topo_members *members = kept[i];
        kept[i] = NULL;
        pthread_mutex_unlock(&lock);
        topo_members_release(members);
    }
}

/* Ranks of MPI_COMM_WORLD; *foreign when one has none. Free *world_ranks with topo_free(), also after an error. */
static int translate(MPI_Group group, int ranks, int **world_ranks, bool *foreign)
{
    MPI_Group world = MPI_GROUP_NULL;
    int code = MPI_ERR_NO_MEM;
    int *own = topo_alloc((size_t)ranks, sizeof *own);
    *world_ranks = topo_alloc((size_t)ranks, sizeof **world_ranks);
    if (!own || !*world_ranks)
        goto out;
    for (int i = 0; i < ranks; i++)
        own[i] = i;
    if ((code = PMPI_Comm_group(MPI_COMM_WORLD, &world)) != MPI_SUCCESS ||
        (code = PMPI_Group_translate_ranks(group, ranks, own, world, *world_ranks)) != MPI_SUCCESS)
        goto out;
    for (int i = 0; i < ranks; i++)
        *foreign |= (*world_ranks)[i] == MPI_UNDEFINED;
out:
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    topo_free(own);
    return code;
}

/* Takes over `world_ranks`; NULL when memory is out. */
static struct topo_members *make(int *world_ranks, int ranks)
{
    struct topo_members *members = topo_calloc(1, sizeof *members);
    if (!members) {
        topo_free(world_ranks);
        return NULL;
    }
    members->users = 1;
    members->group = MPI_GROUP_NULL;
    members->ranks = ranks;
    members->world_ranks = world_ranks;
    members->order = topo_alloc((size_t)ranks, sizeof *members->order);
    if (!members->order || topo_tree_restrict(topo_job.tree, world_ranks, ranks, &members->tree, NULL) != TOPO_OK ||
        topo_layout_of(members->tree, &members->layout) != TOPO_OK) {
        free_members(members);
        return NULL;
    }
    members->layout.shares = topo_job.options.value[TOPO_OPTION_SHARED].size > 0;
    topo_tree_order(members->tree, members->order);
    return members;
}

/* topo_members_of() by the ranks. Those that are new keep *group, which is MPI_GROUP_NULL then. */
static int by_ranks(MPI_Group *group, int ranks, struct topo_members **members)
{
    int *world_ranks = NULL;
    bool foreign = false;
    int code = translate(*group, ranks, &world_ranks, &foreign);
    if (code != MPI_SUCCESS || foreign || (*members = find(*group, world_ranks, ranks))) {
        topo_free(world_ranks);
        return code;
    }
    if (!(*members = make(world_ranks, ranks)))
        return MPI_ERR_NO_MEM;
    (*members)->group = *group;
    *group = MPI_GROUP_NULL;
    keep(*members);
    return MPI_SUCCESS;
}

int topo_members_of(MPI_Comm comm, int ranks, struct topo_members **members)
{
    MPI_Group group;
    int code = PMPI_Comm_group(comm, &group);
    *members = NULL;
    if (code != MPI_SUCCESS)
        return code;
    if (!(*members = find(group, NULL, ranks)))
        code = by_ranks(&group, ranks, members);
    if (group != MPI_GROUP_NULL)
        PMPI_Group_free(&group);
    return code;
}
