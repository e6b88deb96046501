#include "predict/mpi/replay_group.h"

#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

static uint64_t hash_of(const int *world, int count)
{
    uint64_t hash = TOPO_HASH_START ^ (uint64_t)count;
    for (int i = 0; i < count; i++)
        hash = topo_hash_add(hash, (uint64_t)world[i]);
    return hash ^ (hash >> 31);
}

/* The place of a group in the table, or the free one where it belongs. */
static int *place_of(const struct replay_groups *groups, uint64_t hash, const int *world, int count)
{
    for (uint64_t at = hash;; at++) {
        int *place = &groups->table[at & (uint64_t)(groups->places - 1)];
        const struct replay_group *there = *place ? groups->list[*place - 1] : NULL;
        if (!there || (there->hash == hash && there->count == count &&
                       !memcmp(there->world, world, (size_t)count * sizeof *world)))
            return place;
    }
}

static bool make_room(struct replay_groups *groups)
{
    struct replay_groups larger = *groups;
    if (2 * groups->count < groups->places)
        return true;
    larger.places = groups->places ? 2 * groups->places : 64;
    larger.table = topo_calloc((size_t)larger.places, sizeof *larger.table);
    struct replay_group **list = topo_realloc(groups->list, (size_t)larger.places, sizeof(struct replay_group *));
    if (list)
        groups->list = larger.list = list;
    if (!larger.table || !list) {
        topo_free(larger.table);
        return false;
    }
    for (int i = 0; i < groups->count; i++)
        *place_of(&larger, list[i]->hash, list[i]->world, list[i]->count) = i + 1;
    topo_free(groups->table);
    *groups = larger;
    return true;
}

/* Number of the group with these members; -1: out of memory. */
static int intern(struct replay_groups *groups, const int *world, int count)
{
    uint64_t hash = hash_of(world, count);
    if (!make_room(groups))
        return -1;
    int *place = place_of(groups, hash, world, count);
    if (*place)
        return *place - 1;
    struct replay_group *group = topo_calloc(1, sizeof *group);
    int *members = topo_alloc((size_t)count, sizeof *members);
    if (!group || !members) {
        topo_free(group);
        topo_free(members);
        return -1;
    }
    memcpy(members, world, (size_t)count * sizeof *members);
    *group = (struct replay_group){.count = count, .world = members, .hash = hash};
    groups->list[groups->count++] = group;
    *place = groups->count;
    return groups->count - 1;
}

enum topo_status replay_groups_new(const struct topo_trace_run *run, int ranks, struct replay_groups *groups)
{
    TOPO_SCOPED int *all = topo_alloc((size_t)ranks, sizeof *all);
    *groups = (struct replay_groups){.ranks = run->ranks};
    groups->of = topo_calloc((size_t)run->ranks, sizeof *groups->of);
    if (!all || !groups->of)
        return TOPO_NOMEM;
    for (int i = 0; i < ranks; i++)
        all[i] = i;
    for (int r = 0; r < run->ranks; r++) {
        const struct topo_trace_rank *rank = &run->rank[r];
        groups->of[r] = topo_alloc((size_t)rank->group_count + 1, sizeof **groups->of);
        if (!groups->of[r])
            return TOPO_NOMEM;
        for (int i = 0; i < rank->group_count; i++) {
            const struct topo_trace_group *traced = &rank->groups[i];
            int number = REPLAY_GROUP_SELF;
            if (traced->count > 1 && ranks != run->ranks && traced->count != run->ranks) {
                number = REPLAY_GROUP_NONE;
            } else if (traced->count > 1) {
                number =
                    ranks == run->ranks ? intern(groups, traced->world, traced->count) : intern(groups, all, ranks);
                if (number < 0)
                    return TOPO_NOMEM;
            }
            groups->of[r][i] = number;
        }
    }
    return TOPO_OK;
}

void replay_groups_free(struct replay_groups *groups)
{
    for (int i = 0; i < groups->count; i++) {
        topo_tree_free(groups->list[i]->tree);
        topo_free(groups->list[i]->world);
        topo_free(groups->list[i]);
    }
    for (int r = 0; groups->of && r < groups->ranks; r++)
        topo_free(groups->of[r]);
    topo_free_all(groups->of, groups->list, groups->table);
    *groups = (struct replay_groups){0};
}

const struct topo_tree *replay_group_tree(struct replay_group *group, const struct topo_tree *tree)
{
    if (!group->tree && topo_tree_restrict(tree, group->world, group->count, &group->tree, NULL) != TOPO_OK)
        return NULL;
    return group->tree;
}
